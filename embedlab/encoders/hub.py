"""A hub encoder at a pinned commit: allow-listed files only, into the store, and offline from then on."""

import hashlib
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import httpx
from huggingface_hub.utils import build_hf_headers

from embedlab.encoders.weight_files import read_json_object
from embedlab.errors import EncoderError, NetworkError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent
from embedlab.store_root import store_root, whole_folder, write_json

_ALLOWED = re.compile(
    r"config\.json|embedlab\.json|modules\.json|sentence_bert_config\.json|special_tokens_map\.json"
    r"|tokenizer\.json|tokenizer_config\.json|vocab\.txt|vocab\.json|merges\.txt"
    r"|model\.safetensors|model\.safetensors\.index\.json|model-\d{5}-of-\d{5}\.safetensors"
    r"|\d{1,2}_(Pooling|Normalize|Dense|StaticEmbedding|Transformer)/(config\.json|model\.safetensors|tokenizer\.json)"
)
_CONVERTER = "SFconvertbot"  # the hub's own account that offers safetensors conversions as pull requests


class HubName(NamedTuple):
    """owner/name, and the revision asked for (a branch, a tag or a commit)."""

    repository: str
    revision: str


class HubFile(NamedTuple):
    """One file the hub lists: its path and size, and the SHA-256 it promises for large files."""

    path: str
    size: int
    sha256: str | None


def fetch_encoder(reference: str, *, progress: Progress = silent, largest_bytes: int | None = None) -> Path:
    """The store's folder of ``owner/name`` or ``owner/name@revision``, downloaded when it is not there yet.

    Without a revision the stored copy is kept: a name that moves on the hub never changes a run made here.
    """
    name = hub_name(reference)
    found = stored(name)
    if found is not None:
        return found
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        raise _no_network(name, "connections are switched off (HF_HUB_OFFLINE)")
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    seconds = LIMITS.download_timeout_seconds  # without a word from the hub, not for the whole file
    try:
        with httpx.Client(
            base_url=endpoint, headers=build_hf_headers(), follow_redirects=True, timeout=seconds
        ) as client:
            largest = 4 * LIMITS.encoder_parameters if largest_bytes is None else largest_bytes
            return _download(client, name, progress, largest)
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        if status not in (401, 403, 404):  # the hub says 401 for what is private and for what is not there at all
            raise _no_network(name, f"the hub answered {status}") from None
        raise EncoderError(
            "E-UNKNOWN-ENCODER",
            f"hf:{reference} was asked for, but the hub has no such encoder, or hides it from strangers ({status}). "
            "Check its name; for a gated one accept its terms there and log in.",
        ) from None
    except httpx.HTTPError as error:
        raise _no_network(name, f"the hub cannot be reached ({type(error).__name__})") from None


def hub_name(reference: str) -> HubName:
    """owner/name[@revision] taken apart; anything else (a URL, a path) is refused."""
    repository, _, revision = reference.partition("@")
    if not re.fullmatch(r"[\w-][\w.-]{0,95}/[\w-][\w.-]{0,95}", repository, re.ASCII) or ".." in repository:
        raise EncoderError(
            "E-ENCODER-ID",
            f"A hub encoder is written hf:owner/name, but found {('hf:' + reference)[:120]!r}. "
            "Copy the name from the head of its hub page.",
        )
    if revision and not re.fullmatch(r"[\w][\w./-]{0,95}", revision, re.ASCII):
        raise EncoderError("E-ENCODER-ID", f"A branch, tag or commit is needed after '@', but found {revision[:80]!r}.")
    return HubName(repository, revision)


def stored(name: HubName) -> Path | None:
    """The newest stored copy of a name; of the very revision where one is given."""
    folders = (store_root() / "encoders").glob(f"{name.repository.replace('/', '--')}@*")
    for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True):
        facts = read_json_object(folder / "embedlab.json")
        if not name.revision or name.revision in (folder.name.rpartition("@")[2], facts.get("revision")):
            return folder
    return None


def _download(client: httpx.Client, name: HubName, progress: Progress, largest: int) -> Path:
    progress(f"Asking the hub for {name.repository}")
    commit, files = _files_at(client, name.repository, name.revision or "main")
    facts = {"hub_id": name.repository, "revision": name.revision or "main", "commit": commit}
    if not any(path.endswith(".safetensors") for path in files):
        commit, files = _conversion(client, name)
        facts |= {"converted_from": facts["commit"], "commit": commit}
    total = sum(file.size for file in files.values())
    if total > largest:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"An encoder of at most {largest / 1e9:.0f} GB is needed, but hf:{name.repository} "
            f"has {total / 1e9:.0f} GB. Choose a smaller one.",
        )
    folder = store_root() / "encoders" / f"{name.repository.replace('/', '--')}@{commit}"
    stage = f"Downloading {name.repository} ({total / 1e6:,.1f} MB)"
    with whole_folder(folder) as beside:
        hashes, done = {}, 0
        for file in files.values():
            url = f"/{name.repository}/resolve/{commit}/{file.path}"
            hashes[file.path] = _fetch(
                client, url, beside / file.path, file, partial(_say, progress, stage, done, total)
            )
            done += file.size
        theirs = read_json_object(beside / "embedlab.json") if "embedlab.json" in files else {}
        own = {key: theirs[key] for key in ("pooling", "max_length") if isinstance(theirs, dict) and key in theirs}
        write_json(beside / "embedlab.json", own | facts | {"sha256": hashes})
    return folder


def _files_at(client: httpx.Client, repository: str, revision: str) -> tuple[str, dict[str, HubFile]]:
    """The 40-hex commit behind a revision, and its allow-listed files."""
    found, _ = _asked(client, f"/api/models/{repository}/revision/{quote(revision, safe='')}")
    commit = str(found.get("sha")) if isinstance(found, dict) else ""
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise _strange_answer(f"names no commit of 40 hex digits but {commit[:60]!r}")
    files = {}
    page = f"/api/models/{repository}/tree/{commit}?recursive=true"
    while page:
        entries, page = _asked(client, page)
        for entry in entries if isinstance(entries, list) else []:
            file = _hub_file(entry)
            if file is not None and _ALLOWED.fullmatch(file.path):
                files[file.path] = file
    if "model.safetensors" in files:  # a sharded copy beside it is the same weights again
        files = {path: file for path, file in files.items() if not re.match(r"model-|model\.safetensors\.index", path)}
    return commit, files


def _hub_file(entry: object) -> HubFile | None:
    if not isinstance(entry, dict) or entry.get("type") != "file":
        return None
    path, size, large = entry.get("path"), entry.get("size"), entry.get("lfs")
    if not isinstance(path, str) or type(size) is not int or size < 0:
        raise _strange_answer("lists a file without name or size")
    return HubFile(path, size, str(large.get("oid")) if isinstance(large, dict) else None)


def _conversion(client: httpx.Client, name: HubName) -> tuple[str, dict[str, HubFile]]:
    """The repository's safetensors conversion: a pull request of the hub's own converter, at its commit."""
    question = f"/api/models/{name.repository}/discussions?type=pull_request&author={_CONVERTER}"
    found, _ = _asked(client, question)
    offers = found.get("discussions") if isinstance(found, dict) else None
    for offer in offers if isinstance(offers, list) else []:
        match offer:
            case {"author": {"name": author}, "isPullRequest": True, "num": int(number)} if author == _CONVERTER:
                commit, files = _files_at(client, name.repository, f"refs/pr/{number}")
                if "model.safetensors" in files:
                    return commit, files
            case _:  # anyone may open a pull request; only the converter's is taken
                continue
    raise EncoderError(
        "E-NOT-SAFETENSORS",
        f"hf:{name.repository} has pickled weights only, which can run code, and no safetensors conversion. "
        "Choose another encoder, or ask its owners for model.safetensors.",
    )


def _asked(client: httpx.Client, question: str) -> tuple[object, str]:
    """The hub's JSON answer, and where the next page of it is (empty at the end, and never on another host)."""
    answer = client.get(question).raise_for_status()
    following = answer.links.get("next", {}).get("url", "")
    try:
        return answer.json(), following if following.startswith(str(client.base_url)) else ""
    except ValueError:
        raise _strange_answer("is no JSON") from None


def _strange_answer(what: str) -> EncoderError:
    return EncoderError(
        "E-HUB-ANSWER", f"A list of an encoder's files was expected, but the hub's answer {what}. Try again later."
    )


def _fetch(client: httpx.Client, url: str, path: Path, file: HubFile, said: Callable[[int], None]) -> str:
    """One file, whole and of the promised size and hash; its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, got = hashlib.sha256(), 0
    with client.stream("GET", url) as answer, path.open("wb") as target:
        answer.raise_for_status()
        for chunk in answer.iter_bytes(2**20):
            got += len(chunk)
            if got > file.size:
                break
            digest.update(chunk)
            target.write(chunk)
            said(got)
    if got != file.size or file.sha256 not in (None, digest.hexdigest()):
        raise NetworkError(
            "E-DOWNLOAD", f"{file.path} should have {file.size:,} bytes, but what arrived is another file. Try again."
        )
    return digest.hexdigest()


def _say(progress: Progress, stage: str, before: int, total: int, got: int) -> None:
    progress(stage, before + got, total)


def _no_network(name: HubName, why: str) -> NetworkError:
    return NetworkError(
        "E-NO-NETWORK",
        f"hf:{name.repository} is not in the store and has to be downloaded, but {why}. Connect and fetch it once, "
        "or choose token, scratch:bert-mini or a folder on this machine, which need no connection.",
    )
