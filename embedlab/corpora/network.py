"""The only way out: one file from one address, with its size shown, or one sentence saying why not."""

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path

from embedlab.errors import CorpusError, NetworkError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent


def refuse_offline(what: str) -> None:
    """An error where this process was started to stay offline."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise NetworkError(
            "E-NO-NETWORK", f"{what} must be fetched, but this process is offline (HF_HUB_OFFLINE is set)."
        )


def no_network(what: str, error: Exception) -> NetworkError:
    """The sentence for a connection that could not be made or broke."""
    reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
    advice = "Check the connection, or download it elsewhere and give the file by its path."
    return NetworkError("E-NO-NETWORK", f"{what} could not be fetched ({reason}). {advice}")


def fetch_json(address: str, *, what: str) -> dict:
    """The JSON object at an address."""
    from httpx import HTTPError

    with _answer(address, what) as answer:
        try:
            answer.read()
            found = answer.json()
        except (HTTPError, ValueError) as error:
            raise no_network(what, error) from None
    return found if isinstance(found, dict) else {}


def download(address: str, path: Path, *, what: str, progress: Progress = silent, size: int = 0) -> None:
    """The file at an address, written to ``path`` as it comes."""
    from httpx import HTTPError

    with _answer(address, what) as answer, path.open("wb") as file:
        total = int(answer.headers.get("Content-Length", 0)) or size
        try:
            for part in answer.iter_bytes(2**18):
                file.write(part)
                done = answer.num_bytes_downloaded  # on the wire, which is what Content-Length counts
                if file.tell() > LIMITS.archive_bytes:
                    raise CorpusError("E-TOO-BIG", f"{what} is larger than {LIMITS.archive_bytes / 2**30:.0f} GiB.")
                progress(f"Downloading {what} ({total / 2**20:,.1f} MiB)", done, total)
        except HTTPError as error:
            raise no_network(what, error) from None


@contextmanager
def _answer(address: str, what: str):
    """The open answer of a server that has what is asked for."""
    import httpx

    refuse_offline(what)
    with ExitStack() as open_until_read:
        try:
            asked = httpx.stream("GET", address, follow_redirects=True, timeout=LIMITS.download_timeout_seconds)
            answer = open_until_read.enter_context(asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise no_network(what, error) from None
        if answer.status_code in (401, 403, 404):
            message = f"There is no public {what} at {address.split('/')[2]} (it answered {answer.status_code})."
            raise CorpusError("E-DATASET-ID", f"{message} Check its name and revision.")
        if answer.status_code != 200:
            raise no_network(what, OSError(f"its server answered {answer.status_code}"))
        yield answer
