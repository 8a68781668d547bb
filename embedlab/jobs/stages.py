"""What a worker did when: one row a stage in stages.jsonl, from which later runs of this machine are foretold."""

import re
from dataclasses import dataclass
from datetime import datetime

from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.runs.store import append_row, read_rows

FOLDS = "Predicting all labelled texts by ten folds"  # from here on the verdict is known
TUNING = "Fine-tuning"  # the stage in which steps are counted
_NUMBER = re.compile(r"\d[\d,]*")


@dataclass(frozen=True)
class Stage:
    """One kind of work and how long it took or is going on, in seconds; None where nobody knows beforehand."""

    kind: str
    seconds: float | None


def kind_of(stage: str) -> str:
    """``Embedding 10,803 texts, untouched`` -> ``Embedding N texts, untouched``"""
    return _NUMBER.sub("N", stage)


def note_stage(folder: RunFolder, stage: str, at: float) -> None:
    """The worker begins another kind of work."""
    append_row(folder.stages, {"kind": kind_of(stage), "at": at})


def stages_of(folder: RunFolder, now: float | None = None) -> list[Stage]:
    """In order, since the worker last began; the last one ends ``now``, by default when the run ended."""
    facts = read_state(folder)
    began = _seconds(facts.started) or 0.0
    rows = [row for row in read_rows(folder.stages)[0] if row["at"] >= began - 1]
    end = now or _seconds(facts.ended)
    ends = [*(row["at"] for row in rows[1:]), end]
    return [Stage(row["kind"], max(until - row["at"], 0.0)) for row, until in zip(rows, ends, strict=False) if until]


def _seconds(moment: str | None) -> float | None:
    return datetime.fromisoformat(moment).timestamp() if moment else None
