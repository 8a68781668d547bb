"""The Hugging Face hub, the only outside connection: what a revision holds, its files, and which are already here.

Questions are asked by ``huggingface_hub``, files are streamed here: its ``hf_hub_download`` asks for the headers of
each file first, keeps files in a cache of its own, has no limit, compares sizes but no SHA-256, and says its progress
to a tqdm bar. Only the data sets of mteb come by it (benchmarks/run.py), since mteb reads them from that cache.
The library fixes address and offline mode when it is imported; so both are read here, at each call.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from embedlab.errors import CorpusError, NetworkError, UserError
from embedlab.limits import LIMITS
from embedlab.numbers import gibibytes
from embedlab.store_root import read_json_if_whole, store_root, write_json

_PART = r"\w(?:[\w.-]{0,94}\w)?"
_REFERENCE = re.compile(rf"(?!.*\.\.)(?![^@]*(?:--|\.git(?:@|$)))({_PART}/{_PART})(?:@(\w[\w./-]{{0,99}}))?", re.ASCII)
_ADVICE = "Check the connection, or download it elsewhere and give the path of the file."


class HubName(NamedTuple):
    """owner/name, and the requested revision: a branch, tag or commit; empty for the default."""

    repository: str
    revision: str


@dataclass(frozen=True)
class HubFile:
    """One file listed by the hub, and its promised SHA-256 if it is large."""

    path: str
    size: int
    sha256: str | None = None


def split_reference(reference: str) -> HubName | None:
    """``owner/name`` or ``owner/name@revision`` split; None for anything else, such as a URL or a path."""
    match = _REFERENCE.fullmatch(reference)
    return None if match is None else HubName(match.group(1), match.group(2) or "")


def endpoint() -> str:
    """The hub's address."""
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def too_large(what: str) -> CorpusError:
    """The error for a file larger than any corpus may be."""
    return CorpusError("E-TOO-BIG", f"{what} is larger than {gibibytes(LIMITS.archive_bytes)}.")


@contextmanager
def connection(what: str, *, absent: Callable[[int], UserError] | None = None, advice: str = _ADVICE) -> Iterator[None]:
    """A guard around every connection: none while offline, and a sentence for each failure.

    ``absent`` makes another error of the status that says: not here, or hidden from strangers.
    """
    if is_offline():
        message = f"{what} must be downloaded, but this process is offline (HF_HUB_OFFLINE is set)."
        raise NetworkError("E-NO-NETWORK", f"{message} {advice}")
    from huggingface_hub.errors import HfHubHTTPError, HTTPError  # of whichever client the library is built on

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status not in (401, 403, 404):
            raise NetworkError(
                "E-NO-NETWORK", f"{what} could not be downloaded (its server answered {status}). {advice}"
            ) from None
        if absent is not None:
            raise absent(status) from None
        message = f"There is no public {what} at {error.response.url.host} (it answered {status})."
        raise CorpusError("E-DATASET-ID", f"{message} Check its name and revision.") from None
    except (HTTPError, OSError) as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise NetworkError("E-NO-NETWORK", f"{what} could not be downloaded ({reason}). {advice}") from None


def is_offline() -> bool:
    """Whether the user or a worker's task forbids connections."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def listing(kind: str, name: str, revision: str) -> tuple[str, list[HubFile]]:
    """The commit (40 hex digits) that a revision of a ``model`` or ``dataset`` currently refers to, and its files."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionNotFoundError

    limit = LIMITS.download_timeout_seconds
    with _understood():
        try:
            repository: Any = HfApi(endpoint()).repo_info(  # the library checks nothing of what it takes apart
                name, files_metadata=True, repo_type=kind, revision=revision, timeout=limit
            )
        except RevisionNotFoundError:
            message = f"{name} is on the hub, but has no branch, tag or commit {revision!r}."
            advice = "Choose one of its page Files, or leave the revision out for the newest."
            raise UserError("E-REVISION", f"{message} {advice}") from None
        files = [HubFile(file.rfilename, file.size, file.lfs and file.lfs.sha256) for file in repository.siblings or []]
        if not re.fullmatch(r"[0-9a-f]{40}", repository.sha):
            raise ValueError(f"no commit, but {repository.sha[:60]!r}")
        if not all(isinstance(file.path, str) and file.size >= 0 for file in files):
            raise ValueError("a file without name or size")
    return repository.sha, files


def pull_requests(name: str, author: str) -> list[int]:
    """The numbers of the pull requests that one account opened for a model; anyone may open some, so we check."""
    from huggingface_hub import HfApi

    session()
    with _understood():
        discussions = HfApi(endpoint()).get_repo_discussions(name, author=author, discussion_type="pull_request")
        return [offer.num for offer in discussions if offer.is_pull_request and offer.author == author]


def download_file(
    kind: str, name: str, commit: str, file: HubFile, path: Path, report: Callable[[int, int], None]
) -> str:
    """Download a listed file of a commit, of exactly the promised size and hash; returns its SHA-256."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    address = hf_hub_url(name, file.path, repo_type=kind, revision=commit, endpoint=endpoint())
    return download(address, path, report, file=file, headers=build_hf_headers())


def download(
    address: str,
    path: Path,
    report: Callable[[int, int], None],
    *,
    file: HubFile | None = None,
    headers: dict[str, str] | None = None,
) -> str:
    """Stream a file to disk, up to the listed size or that of the largest corpus; returns its SHA-256.

    ``report`` is called with the bytes so far, and of how many.
    """
    from huggingface_hub.utils import hf_raise_for_status

    path.parent.mkdir(parents=True, exist_ok=True)
    digest, got = hashlib.sha256(), 0
    most = LIMITS.archive_bytes if file is None else file.size
    headers = (headers or {}) | {"Accept-Encoding": "identity"}  # then lengths are those of the file
    with session().stream("GET", address, headers=headers) as answer, path.open("wb") as target:
        hf_raise_for_status(answer)
        total = int(answer.headers.get("Content-Length", 0)) if file is None else file.size
        for part in answer.iter_bytes(2**20):
            got += len(part)
            if got > most:
                break
            digest.update(part)
            target.write(part)
            report(got, total)
    if file is None and got > most:
        raise too_large(address.rpartition("/")[2])
    if file is not None and (got != most or file.sha256 not in (None, digest.hexdigest())):
        raise NetworkError(
            "E-DOWNLOAD", f"{file.path} should have {most:,} bytes, but a different file arrived. Try again."
        )
    return digest.hexdigest()


def session() -> Any:
    """The library's client; all calls share it, and none waits forever for the hub."""
    from huggingface_hub import get_session

    client = get_session()
    client.timeout = LIMITS.download_timeout_seconds
    return client


@contextmanager
def _understood() -> Iterator[None]:
    """Turns errors of the library on malformed hub answers into one sentence."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HfHubHTTPError:  # of which one is a ValueError too
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = (
            f"A list of files was expected, but the hub answered something else ({type(error).__name__}: {error})."
        )
        raise NetworkError("E-HUB-ANSWER", f"{message} Try again later.") from None


def hub_cache() -> Path:
    """The folder where hub libraries keep their downloads, following their environment variables."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home, "hub")).expanduser()


def cached_model(name: HubName) -> tuple[str, Path] | None:
    """The commit and folder of a model that other libraries fetched; of the branch or tag, if one is given."""
    repository = hub_cache() / f"models--{name.repository.replace('/', '--')}"
    revision = name.revision or "main"
    reference = repository / "refs" / revision
    commit = reference.read_text(encoding="ascii").strip() if reference.is_file() else revision
    folder = repository / "snapshots" / commit
    return (commit, folder) if re.fullmatch(r"[0-9a-f]{40}", commit) and folder.is_dir() else None


def snapshot_folder(dataset: str, revision: str) -> Path:
    """The folder of ``owner/name`` at a commit, whether it exists or not."""
    return hub_cache() / f"datasets--{dataset.replace('/', '--')}" / "snapshots" / revision


def cached_dataset(dataset: str, revision: str, under: str = "") -> Path | None:
    """That folder if it is complete: all files of our own list, or whatever other tools downloaded.

    ``under``: one folder of the data set, where no more of it is wanted.
    """
    folder = snapshot_folder(dataset, revision)
    if not (folder / under).is_dir():
        return None
    files = listed_files(dataset, revision, under)
    if files is not None:
        return folder if all((folder / file).exists() for file in files) else None
    present = (path for path in (folder / under).rglob("*") if path.is_file())
    return folder if any(path.name not in ("README.md", ".gitattributes") for path in present) else None


def listed_files(dataset: str, revision: str, under: str = "") -> list[str] | None:
    """The files of a data set that we (began to) download; None if only others downloaded it."""
    return (read_json_if_whole(_list(dataset, revision, under)) or {}).get("files")


def keep_list(dataset: str, revision: str, files: list[str], under: str = "") -> None:
    """Record, before a download begins, which files belong to it: half a data set counts as none."""
    write_json(_list(dataset, revision, under), {"dataset": dataset, "revision": revision, "files": files})


def _list(dataset: str, revision: str, under: str) -> Path:
    part = f"@{under.replace('/', '--')}" if under else ""
    return store_root() / "benchmarks" / "datasets" / f"{dataset.replace('/', '--')}@{revision}{part}.json"
