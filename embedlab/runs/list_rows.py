"""Runs as rows of a list: everything about one, and the few facts of each of thousands, kept in the index."""

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance, other_distance
from embedlab.errors import RunError
from embedlab.numbers import percent
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.file import SETTLED_NS, ask_index, writing
from embedlab.runs.state import Failure, RunState, State, read_state
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import Json

if TYPE_CHECKING:
    from embedlab.runs.result import RunResult  # which takes longer to import than to read a thousand rows

DAMAGED = "damaged"  # in place of the state of a folder that cannot be read
Accuracies = list[tuple[Distance, float, float]]  # by each distance before and after training, the shown one first


@dataclass(frozen=True)
class RunSummary:
    """Everything that lists show of a run; of a folder that cannot be read why not, and nothing else."""

    run: str
    name: str = ""
    note: str | None = None
    tags: Sequence[str] = ()
    task: str = ""
    created: str = ""
    state: str = DAMAGED
    error: Failure | None = None
    corpus: str | None = None
    encoder: str | None = None
    recipe: str | None = None
    result: "RunResult | None" = None

    @property
    def awaits_folds(self) -> bool:
        """Whether its accuracy is not yet known because ten folds are being predicted."""
        from embedlab.runs.result import awaits_folds

        return self.state != DAMAGED and self.result is not None and awaits_folds(self.result, State(self.state))

    def as_json(self) -> Json:
        """By name; the result is left as it is."""
        if self.state == DAMAGED and self.error is not None:
            return {"run": self.run, "state": DAMAGED, "error": self.error.message}
        return {**vars(self), "error": self.error and self.error.model_dump()}


def summary(folder: RunFolder) -> RunSummary:
    """What lists show of this run."""
    return _row(folder)[0]


def list_rows() -> list[Json]:
    """``run name state task encoder recipe error accuracies`` of each run, newest first.

    Those of ended runs come from the index as long as the files that they were read from are the same.
    """

    def query(index: sqlite3.Connection) -> list[Json]:
        rows, new = [], []
        cached = {run: (stamp, facts) for run, stamp, facts in index.execute("SELECT id, stamp, facts FROM rows")}
        for folder in list_runs():
            stamp, changed = _stamp(folder)
            if folder.id in cached and cached[folder.id][0] == stamp:
                rows.append(json.loads(cached[folder.id][1]))
                continue
            about, state = _row(folder)
            row = about.as_json() | {"accuracies": [] if about.awaits_folds else accuracies(about.result)}
            row.pop("result", None)
            rows.append(row)
            is_final = state is not None and state.is_over and not (state.damaged or state.worker_vanished)
            if is_final and time.time_ns() - changed > SETTLED_NS:
                new.append((folder.id, stamp, json.dumps(row)))
        if new:
            with writing(index):
                index.executemany("INSERT OR REPLACE INTO rows VALUES ('runs', ?, ?, ?)", new)
        return rows

    return ask_index(query)


def accuracies(result: "RunResult | None") -> Accuracies:
    """kNN accuracy by the distance that pages show first, then by the other; empty if nothing was measured."""
    from embedlab.runs.result import accuracy_of

    both = [accuracy_of(result, each) for each in (SHOWN_FIRST, other_distance(SHOWN_FIRST))]
    return [(each.distance, each.before, each.after) for each in both if each is not None]


def accuracy_line(measured: Accuracies) -> str:
    """``kNN 42.0 % → 69.7 % (cosine), 36.8 % → 64.2 % (Euclidean distance)``, for the selected encoder."""
    values = [f"{percent(before)} → {percent(after)} ({DISTANCES[by]})" for by, before, after in measured]
    return f"kNN {', '.join(values)}" if values else ""


def _row(folder: RunFolder) -> tuple[RunSummary, RunState | None]:
    from embedlab.runs.result import damaged_result, read_result

    try:
        request = stored_request(folder)
    except RunError as error:
        return RunSummary(folder.id, error=Failure(code=error.code, message=error.message)), None
    facts, result, settings = read_state(folder), read_result(folder), request.settings
    damage = damaged_result(folder) if result is None else None
    about = RunSummary(
        run=folder.id,
        name=request.name,
        note=request.note or None,
        tags=request.tags,
        task=request.task,
        created=request.created,
        state=str(facts.state),
        error=Failure(code=damage.code, message=damage.message) if damage else facts.error,
        corpus=settings.get("corpus"),
        encoder=settings.get("encoder"),
        recipe=settings.get("recipe"),
        result=result,
    )
    return about, facts


def _stamp(folder: RunFolder) -> tuple[str, int]:
    """What changes with any file that a row is read from, and when the newest of them changed, in nanoseconds."""
    marks, newest = [], 0
    for file in ("settings.json", "state.json", "result.json", "control/stop"):
        try:
            status = os.stat(f"{folder.path}/{file}")
        except OSError:
            marks.append("-")
            continue
        marks.append(f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}")
        newest = max(newest, status.st_mtime_ns)
    return " ".join(marks), newest
