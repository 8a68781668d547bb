"""Change a file that several processes change: read, changed and written whole under a lock, so that no change is lost.

The locks are a fixed number of empty files in the store, and the path of a file chooses one of them. So nothing
accumulates there, and two files that share a lock only wait for each other.
"""

import errno
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, overload

from embedlab.errors import StoreError
from embedlab.store_root import (
    Json,
    in_store,
    make_folder,
    named_root,
    read_json,
    read_json_if_whole,
    store_root,
    tombstone_of,
    write_json,
)

LOCKS = 64
PATIENCE_SECONDS = 30.0  # for other processes that change the same file; each needs milliseconds
_POLL_SECONDS = 0.005
_NO_LOCKS_HERE = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)  # of a disk without kernel locks
_WITHOUT_TOMBSTONES = ("corpora", "sets")  # rooms of content whose folders appear whole, and are deleted without one
_in_process = [threading.Lock() for _ in range(LOCKS)]  # between threads, also on a disk without locks
_here = threading.local()  # ``file``: the file that this thread is changing
Content = TypeVar("Content")


@overload
def update(file: Path, change: Callable[[Json], Json | None]) -> Json: ...


@overload
def update(
    file: Path,
    change: Callable[[Content], Content | None],
    *,
    read: Callable[[Path], Content],
    write: Callable[[Path, Content], object] = ...,
) -> Content: ...


def update(
    file: Path,
    change: Callable[..., object],
    *,
    read: Callable[[Path], object] = read_json,
    write: Callable[..., object] = write_json,
) -> object:
    """Read a file, change its content and write it whole, while no other process or thread does; return the content.

    ``change`` returns the new content, or None to leave the file as it is. It must be quick, because others wait, and
    it may not update a file itself. ``read`` says what a missing file contains, or raises.

    Raises
    ------
    StoreError
        the run, study, Find or corpus of the file was deleted meanwhile (E-DELETED), or others changed the file for
        half a minute (E-STORE-BUSY).
    """
    with changing(file):
        _require_owner(file)
        try:
            before = read(file)
            after = change(before)
            if after is None:
                return before
            write(file, after)
            return after
        except FileNotFoundError:
            _require_owner(file)
            raise


def update_json(file: Path, change: Callable[[Json], Json | None]) -> Json:
    """Do the same with an object of JSON, which is empty where the file is missing or damaged."""
    return update(file, change, read=_object_or_empty)


def _object_or_empty(file: Path) -> Json:
    return read_json_if_whole(file) or {}


def lock_number(file: Path) -> int:
    """Return which of the locks is the file's: the same for every process, however the file is named."""
    path = str(file.parent.resolve() / file.name)
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=4).digest()) % LOCKS


@contextmanager
def changing(file: Path) -> Iterator[None]:
    """Hold the lock of a file between threads and between processes. Use this where a change is of a whole folder.

    Raises
    ------
    StoreError
        others held it for half a minute (E-STORE-BUSY).
    """
    if (outer := getattr(_here, "file", None)) is not None:
        raise RuntimeError(f"{file} was to be changed while {outer} is being changed: one change would be lost.")
    number, ends = lock_number(file), time.monotonic() + PATIENCE_SECONDS
    if not _in_process[number].acquire(timeout=PATIENCE_SECONDS):
        raise _busy(file)
    _here.file = file
    try:
        with _kernel_lock(number, file, max(0.0, ends - time.monotonic())):
            yield
    finally:
        _here.file = None
        _in_process[number].release()


@contextmanager
def _kernel_lock(number: int, file: Path, seconds: float) -> Iterator[None]:
    from filelock import FileLock, Timeout  # lists of runs do without it

    lock_file = store_root() / "locks" / f"update-{number:02d}.lock"
    make_folder(lock_file.parent)
    lock = FileLock(lock_file, mode=0o600, poll_interval=_POLL_SECONDS, fallback_to_soft=False)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise _busy(file) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            raise
    try:
        yield
    finally:
        lock.release()


def _require_owner(file: Path) -> None:
    """Refuse to bring back a folder of the store that was deleted."""
    parts = in_store(file)
    if len(parts) < 3 or (named_root() / parts[0] / parts[1]).is_dir():
        return
    tombstone = tombstone_of(file)
    if parts[0] in _WITHOUT_TOMBSTONES or (tombstone is not None and tombstone.exists()):
        what = f"{parts[0]}/{parts[1]}"
        raise StoreError("E-DELETED", f"{what} was deleted meanwhile, so nothing more is written there.")


def _busy(file: Path) -> StoreError:
    name = "/".join(in_store(file)) or str(file)
    message = f"{name} should be free within {PATIENCE_SECONDS:.0f} seconds, but other processes keep changing it. "
    return StoreError("E-STORE-BUSY", f"{message}Try again; if it stays so, end what works on this store and retry.")
