"""The points of a study: mean accuracy of each value with its error, steps and usable texts, and the gaps."""

from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np

from embedlab.corpora.base import list_corpora
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_result, read_rows
from embedlab.studies.base import StudySettings
from embedlab.studies.plan import Cell, first_phase_of, value_name
from embedlab.studies.pooled import Pooled, pooled, pooled_shares
from embedlab.studies.store import Study, opened_run, runs_of


@dataclass(frozen=True)
class SeedResult:
    """One run of a point; ``reason`` says why it has no accuracy, None where it has one."""

    seed: int
    run: str | None
    state: str
    reason: str | None = None
    accuracy: float | None = None
    standard_error: float | None = None
    before: float | None = None
    development: float | None = None  # at the step whose accuracy it is
    steps: int | None = None
    usable_texts: int | None = None
    seconds: float | None = None
    test_texts: int | None = None


@dataclass(frozen=True)
class Point:
    """A value with what its runs found; ``accuracy`` is None while none has finished.

    ``error`` is the standard error (one seed: binomial; several: texts and seeds pooled), ``sd`` that of the seeds.
    """

    value: Any
    name: str
    seeds: tuple[SeedResult, ...]
    accuracy: float | None = None
    error: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    before: float | None = None
    development: float | None = None
    steps: float | None = None
    usable_texts: float | None = None
    test_texts: int | None = None

    @property
    def finished(self) -> list[SeedResult]:
        """The runs that have an accuracy."""
        return [each for each in self.seeds if each.accuracy is not None]

    def as_json(self) -> dict:
        """For the command line, the figures and the table."""
        return asdict(self)


def points_of(study: Study, asked: StudySettings) -> list[Point]:
    """One point a value, in the order of the values."""
    names = corpus_names()
    return [_point(study, asked, "value", value, value_name(value, names)) for value in asked.values]


def line_of(study: Study, asked: StudySettings) -> Point:
    """What the unsupervised recipe reached, where the study compares with it."""
    return _point(study, asked, "line", None, asked.recipe)


def corpus_names() -> dict[str, str]:
    """The stored corpora: fingerprint -> name."""
    return {info.fingerprint: info.name for info in list_corpora()}


def right_texts(runs: list[RunFolder]) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of the test texts and who had them right, (n,) and (runs, n); None where the runs do not share them."""
    found = [_right(run) for run in runs]
    if not found or any(each is None for each in found):
        return None
    rows = found[0][0]
    if any(not np.array_equal(rows, each[0]) for each in found):
        return None
    return rows, np.stack([each[1] for each in found])


def _point(study: Study, asked: StudySettings, part: str, value: Any, name: str) -> Point:
    known = runs_of(study)
    seeds = tuple(_seed(known, asked, Cell(part, value, seed)) for seed in asked.seeds)
    finished = [each for each in seeds if each.accuracy is not None]
    if not finished:
        return Point(value, name, seeds)
    found = _pooled(finished)
    developments = [each.development for each in finished if each.development is not None]
    return Point(
        value,
        name,
        seeds,
        accuracy=found.value,
        error=found.error,
        sd=found.sd,
        low=max(found.low, 0.0),
        high=min(found.high, 1.0),
        before=fmean(each.before for each in finished),
        development=fmean(developments) if len(developments) == len(finished) else None,
        steps=fmean(each.steps for each in finished),
        usable_texts=fmean(each.usable_texts for each in finished),
        test_texts=finished[0].test_texts,
    )


def _pooled(finished: list[SeedResult]) -> Pooled:
    together = right_texts([opened_run(each.run) for each in finished])
    shares = [each.accuracy for each in finished]
    if together is not None and np.allclose(together[1].mean(axis=1), shares, atol=1e-9):
        return pooled(together[1])
    return pooled_shares(shares, finished[0].test_texts or 0)  # a run that kept an earlier step has no texts of it


def _seed(known: dict[str, str], asked: StudySettings, cell: Cell) -> SeedResult:
    run = opened_run(known.get(cell.key))
    if run is None:
        first = first_phase_of(asked, cell)
        earlier = opened_run(known.get(first.key)) if first is not None else None
        if earlier is not None and (facts := read_state(earlier))["state"].is_over:
            if facts["state"] is not State.FINISHED:
                return SeedResult(cell.seed, None, "missing", f"Its first phase: {_reason(facts)}")
        return SeedResult(cell.seed, None, "missing", "Not run yet.")
    facts, result = read_state(run), read_result(run)
    state = facts["state"]
    if state is not State.FINISHED or result is None:
        return SeedResult(cell.seed, run.id, str(state), _reason(facts))
    knn = result["knn"]
    if knn is None:
        return SeedResult(cell.seed, run.id, str(state), "It measured no kNN accuracy: the corpus has no two classes.")
    return SeedResult(
        cell.seed,
        run.id,
        str(state),
        accuracy=knn["best"] if result.get("stopped") else knn["after"],
        standard_error=knn["standard_error"],
        before=knn["before"],
        development=_development(run, result),
        steps=result["steps"],
        usable_texts=result["usable_texts"],
        seconds=result["seconds"],
        test_texts=knn["test_texts"],
    )


def _reason(facts: dict) -> str:
    state = facts["state"]
    if state is State.FAILED:
        return (facts.get("error") or {}).get("message") or "It failed without saying why. Its log has the details."
    said = {
        State.STOPPED: "Stopped as asked, before its last step.",
        State.INTERRUPTED: "Interrupted: its process ended early.",
        State.QUEUED: "Waiting for the device.",
        State.RUNNING: "At work.",
    }
    return said.get(state, "It has no result.")


def _development(run: RunFolder, result: dict) -> float | None:
    """The development texts' accuracy at the step that was measured: the last one, or the best that was kept."""
    if result.get("stopped"):
        return (result.get("kept") or {}).get("best_development")
    rows = [row for row in read_rows(run.metrics)[0] if not row.get("full") and row.get("development") is not None]
    return rows[-1]["development"] if rows else None


def _right(run: RunFolder | None) -> tuple[np.ndarray, np.ndarray] | None:
    import pyarrow.parquet as pq

    if run is None or not run.predictions.exists():
        return None
    table = pq.read_table(run.predictions, columns=["row", "label", "after"])
    rows = table["row"].to_numpy()
    right = np.array(table["label"].to_pylist(), object) == np.array(table["after"].to_pylist(), object)
    return rows, right
