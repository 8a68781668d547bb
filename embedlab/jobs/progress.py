"""The position of a running worker (stage, done, total, seconds left) in progress.json; Stop is noticed here, too.

So is that it loses its machine: on a signal it finishes its step, saves a checkpoint and exits. SIGUSR2: its job begins
again by itself (Slurm, at the time limit); SIGTERM: it does not.
"""

import json
import os
import signal
import time

from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.errors import LeaveRequested, StopRequested
from embedlab.jobs.stages import kind_of, note_stage
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import steady_time

WRITE_EVERY_SECONDS = 0.25
_told: list[int] = []  # signals that have come


class FolderProgress:
    """Called by the work; writes at most four times a second. Raises ``StopRequested`` once Stop was pressed, and
    ``LeaveRequested`` once the worker must leave its machine, unless the caller checks both itself (``raises=False``:
    the training loop).
    """

    def __init__(self, folder: RunFolder, *, raises: bool = True):
        self.folder = folder
        self.raises = raises
        self.stop_file = folder.stop
        self._stage = ""
        self._written = 0.0
        self._began = time.monotonic()
        self._first_done = 0

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Report the position of the work; ``total`` 0 means unknown."""
        clock = time.monotonic()
        if stage != self._stage:
            if kind_of(stage) != kind_of(self._stage):
                note_stage(self.folder, stage, steady_time())
            self._stage, self._began, self._first_done, self._written = stage, clock, done, 0.0
        if clock - self._written < WRITE_EVERY_SECONDS and not (total and done == total):
            return
        self._written = clock
        if self.raises and self.stop_file.exists():
            raise StopRequested
        if self.raises:
            leave_if_told()
        gone, moved = clock - self._began, done - self._first_done
        left = gone / moved * (total - done) if total and moved > 0 and gone > 0.5 else None
        row = {"stage": stage, "done": done, "total": total, "seconds_left": left, "at": steady_time()}
        temporary = self.folder.path / ".progress.part"
        temporary.write_text(json.dumps(row), encoding="utf-8")
        os.replace(temporary, self.folder.progress)


class Position(BaseModel):
    """The contents of ``progress.json``; ``at``: seconds since 1970, by ``steady_time``."""

    model_config = ConfigDict(frozen=True)

    stage: str
    done: int
    total: int
    at: float
    seconds_left: float | None = None


def read_progress(folder: RunFolder) -> Position | None:
    """The last position written, or None."""
    return read_model_if_whole(folder.progress, Position)


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
