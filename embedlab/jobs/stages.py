"""What a worker did when: one row a stage in stages.jsonl, from which later runs of this machine are foretold."""

import re
from dataclasses import dataclass
from datetime import datetime

from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import read_state
from embedlab.runs.store import append_row, list_runs, read_rows, read_settings

FOLDS = "Predicting all labelled texts by ten folds"  # from here on the verdict is known
TUNING = "Fine-tuning"  # the stage in which steps are counted
LOOKED_AT = 200  # the newest runs and jobs, when those that worked at the same time are looked for
_WAITS = ("study", "parts", "ask")  # jobs that take no processor time to speak of
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


def worked_beside(run: RunFolder) -> list[str]:
    """The tasks of other runs, and of jobs for other runs, that worked while this one was fine-tuned: its recorded
    seconds may be longer for it.
    """
    rows = read_rows(run.stages)[0]
    began = next((row["at"] for row in rows if row["kind"] == TUNING), None)
    if began is None:
        return []
    ended = next((row["at"] for row in rows if row["at"] > began), None)
    found = set()
    for folder in [*list_runs()[:LOOKED_AT], *list_runs("jobs")[:LOOKED_AT]]:
        try:
            asked = read_settings(folder)
        except EmbedlabError:
            continue
        facts = read_state(folder)
        is_own = folder.id == run.id or run.id in (asked["settings"].get("run"), asked["settings"].get("of"))
        first, last = _seconds(facts.started), _seconds(facts.ended)
        if is_own or asked["task"] in _WAITS or first is None:
            continue
        if (ended is None or first < ended) and (last is None or last > began):
            found.add(asked["task"].replace("_", " "))
    return sorted(found)


def _seconds(moment: str | None) -> float | None:
    return datetime.fromisoformat(moment).timestamp() if moment else None
