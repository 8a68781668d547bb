"""What a running worker is at: its position in progress.json, its stages in stages.jsonl, and whether it must leave.

The position is stage, done, total and seconds left; Stop is noticed here, too. From the stages later runs on this
machine are estimated. When it loses its machine, on a signal it finishes its step, saves a checkpoint and exits.
SIGUSR2: its job begins again by itself (Slurm, at the time limit); SIGTERM: it does not.
"""

import json
import os
import re
import signal
import time
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.errors import GiveWayRequested, LeaveRequested, StopRequested
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import worked_between
from embedlab.runs.state import read_state, seconds_of, steady_time
from embedlab.runs.store import append_row, read_rows, settings_of, task_of

WRITE_EVERY_SECONDS = 0.25
FOLDS = "Predicting all labeled texts over ten folds"  # whose end is the verdict
TUNING = "Fine-tuning"  # the stage in which steps are counted
_WAITS = ("study", "ask")  # jobs that take no processor time to speak of
_NUMBER = re.compile(r"\d[\d,]*")
_told: list[int] = []  # signals that have come


class FolderProgress:
    """Called by the work; writes at most four times a second. Raises ``StopRequested`` once Stop was pressed,
    ``GiveWayRequested`` once other work wants the device, and ``LeaveRequested`` once the worker must leave its
    machine, unless the caller checks these itself (``raises=False``: the training loop).
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
        if self.raises and self.folder.give_way.exists():
            raise GiveWayRequested
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


def leave_when_told(*names: str) -> None:
    """Listen for these signals from now on; for the main thread of a worker."""
    for name in names:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: _told.append(number))


def is_told_to_leave() -> bool:
    """Whether the signal has come."""
    return bool(_told)


def forget_signals() -> None:
    """Forget the signals that have come, once nothing listens any more."""
    _told.clear()


def leave_if_told() -> None:
    """Raise ``LeaveRequested`` if the signal has come."""
    if _told:
        raise LeaveRequested


def begins_again() -> bool:
    """Whether whoever sent the signal will restart the worker."""
    return getattr(signal, "SIGUSR2", None) in _told


@dataclass(frozen=True)
class Stage:
    """One kind of work and its duration so far, in seconds; None if unknown beforehand."""

    kind: str
    seconds: float | None


class Beginning(NamedTuple):
    """A row of stages.jsonl: a kind of work, and when it began, in seconds since 1970 by ``steady_time``."""

    kind: str
    at: float


def kind_of(stage: str) -> str:
    """``Embedding 10,803 texts, untouched`` -> ``Embedding N texts, untouched``"""
    return _NUMBER.sub("N", stage)


def note_stage(folder: RunFolder, stage: str, at: float) -> None:
    """Record that the worker begins another kind of work."""
    append_row(folder.stages, {"kind": kind_of(stage), "at": at})


def stages_of(folder: RunFolder, now: float | None = None) -> list[Stage]:
    """In order, since the worker last started; the last one ends at ``now``, by default when the run ended."""
    facts = read_state(folder)
    began = seconds_of(facts.started) or 0.0
    rows = [row for row in beginnings(folder) if row.at >= began - 1]
    ends = [*(row.at for row in rows[1:]), now or seconds_of(facts.ended)]
    return [Stage(row.kind, max(until - row.at, 0.0)) for row, until in zip(rows, ends, strict=False) if until]


def worked_beside(run: RunFolder) -> list[str]:
    """Tasks of other runs, and of jobs for other runs, that worked during this fine-tuning and may have slowed it."""
    rows = beginnings(run)
    began = next((row.at for row in rows if row.kind == TUNING), None)
    if began is None:
        return []
    ended = next((row.at for row in rows if row.at > began), None)
    tasks = set()
    for folder in worked_between(began, ended):
        settings, task = settings_of(folder), task_of(folder)
        is_own = folder.id == run.id or run.id in (settings.get("run"), settings.get("of"))
        if not is_own and task is not None and task not in _WAITS:
            tasks.add(task.replace("_", " "))
    return sorted(tasks)


def beginnings(folder: RunFolder) -> list[Beginning]:
    """Every row that is whole."""
    rows = ((row.get("kind"), row.get("at")) for row in read_rows(folder.stages))
    return [Beginning(kind, at) for kind, at in rows if isinstance(kind, str) and isinstance(at, int | float)]
