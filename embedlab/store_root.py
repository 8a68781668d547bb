"""The store's location, and atomic writes: a file appears whole or not at all."""

import errno
import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import platformdirs

from embedlab.errors import StoreError
from embedlab.half_written import held_folder, held_part, part_of, remove_abandoned
from embedlab.machine_refusals import is_disk_full, is_short
from embedlab.paths import STORE, make_variables_absolute

ROOMS = frozenset(  # the folders in the store
    "ask benchmarks corpora encoders finds guesses index jobs lessons locks maps pairs runs scratch selections sets "
    "studies trash uploads vocabularies".split()
)
ROOM_MARK = ".embedlab-room"  # the file in each room that embedlab made; a folder of that name without it is the user's
_ROOM_SENTENCE = (
    "embedlab made this folder. What embedlab wrote into it may be counted, pruned and swept; other files stay.\n"
)
_OWNERS = {"runs": "run", "jobs": "job", "studies": "study", "finds": "Find", "corpora": "corpus"}  # by room
_MADE_AGAIN = frozenset("clusters diagnostics film lab layers length maps moves neighbors units".split())  # in a run
STORE_MARK = ".store-id"  # the file by which a store is known again
TOMBSTONE = ".deleted"  # ends the name of the file that a deleted folder leaves in the trash
_marks: dict[Path, tuple[str, tuple[int, int, int]]] = {}  # by store: its id, and which file said so
Json = dict[str, Any]  # one JSON object, read or to be written


class LostStore(StoreError):
    """There is no store where there should be one."""


def store_root() -> Path:
    """The folder of corpora, runs and encoders: ``EMBEDLAB_HOME``, else the platform's user data directory.

    It is its owner's alone, also where it was made with wider modes. Raises ``LostStore`` if there can be no folder,
    as below a file or on a read-only disk, or if the store that this process worked in is gone, as when its disk was
    unmounted.
    """
    root = named_root()
    try:
        if root in _marks:
            _require_same(root)
        else:
            root.mkdir(parents=True, exist_ok=True, mode=0o700)
            _mark(root)
        _close_to_others(root)
        return root.resolve()
    except (OSError, ValueError) as error:
        raise error if isinstance(error, StoreError) else _no_store(root, error) from error


def _mark(root: Path) -> None:
    """Mark the store so that it is recognised again; one that cannot be written to has no mark."""
    file = root / STORE_MARK
    with suppress(OSError):
        with suppress(FileExistsError), open(file, "x", encoding="ascii") as opened:
            opened.write(secrets.token_hex(8))
        require_regular(file)
        if store_id := file.read_text(encoding="ascii"):
            _marks[root] = store_id, _identity(file)


def _identity(file: Path) -> tuple[int, int, int]:
    status = os.stat(file)
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _require_same(root: Path) -> None:
    """Refuse to work in what has replaced the store: it would be filled as if it were new."""
    file, (store_id, identity) = root / STORE_MARK, _marks[root]
    with suppress(FileNotFoundError, NotADirectoryError):
        if _identity(file) == identity:
            return
        require_regular(file)
        if file.read_text(encoding="ascii") == store_id:  # its disk was mounted again
            _marks[root] = store_id, _identity(file)
            return
    if not file.exists() and any((root / room).is_dir() for room in ROOMS):  # somebody deleted the mark alone
        return
    raise LostStore(
        "E-STORE-GONE",
        f"The store ({root}) has gone, or there is another one in its place. Mount its disk again, or restart embedlab "
        f"to work with what is there now.",
    )


def make_folder(path: Path) -> None:
    """Create a folder and its parents, in the store closed to other users; a StoreError in what ``discard`` deleted."""
    if path.is_dir():
        return
    if in_store(path):
        store_root()  # which is not made anew where it was lost
        if (tombstone := tombstone_of(path)) is not None and tombstone.exists():
            raise StoreError("E-DELETED", f"{_name_of(path)} was deleted meanwhile, so nothing more is written there.")
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700 if is_in_store(path) else 0o777)
        if in_store(path) == (path.name,) and path.name in ROOMS:
            mark_room(path.name)


def mark_room(room: str) -> None:
    """Record that a folder of the store is embedlab's own."""
    mark = named_root() / room / ROOM_MARK
    with suppress(FileExistsError), open(mark, "x", encoding="utf-8") as file:
        file.write(_ROOM_SENTENCE)
        os.chmod(mark, 0o600)


def is_own_room(room: str) -> bool:
    """Return whether embedlab made this folder of the store. In any other nothing is swept, pruned or counted."""
    try:
        mark = named_root() / room / ROOM_MARK
        return stat.S_ISREG(os.lstat(mark).st_mode) and mark.read_text(encoding="utf-8") == _ROOM_SENTENCE
    except (OSError, ValueError):
        return False


def _no_store(root: Path, error: OSError | ValueError) -> LostStore:
    """The error that says what is in the way, and the name it was given by."""
    origin = "EMBEDLAB_HOME names" if os.environ.get("EMBEDLAB_HOME") else "the store is in"
    file = next((each for each in (root, *root.parents) if "\0" not in str(root) and os.path.isfile(each)), None)
    if is_disk_full(error):
        why = "the disk is full"
    elif file is not None:
        why = f"{str(file)!r} is a file"
    else:
        why = (getattr(error, "strerror", None) or str(error)).lower()
    return LostStore(
        "E-STORE-HOME",
        f"The store needs a folder, and {origin} {str(root)!r}, which cannot be created or opened: {why}. Set "
        f"EMBEDLAB_HOME to a folder that you can write to.",
    )


def named_root() -> Path:
    """The intended location of the store, whether it exists or not."""
    home = os.environ.get(STORE)
    if home and not os.path.isabs(home):  # set after the first import, as a notebook may
        make_variables_absolute()
        home = os.environ[STORE]
    return Path(home).expanduser() if home else Path(platformdirs.user_data_dir("embedlab", appauthor=False))


def in_store(path: Path) -> tuple[str, ...]:
    """The parts of a path below the store's folder, such as ``("runs", "0mv8w3k1pabcd")``; () outside."""
    for root in (named_root().absolute(), named_root().resolve()):
        if path.absolute().is_relative_to(root):
            return path.absolute().relative_to(root).parts
    return ()


def is_in_store(path: Path) -> bool:
    """Whether a path lies in the store, by name or through links."""
    return bool(in_store(path)) or path.resolve().is_relative_to(named_root().resolve())


def _close_to_others(root: Path) -> None:
    """A folder shared with other content keeps its mode, as ``/tmp`` must; then our folders in it are closed."""
    if os.name == "nt" or not root.stat().st_mode & 0o077:
        return
    entries = [entry for entry in os.scandir(root) if not entry.name.startswith(".")]
    ours = [entry.path for entry in entries if entry.name in ROOMS and is_own_room(entry.name)]
    for folder in [root] if len(ours) == len(entries) else ours:
        with suppress(PermissionError):  # another's: only they can
            os.chmod(folder, 0o700)


@contextmanager
def alone(name: str, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """A lock by name between processes; ``waiting`` is called every second until it is acquired."""
    from filelock import FileLock, Timeout

    lock = FileLock(store_root() / "locks" / f"{name}.lock")
    make_folder(Path(lock.lock_file).parent)
    while not lock.is_locked:
        try:
            lock.acquire(timeout=1)
        except Timeout:
            waiting()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file beside ``path``; on success it is synced and renamed to ``path``, else deleted.

    What killed writers of the same file left beside it is removed first.
    """
    make_folder(path.parent)
    remove_abandoned(path)
    with held_part(path, 0o600 if is_in_store(path) else 0o666) as temporary:
        try:
            yield temporary
            _close([temporary])
            _sync(temporary)
            os.replace(temporary, path)
            _sync(path.parent)
        except IsADirectoryError:
            raise UnreadableFile(path, "there is a folder in its place") from None
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; on success it replaces ``path``, otherwise it is deleted.

    What killed writers of the same folder left beside it is removed first.
    """
    make_folder(path.parent)
    remove_abandoned(path)
    with held_part(path, 0o700 if is_in_store(path) else 0o777, is_folder=True) as temporary:
        try:
            yield temporary
            files = list(temporary.rglob("*"))
            _close(files)
            for file in files:
                _sync(file)
            old = part_of(path, "old")
            with held_folder(path):  # so that nobody takes ``old`` for what a killed writer left
                if path.exists():
                    os.replace(path, old)
                try:
                    os.replace(temporary, path)
                except OSError:
                    if old.exists():
                        os.rename(old, path)
                    raise
                shutil.rmtree(old, ignore_errors=True)
            _sync(path.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_json(path: Path, value: object) -> None:
    """Write one readable JSON file, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


class UnreadableFile(StoreError, OSError, ValueError):
    """A file that is damaged, or that the system refuses to read: an OSError and a ValueError, as readers expect."""

    def __init__(self, path: Path, reason: str, number: int | None = None):
        Exception.__init__(self)
        self.code = "E-DAMAGED-FILE"
        self.path, self.reason = path, reason
        self.errno = number  # of the system, where it refused the file

    @cached_property  # of an attribute that could be set, which nobody does
    def message(self) -> str:  # type: ignore[override]
        """Which file, why, and what to do; put together when it is read: most such files may miss."""
        parts, remedy = in_store(self.path), "Restore that file from a copy, or delete it."
        if len(parts) > 3 and parts[2] in _MADE_AGAIN:
            remedy = "Delete that file and measure or draw it again."
        elif len(parts) > 2 and parts[0] in _OWNERS:
            remedy = f"Restore that file from a copy, or delete the {_OWNERS[parts[0]]} {parts[1]}."
        return f"{_name_of(self.path)} cannot be read: {self.reason}. {remedy}"

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type["UnreadableFile"], tuple]:
        """How another process reconstructs it."""
        return type(self), (self.path, self.reason, self.errno)


class MissingFile(UnreadableFile, FileNotFoundError):
    """A file that does not exist."""

    def __init__(self, path: Path, reason: str = "it is missing", number: int | None = errno.ENOENT):
        super().__init__(path, reason, number)


class MissingKey(UnreadableFile, KeyError):
    """A stored object without a value that its reader needs."""


class StoredObject(dict[str, Any]):
    """An object from a JSON file of the store; a missing key is the file's fault, not its reader's."""

    __slots__ = ("path",)

    def __init__(self, path: Path, content: dict[str, Any]):
        super().__init__(content)
        self.path = path

    def __missing__(self, key: str) -> Any:
        raise MissingKey(self.path, f"it has no {key!r}")

    def __reduce__(self) -> tuple[type, tuple]:
        """A plain object in another process."""
        return dict, (dict(self),)


def require_regular(path: Path) -> None:
    """Refuse a pipe or device, which may never end, with an OSError; a folder is left to the reader."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.ESPIPE, "it is a pipe or device", str(path))


def read_json(path: Path) -> dict[str, Any]:
    """The object written by ``write_json``; raises ``UnreadableFile``, also where a key that is read is missing."""
    try:
        require_regular(path)
        content = json.loads(path.read_text(encoding="utf-8"), object_hook=lambda each: StoredObject(path, each))
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile(path) from None
    except OSError as error:
        if is_short(error):  # of memory or open files: nothing is wrong with this file
            raise
        raise UnreadableFile(path, (error.strerror or "the system refuses it").lower(), error.errno) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(path, "it is not JSON") from error
    if not isinstance(content, dict):
        raise UnreadableFile(path, "it does not contain a JSON object")
    return content


def read_json_if_whole(path: Path) -> Json | None:
    """The same; None if the file is missing or damaged."""
    with suppress(UnreadableFile):
        return read_json(path)
    return None


def _name_of(path: Path) -> str:
    """A path relative to the store, if it lies there."""
    return "/".join(in_store(path)) or str(path)


def _close(files: list[Path]) -> None:
    """Close files of the store that libraries wrote with open modes."""
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


def tombstone_of(path: Path) -> Path | None:
    """What a deleted folder leaves; None for content that may be stored again under the same name."""
    parts = in_store(path)
    if len(parts) < 2 or parts[0] not in ("runs", "jobs", "studies", "finds"):
        return None
    return named_root() / "trash" / f"{parts[0]}-{parts[1]}{TOMBSTONE}"
