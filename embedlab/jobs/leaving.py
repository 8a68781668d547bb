"""A worker that loses its machine: on a signal it finishes its step, saves a checkpoint and exits.

SIGUSR2: its job begins again by itself (Slurm, at the time limit); SIGTERM: it does not.
"""

import signal

from embedlab.errors import LeaveRequested

_told: list[int] = []


def leave_when_told() -> None:
    """Listen for the signal from now on; for the main thread of a worker started by an executor."""
    for name in ("SIGTERM", "SIGUSR2"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: _told.append(number))


def is_told_to_leave() -> bool:
    """Whether the signal has come."""
    return bool(_told)


def leave_if_told() -> None:
    """Raise ``LeaveRequested`` if the signal has come."""
    if _told:
        raise LeaveRequested


def begins_again() -> bool:
    """Whether whoever sent the signal will restart the worker."""
    return getattr(signal, "SIGUSR2", None) in _told
