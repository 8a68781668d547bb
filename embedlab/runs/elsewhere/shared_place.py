"""A place that both sides of a run reach where they share no folder: any URL that fsspec opens, laid out as a store."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from embedlab.errors import RunError
from embedlab.private import holds_secret
from embedlab.store_root import whole_file

SHARED = "EMBEDLAB_SHARED"


def shared_url() -> str | None:
    """What ``EMBEDLAB_SHARED`` names; None where both sides share the store's folder.

    Raises
    ------
    RunError
        it carries a password or a signature, which would be stored with the run.
    """
    url = os.environ.get(SHARED, "").strip() or None
    if url is not None and holds_secret(url):
        raise RunError(
            "E-SHARED-SECRET",
            f"{SHARED} is a URL without password, token or query, because it is stored with each run, but the one "
            "given has some. Put them on each machine where fsspec reads them: ~/.config/fsspec/conf.json (mode 0600), "
            "FSSPEC_…, or the protocol's own (AWS_…, GOOGLE_…, AZURE_…, ~/.ssh).",
        )
    return url


class SharedPlace:
    """Files by their names below the URL. Each appears whole, on either side: half written ones lie in ``parts/``,
    because fsspec leaves a folder out of a listing in which a file goes meanwhile.

    Raises
    ------
    RunError
        it cannot be opened, read or written, in a sentence; from every call.
    """

    def __init__(self, url: str):
        self.url = url
        self._made: set[str] = set()
        with self._said("opened"):
            import fsspec

            self.fs, root = fsspec.url_to_fs(url)
            self.root = root.rstrip("/")

    def files(self, under: str) -> dict[str, dict]:
        """What lies below a name, or the file of that name, with what the place says of each; nothing where none is."""
        with self._said("read"):
            self.fs.invalidate_cache()
            try:
                found = self.fs.find(self._path(under), detail=True)
            except FileNotFoundError:
                return {}
            return {path.removeprefix(f"{self.root}/"): info or self.fs.info(path) for path, info in found.items()}

    def put(self, here: Path, name: str) -> dict:
        """Copy a file there; what the place says of it. A file that is gone meanwhile raises FileNotFoundError."""
        try:
            return self._whole(name, lambda part: self.fs.put_file(str(here), part))
        except FileNotFoundError:
            if not here.exists():
                raise
            self._made.clear()
            raise RunError("E-SHARED", f"The folder of {name} went from the shared place {self.url}.") from None

    def write(self, name: str, contents: bytes) -> dict:
        """A small file there; what the place says of it."""
        return self._whole(name, lambda part: self.fs.pipe_file(part, contents))

    def get(self, name: str, here: Path) -> None:
        """Copy a file here; one that is gone there meanwhile raises FileNotFoundError."""
        with self._said("read"), whole_file(here) as beside:
            self.fs.get_file(self._path(name), str(beside))

    def read(self, name: str) -> bytes:
        """The contents of a small file."""
        with self._said("read"):
            return self.fs.cat_file(self._path(name))

    def remove(self, name: str) -> None:
        """A file, or all that lies below a name; nothing there is no mistake."""
        with self._said("written"):
            try:
                self.fs.rm(self._path(name), recursive=True)
            except FileNotFoundError:
                pass

    def age(self, name: str) -> float:
        """Seconds since a file was written, by the clock of the place: that of a file written now."""
        clock = f"{PurePosixPath(name).parent}/clock"
        with self._said("written"):
            self.fs.pipe_file(self._path(clock), b".")
            self.fs.invalidate_cache()
            written = [self.fs.modified(self._path(each)) for each in (clock, name)]
            return max(0.0, (written[0] - written[1]).total_seconds())

    def _whole(self, name: str, write: Callable[[str], None]) -> dict:
        there, part = self._path(name), self._path(f"parts/{secrets.token_hex(8)}")
        for parent in {str(PurePosixPath(path).parent) for path in (there, part)} - self._made:
            with self._said("written", gone=None):
                self.fs.makedirs(parent, exist_ok=True)
            self._made.add(parent)
        with self._said("written"):
            write(part)
            self.fs.mv(part, there)
            return self.fs.info(there)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    @contextmanager
    def _said(self, what: str, gone: type[Exception] | None = FileNotFoundError) -> Iterator[None]:
        """Whatever goes wrong behind a URL, as a sentence: each protocol has errors of its own. ``gone`` passes."""
        try:
            yield
        except Exception as error:
            if isinstance(error, RunError) or (gone is not None and isinstance(error, gone)):
                raise
            said = " ".join(str(error).split())[:300] or type(error).__name__
            raise RunError(
                "E-SHARED", f"The shared place {self.url} ({SHARED}) cannot be {what}: {said.rstrip('.')}."
            ) from error
