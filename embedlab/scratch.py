"""Folders for a moment, held by a lock; what is deleted; and what killed processes left, swept when nobody holds it."""

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from embedlab.store_root import SCRATCH, TOMBSTONE, in_store, make_folder, store_root, tombstone_of

QUIET_SECONDS = 24 * 3600  # no writer pauses for so long, also one on another machine
UNLOCKED_SECONDS = 3600  # the same for what a lock stands for, which is free once its process has ended
EVERY_SECONDS = 24 * 3600
_LOCK = "held.lock"
_HALF_WRITTEN = re.compile(r"\..+\.(part|old)")  # as ``atomic_write`` and ``whole_folder`` name them


@contextmanager
def scratch_folder(prefix: str = SCRATCH[0]) -> Iterator[Path]:
    """A folder in the store until the block ends; what is mapped from it stays readable."""
    from filelock import FileLock  # lists of runs do without it

    with TemporaryDirectory(prefix=prefix, dir=store_root(), ignore_cleanup_errors=True) as folder:
        lock = FileLock(Path(folder) / _LOCK)
        with suppress(OSError, NotImplementedError):  # a disk without locks
            lock.acquire(timeout=0)
        try:
            yield Path(folder)
        finally:
            lock.release()


def is_leftover(name: str) -> bool:
    """Whether a file or folder of this name is there for a moment, or was."""
    return _HALF_WRITTEN.fullmatch(name) is not None or name.startswith(SCRATCH)


def sweep() -> int:
    """Remove what nobody holds or changes any more, and what the trash still has; the number of bytes."""
    root = store_root()
    now = _disk_time(root)
    gone = [path for path in (root / "trash").glob("*") if not path.name.endswith(TOMBSTONE)]
    for folder, names, files in os.walk(root):
        leftovers = [name for name in (*names, *files) if is_leftover(name)]
        names[:] = [name for name in names if name not in leftovers and name != "trash"]
        gone += [Path(folder, name) for name in leftovers if _is_let_go(Path(folder, name), now)]
    freed = 0
    for path in gone:
        size = size_of(path)
        with suppress(OSError):
            _remove(path)
        freed += 0 if os.path.lexists(path) else size
    return freed


def sweep_daily() -> None:
    """The same at most once a day, for it looks at every folder; never a reason to fail."""
    mark = store_root() / "index" / "swept"
    with suppress(OSError):
        last = mark.stat().st_mtime if mark.exists() else float("-inf")
        if _disk_time(store_root()) - last > EVERY_SECONDS:
            mark.touch(mode=0o600)
            sweep()


def _disk_time(root: Path) -> float:
    """Now, by the clock of the store's disk, whose times it is compared with."""
    clock = root / "index" / "clock"
    make_folder(clock.parent)
    clock.touch(mode=0o600)
    return clock.stat().st_mtime


def _is_let_go(path: Path, now: float) -> bool:
    from filelock import FileLock, Timeout

    lock, quiet = path / _LOCK, QUIET_SECONDS
    if lock.exists():
        try:
            with FileLock(lock, timeout=0):
                quiet = UNLOCKED_SECONDS
        except (Timeout, OSError, NotImplementedError):
            return False
    changes = [path.lstat().st_mtime] if path.exists() else []
    for folder, _, files in os.walk(path):
        for name in files:
            if name != _LOCK:  # which looking has just touched
                with suppress(OSError):
                    changes.append(os.lstat(os.path.join(folder, name)).st_mtime)
    return bool(changes) and now - max(changes) > quiet


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; 0 of what is gone."""
    size = 0
    inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    for file in inside if path.is_dir() else [str(path)]:
        with suppress(OSError):
            size += os.lstat(file).st_size
    return size


_TOMBSTONE_SECONDS = 7 * 24 * 3600  # no worker begins so long after it was started


def discard(path: Path) -> None:
    """Delete a folder of the store: hidden at once, then removed from disk.

    A run, job, study or Find leaves a tombstone, so that writers that are late do not bring it back; what lies in one
    leaves none.
    """
    trash = store_root() / "trash"
    make_folder(trash)
    for old in trash.glob(f"*{TOMBSTONE}"):
        with suppress(FileNotFoundError):  # another process tidies too
            if time.time() - old.stat().st_mtime > _TOMBSTONE_SECONDS:
                old.unlink()
    tombstone = tombstone_of(path) if len(in_store(path)) == 2 else None
    if tombstone is not None:
        tombstone.touch(mode=0o600)
    gone = trash / f"{path.name}-{secrets.token_hex(4)}"
    try:
        os.replace(path, gone)
    except OSError:
        if tombstone is not None:
            tombstone.unlink(missing_ok=True)
        raise
    _remove(gone)
