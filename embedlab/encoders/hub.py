"""A hub encoder at a pinned commit: allow-listed files only, into the store, and offline from then on."""

import re
from functools import partial
from pathlib import Path

from embedlab.encoders.weight_files import read_json_object
from embedlab.errors import EncoderError
from embedlab.hub import HubFile, HubName, connection, download_file, listing, pull_requests, split_reference
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent
from embedlab.store_root import store_root, whole_folder, write_json

_ALLOWED = re.compile(
    r"config\.json|embedlab\.json|modules\.json|sentence_bert_config\.json|config_sentence_transformers\.json|special_tokens_map\.json"
    r"|tokenizer\.json|tokenizer_config\.json|vocab\.txt|vocab\.json|merges\.txt"
    r"|model\.safetensors|model\.safetensors\.index\.json|model-\d{5}-of-\d{5}\.safetensors"
    r"|\d{1,2}_(Pooling|Normalize|Dense|StaticEmbedding|Transformer)/(config\.json|model\.safetensors|tokenizer\.json)"
)
_CONVERTER = "SFconvertbot"  # the hub's own account that offers safetensors conversions as pull requests
_ADVICE = (
    "Connect and fetch it once, or choose token, scratch:bert-mini or a folder on this machine, which need no "
    "connection."
)


def fetch_encoder(reference: str, *, progress: Progress = silent, largest_bytes: int | None = None) -> Path:
    """The store's folder of ``owner/name`` or ``owner/name@revision``, downloaded when it is not there yet.

    Without a revision the stored copy is kept: a name that moves on the hub never changes a run made here.
    """
    name = hub_name(reference)
    folder = stored(name)
    if folder is not None:
        return folder
    largest = 4 * LIMITS.encoder_parameters if largest_bytes is None else largest_bytes
    with connection(f"hf:{name.repository}", absent=partial(_absent, reference), advice=_ADVICE):
        return _download(name, progress, largest)


def hub_name(reference: str) -> HubName:
    """owner/name[@revision] taken apart; anything else is refused."""
    name = split_reference(reference)
    if name is None:
        raise EncoderError(
            "E-ENCODER-ID",
            "A hub encoder must be hf:owner/name or hf:owner/name@ with a branch, tag or commit, but found "
            f"{('hf:' + reference)[:120]!r}. Copy the name from the head of its hub page.",
        )
    return name


def stored(name: HubName) -> Path | None:
    """The newest stored copy of a name; of the very revision where one is given."""
    folders = (store_root() / "encoders").glob(f"{name.repository.replace('/', '--')}@*")
    for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True):
        facts = read_json_object(folder / "embedlab.json")
        if not name.revision or name.revision in (folder.name.rpartition("@")[2], facts.get("revision")):
            return folder
    return None


def _download(name: HubName, progress: Progress, largest: int) -> Path:
    progress(f"Asking the hub for {name.repository}")
    commit, files = _files_at(name.repository, name.revision or "main")
    facts = {"hub_id": name.repository, "revision": name.revision or "main", "commit": commit}
    if not any(path.endswith(".safetensors") for path in files):
        commit, files = _conversion(name)
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
    with whole_folder(folder) as temporary:
        hashes, done = {}, 0
        for path, file in files.items():
            report = partial(_say, progress, stage, done, total)
            hashes[path] = download_file("model", name.repository, commit, file, temporary / path, report)
            done += file.size
        theirs = read_json_object(temporary / "embedlab.json") if "embedlab.json" in files else {}
        of_folder = {key: theirs[key] for key in ("pooling", "max_length") if key in theirs}
        write_json(temporary / "embedlab.json", of_folder | facts | {"sha256": hashes})
    return folder


def _files_at(repository: str, revision: str) -> tuple[str, dict[str, HubFile]]:
    """The commit behind a revision, and its allow-listed files."""
    commit, listed = listing("model", repository, revision)
    files = {file.path: file for file in listed if _ALLOWED.fullmatch(file.path)}
    if "model.safetensors" in files:  # a sharded copy beside it is the same weights again
        files = {path: file for path, file in files.items() if not re.match(r"model-|model\.safetensors\.index", path)}
    return commit, files


def _conversion(name: HubName) -> tuple[str, dict[str, HubFile]]:
    """The repository's safetensors conversion: a pull request of the hub's own converter, at its commit."""
    for number in pull_requests(name.repository, _CONVERTER):
        commit, files = _files_at(name.repository, f"refs/pr/{number}")
        if "model.safetensors" in files:
            return commit, files
    raise EncoderError(
        "E-NOT-SAFETENSORS",
        f"hf:{name.repository} has pickled weights only, which can run code, and no safetensors conversion. "
        "Choose another encoder, or ask its owners for model.safetensors.",
    )


def _say(progress: Progress, stage: str, before: int, total: int, got: int, _of: int) -> None:
    progress(stage, before + got, total)


def _absent(reference: str, status: int) -> EncoderError:
    return EncoderError(  # the hub says 401 for what is private and for what is not there at all
        "E-UNKNOWN-ENCODER",
        f"hf:{reference} was requested, but the hub has no such encoder, or it is not public ({status}). "
        "Check its name; for a gated one accept its terms there and log in on the machine that does the work, "
        "because embedlab passes on no token: hf auth login, or HF_TOKEN in the environment of its workers.",
    )
