"""Half-written files and folders: how their writer names them, holds them, and how those of dead writers are known."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{8}\.(?P<kind>part|old)", re.DOTALL)
_TRIES = 3  # a remover takes at most one of them away, see ``_create``


def part_of(path: Path, kind: str = "part") -> Path:
    """Return a new name beside ``path`` for what will replace it (``part``) or was replaced by it (``old``)."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.{kind}")


def target_of(name: str) -> str | None:
    """Return the name of the file that a half-written one stands for; None if it has another kind of name."""
    match = _NAME.fullmatch(name)
    return None if match is None else match["target"]


@contextmanager
def held_part(path: Path, mode: int, *, is_folder: bool = False) -> Iterator[Path]:
    """Create a half-written file or folder for ``path`` and hold its kernel lock until the block ends.

    The lock ends with the process, so that a half-written file whose lock is free has no writer any more.
    """
    part, descriptor = _create(path, mode, is_folder)
    try:
        yield part
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _create(path: Path, mode: int, is_folder: bool) -> tuple[Path, int | None]:
    for _ in range(_TRIES):
        part = part_of(path)
        if is_folder:
            part.mkdir(mode=mode)
        else:
            os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
        descriptor = _lock(part, is_folder=is_folder)
        # Between creating and locking, another process may have taken the file for an abandoned one.
        if os.path.lexists(part):
            return part, descriptor
        if descriptor is not None:
            os.close(descriptor)
    raise FileNotFoundError(f"{part} was removed as soon as it was created")


@contextmanager
def held_folder(path: Path) -> Iterator[None]:
    """Hold the kernel lock of an existing folder, under whatever name it is renamed to, until the block ends."""
    descriptor = _lock(path, is_folder=True)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _lock(part: Path, *, is_folder: bool) -> int | None:
    """Return the descriptor that holds the lock; None on Windows and on disks without locks."""
    if fcntl is None:
        return None
    descriptor = None
    try:
        descriptor = os.open(part, os.O_RDONLY if is_folder else os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None


def remove_abandoned(path: Path) -> None:
    """Remove what killed writers of ``path`` left beside it. A living writer's file is held and stays."""
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if target_of(name) == path.name:
                remove_if_free(path.with_name(name))


def remove_if_free(part: Path) -> bool:
    """Remove a half-written file or folder unless a writer holds it; return whether it is gone.

    A replaced folder (``.old``) whose successor never arrived is put back instead.
    """
    if fcntl is None:
        return False
    try:
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return not os.path.lexists(part)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        target = part.with_name(target_of(part.name) or part.name)
        if part.name.endswith(".old") and not os.path.lexists(target):
            os.rename(part, target)
        elif part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return not os.path.lexists(part)
