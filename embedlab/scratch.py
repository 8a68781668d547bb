"""Folders for a moment, in the store's room ``scratch``; and the sweep of what killed processes left.

Nothing is removed because of its name alone: a scratch folder holds a marker that embedlab wrote and a lock that is
free, and a half-written file has the exact name that its writer gives it, in a room that embedlab made.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from embedlab.half_written import remove_if_free, target_of
from embedlab.store_root import ROOMS, is_own_room, make_folder, store_root

QUIET_SECONDS = 24 * 3600  # no writer pauses for so long, also one on another machine
UNLOCKED_SECONDS = 3600  # the same for a scratch folder, whose lock is free once its process has ended
EVERY_SECONDS = 24 * 3600
SCRATCH = "scratch"  # the room
USERS_ROOMS = frozenset(["lessons", "selections", "sets"])  # what a person made; never swept
_NOT_SWEPT = USERS_ROOMS | {SCRATCH, "trash"}
_LOCK = "held.lock"
_MARKER = "scratch.marker"
_NAME = re.compile("[0-9a-f]{16}")
_LOCK_OF_ONE = re.compile(r"(neighbors|map|labels)-[0-9a-z-]+\.lock")  # named by a run, a map or a corpus


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder in the store until the block ends; what is mapped from it stays readable."""
    from filelock import FileLock  # lists of runs do without it

    folder = new_scratch_folder()
    lock = FileLock(folder / _LOCK)
    with suppress(OSError, NotImplementedError):  # a disk without locks
        lock.acquire(timeout=0)
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def new_scratch_folder() -> Path:
    """Make a marked folder that another process removes; if none does, the sweep does once it is quiet."""
    folder = store_root() / SCRATCH / token_hex(8)
    make_folder(folder)
    (folder / _MARKER).write_text(folder.name, encoding="ascii")
    return folder


def remove_scratch_folder(folder: Path) -> None:
    """Remove what ``new_scratch_folder`` made."""
    if _is_marked(folder):
        shutil.rmtree(folder, ignore_errors=True)


def remove_now(path: Path) -> None:
    """Remove a file or folder of the store that embedlab made: out of sight at once, then from the disk.

    Raises OSError if it cannot be moved; then it stays as it was.
    """
    with scratch_folder() as aside:
        os.replace(path, aside / "removed")


def is_leftover(parts: tuple[str, ...]) -> bool:
    """Return whether the sweep may remove this file, given by its path in the store, once nobody holds it."""
    if not is_own_room(parts[0]):
        return False
    if parts[0] == SCRATCH:
        return len(parts) > 1 and _is_marked(store_root() / SCRATCH / parts[1])
    return parts[0] not in _NOT_SWEPT and any(target_of(name) is not None for name in parts[1:])


def sweep() -> int:
    """Remove what killed processes left and nobody holds; return the number of bytes."""
    root = store_root()
    now = disk_time_of(root)
    freed = 0
    remove_free_locks()
    for path in [*_half_written(root), *_abandoned_scratch(root)]:
        size = size_of(path)
        if _is_quiet(path, now) and _remove(path):
            freed += size
    return freed


def remove_free_locks() -> None:
    """Remove the lock files of single maps, neighbor graphs and corpora that nobody holds, so that they do not pile up.

    filelock takes a lock again if its file was removed before it was taken (``st_nlink`` of 0).
    """
    from filelock import FileLock, Timeout

    room = store_root() / "locks"
    if not is_own_room("locks"):
        return
    for name in filter(_LOCK_OF_ONE.fullmatch, os.listdir(room)):
        with suppress(OSError, Timeout, NotImplementedError):
            if (room / name).lstat().st_size == 0:
                with FileLock(room / name, timeout=0):
                    (room / name).unlink()


def _half_written(root: Path) -> Iterator[Path]:
    for room in sorted(ROOMS - _NOT_SWEPT):
        if not is_own_room(room):
            continue
        for folder, names, files in os.walk(root / room):
            leftovers = [name for name in (*names, *files) if target_of(name) is not None]
            names[:] = [name for name in names if name not in leftovers]
            yield from (Path(folder, name) for name in leftovers)


def _abandoned_scratch(root: Path) -> Iterator[Path]:
    if is_own_room(SCRATCH):
        for name in os.listdir(root / SCRATCH):
            folder = root / SCRATCH / name
            if _is_marked(folder):
                yield folder


def _is_marked(folder: Path) -> bool:
    """Return whether embedlab made this folder of the room ``scratch``."""
    if not _NAME.fullmatch(folder.name) or folder.is_symlink():
        return False
    try:
        return (folder / _MARKER).read_text(encoding="ascii") == folder.name
    except (OSError, ValueError):
        return False


def _is_quiet(path: Path, now: float) -> bool:
    """Return whether nothing in it has changed for long enough. ``now`` is by the clock of the store's disk."""
    patience = UNLOCKED_SECONDS if path.parent.name == SCRATCH and (path / _LOCK).exists() else QUIET_SECONDS
    changes = []
    with suppress(OSError):
        changes.append(path.lstat().st_mtime)
    for folder, _, files in os.walk(path):
        for name in files:
            with suppress(OSError):
                changes.append(os.lstat(os.path.join(folder, name)).st_mtime)
    return bool(changes) and now - max(changes) > patience


def _remove(path: Path) -> bool:
    """Remove a leftover whose lock is free; return whether it is gone."""
    from filelock import FileLock, Timeout

    if path.parent.name != SCRATCH:
        return remove_if_free(path)
    if (path / _LOCK).exists():
        try:
            FileLock(path / _LOCK, timeout=0).acquire().lock.release()
        except (Timeout, OSError, NotImplementedError):
            return False
    shutil.rmtree(path, ignore_errors=True)
    return not path.exists()


def is_daily_sweep_due() -> bool:
    """Return whether a day has passed since this last returned True; a store that cannot be written to is never due."""
    mark = store_root() / "index" / "swept"
    try:
        last = mark.stat().st_mtime if mark.exists() else float("-inf")
        if disk_time_of(store_root()) - last > EVERY_SECONDS:
            mark.touch(mode=0o600)
            return True
    except OSError:
        pass
    return False


def disk_time_of(root: Path) -> float:
    """Return the time by the clock of the store's disk, with which the times of its files are compared."""
    clock = root / "index" / "clock"
    make_folder(clock.parent)
    clock.touch(mode=0o600)
    return clock.stat().st_mtime


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 of what is gone."""
    size = 0
    inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    for file in inside if path.is_dir() else [str(path)]:
        with suppress(OSError):
            size += os.lstat(file).st_size
    return size
