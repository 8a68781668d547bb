"""A worker whose machine is taken away: told by signal, it finishes its step, saves a checkpoint and leaves.

SIGUSR2: its job begins again by itself (Slurm, at the time limit); SIGTERM: it does not.
"""

import signal

from embedlab.errors import LeaveRequested

_told: list[int] = []


def leave_when_told() -> None:
    """Listen from here on; for the main thread of a worker that an executor started."""
    for name in ("SIGTERM", "SIGUSR2"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: _told.append(number))


def is_told_to_leave() -> bool:
    """Whether the machine was taken away."""
    return bool(_told)


def leave_if_told() -> None:
    """Raise ``LeaveRequested`` where it was."""
    if _told:
        raise LeaveRequested


def begins_again() -> bool:
    """Whether who told it will start the worker anew."""
    return getattr(signal, "SIGUSR2", None) in _told
