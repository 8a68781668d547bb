"""Where the store lies, and how a file appears whole or not at all."""

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from embedlab.errors import StoreError

ROOMS = frozenset(  # the folders in the store
    "ask benchmarks corpora encoders finds index jobs lessons locks maps pairs runs selections sets studies trash "
    "uploads vocabularies".split()
)
_SCRATCH = ("scratch-", "shared-")  # begin the names of what is there for a moment


def store_root() -> Path:
    """The folder of corpora, runs and encoders: ``EMBEDLAB_HOME``, else the platform's user data directory.

    It is its owner's alone, also where it was made with wider modes.

    Raises
    ------
    StoreError
        there can be no folder, as below a file or on a disk that is read-only.
    """
    root = named_root()
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        _close_to_others(root)
        return root.resolve()
    except (OSError, ValueError) as error:
        raise _no_store(root, error) from error


def make_folder(path: Path) -> None:
    """A folder and its parents, where they are missing; those in the store are closed to others."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=_folder_mode(path))


def _no_store(root: Path, error: OSError | ValueError) -> StoreError:
    """What is in the way, and by which name it was asked for."""
    asked = "EMBEDLAB_HOME names" if os.environ.get("EMBEDLAB_HOME") else "the store is in"
    file = (
        next((each for each in (root, *root.parents) if os.path.isfile(each)), None) if "\0" not in str(root) else None
    )
    if is_disk_full(error):
        why = "the disk is full"
    elif file is not None:
        why = f"{str(file)!r} is a file"
    else:
        why = (getattr(error, "strerror", None) or str(error)).lower()
    return StoreError(
        "E-STORE-HOME",
        f"The store needs a folder, and {asked} {str(root)!r}, which cannot be created or opened: {why}. Set "
        f"EMBEDLAB_HOME to a folder that you can write to.",
    )


def named_root() -> Path:
    """Where the store is to lie, whether it is there or not."""
    home = os.environ.get("EMBEDLAB_HOME")
    return Path(home).expanduser() if home else Path(platformdirs.user_data_dir("embedlab", appauthor=False))


def is_in_store(path: Path) -> bool:
    """Whether a path lies in it, by name or behind links."""
    return path.absolute().is_relative_to(named_root().absolute()) or path.resolve().is_relative_to(
        named_root().resolve()
    )


def _folder_mode(path: Path) -> int:
    return 0o700 if is_in_store(path) else 0o777


def _close_to_others(root: Path) -> None:
    """A folder that also holds what is not ours keeps its mode, as ``/tmp`` must; then our folders in it are closed."""
    if os.name == "nt" or not root.stat().st_mode & 0o077:
        return
    entries = [entry for entry in os.scandir(root) if not entry.name.startswith(".")]
    ours = [entry.path for entry in entries if entry.name in ROOMS or entry.name.startswith(_SCRATCH)]
    for folder in [root] if len(ours) == len(entries) else ours:
        with suppress(PermissionError):  # another's: only they can
            os.chmod(folder, 0o700)


@contextmanager
def alone(name: str, waiting: Callable[[], None]) -> Iterator[None]:
    """No two processes do at once what this name stands for; ``waiting`` is called each second until it is our turn."""
    lock = FileLock(store_root() / "locks" / f"{name}.lock")
    make_folder(Path(lock.lock_file).parent)
    while True:
        try:
            lock.acquire(timeout=1)
            break
        except Timeout:
            waiting()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; on success it is synced and takes the name ``path``, else it is gone."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield beside
        _close([beside])
        _sync(beside)
        os.replace(beside, path)
        _sync(path.parent)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` to fill; on success it takes its name (what was there goes), else it is gone."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    beside.mkdir(mode=_folder_mode(path))
    try:
        yield beside
        files = list(beside.rglob("*"))
        _close(files)
        for file in files:
            _sync(file)
        if path.exists():
            old = path.with_name(f".{path.name}.{secrets.token_hex(4)}.old")
            os.replace(path, old)
            try:
                os.replace(beside, path)
            except OSError:
                os.rename(old, path)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            os.replace(beside, path)
        _sync(path.parent)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def by_number(path: Path | str) -> list[str | int]:
    """A key to sort names by: ``step-999999`` before ``step-1000000``, which comes first as text."""
    parts = re.split(r"([0-9]+)", str(path))  # text and digits in turns
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def is_disk_full(error: BaseException) -> bool:
    """Whether there was no room for what was written; safetensors says so in words only."""
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "No space left on device" in str(error)


def write_json(path: Path, value: object) -> None:
    """One readable JSON file, whole or absent."""
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


class UnreadableFile(OSError, ValueError):
    """A file that is there and is not the JSON object it should be, or that the system does not let us read."""


def read_json(path: Path) -> dict:
    """The object that ``write_json`` wrote.

    Raises
    ------
    FileNotFoundError
        there is no such file.
    UnreadableFile
        there is something else: both an OSError and a ValueError, as those who read one file of many expect.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from None
    except OSError as error:
        raise UnreadableFile(error.errno, error.strerror, str(path)) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UnreadableFile(f"{path} does not contain a JSON object.")
    return found


def _close(files: list[Path]) -> None:
    """What libraries wrote with modes of their own, where it lies in the store."""
    if files and os.name != "nt" and is_in_store(files[0]):
        for file in files:
            os.chmod(file, 0o700 if file.is_dir() else 0o600)


def _sync(path: Path) -> None:
    """Push a file or a folder's entry to the disk (folders cannot be opened for this on Windows)."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def discard(path: Path) -> None:
    """A folder of the store: out of sight at once, then off the disk."""
    trash = store_root() / "trash"
    make_folder(trash)
    gone = trash / f"{path.name}-{secrets.token_hex(4)}"
    os.replace(path, gone)
    shutil.rmtree(gone, ignore_errors=True)
