"""The stages of a worker: one row each in stages.jsonl, from which later runs on this machine are estimated."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import worked_between
from embedlab.runs.state import read_state, seconds_of
from embedlab.runs.store import append_row, read_rows, settings_of, task_of

FOLDS = "Predicting all labeled texts over ten folds"  # from here on the verdict is known
TUNING = "Fine-tuning"  # the stage in which steps are counted
_WAITS = ("study", "ask")  # jobs that take no processor time to speak of
_NUMBER = re.compile(r"\d[\d,]*")


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
