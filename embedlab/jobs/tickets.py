"""The order of trainings that wait: each holds the lock of an empty file ``locks/waiting-DEVICE/RUN``, its ticket.

Imports nothing large: two hundred processes wait with this.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DEVICE = re.compile(r"[a-z0-9:]{1,20}")
_RUN = re.compile(r"[0-9a-z]{1,26}")  # an id as embedlab makes them, which names a ticket
_taken: list[tuple[Path, int]] = []  # by this process: the file, and its open descriptor


def ticket_of(store: Path, run: str, device: str) -> Path:
    """The file of a run that waits for a device, as its settings name it.

    Raises
    ------
    OSError
        there are no tickets here, or not for such a device.
    """
    if fcntl is None or _DEVICE.fullmatch(device) is None:
        raise OSError("no tickets")
    return store / "locks" / f"waiting-{device.replace(':', '-')}" / run


def take(ticket: Path) -> None:
    """Wait in the line until ``leave``, or until this process ends."""
    ticket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    while True:
        descriptor = os.open(ticket, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(ticket), os.fstat(descriptor)):
                _taken.append((ticket, descriptor))
                return
        os.close(descriptor)  # somebody took it for one of a process that has ended


def leave() -> None:
    """It is this process's turn, or it waits no longer."""
    while _taken:
        ticket, descriptor = _taken.pop()
        ticket.unlink(missing_ok=True)
        os.close(descriptor)


def older(ticket: Path, *, most: int) -> int:
    """How many older tickets there are, where fewer than ``most`` of them are held; those of dead processes go."""
    names = sorted(name for name in os.listdir(ticket.parent) if name < ticket.name and _RUN.fullmatch(name))
    held = 0
    for name in names:
        held += _is_held(ticket.with_name(name))
        if held == most:
            return len(names)
    return held


def _is_held(ticket: Path) -> bool:
    try:
        descriptor = os.open(ticket, os.O_RDONLY)
    except OSError:  # its turn has come
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_size == 0:  # a ticket is empty; another file is not one
            ticket.unlink(missing_ok=True)
        return False
    except OSError:
        return True
    finally:
        os.close(descriptor)
