"""The points of a study for one distance: each value's mean accuracy with its error, steps, usable texts, and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from embedlab.distance import Distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.runs.result import accuracy_of, read_result
from embedlab.runs.state import RunState, State, read_state
from embedlab.runs.store import run_if_readable
from embedlab.statistics.seeds import PooledMean, pooled, pooled_shares
from embedlab.studies.measures import bounds, measured_of, over_seeds
from embedlab.studies.over_corpora import corpus_names
from embedlab.studies.plan import Cell, StudySettings, first_phase_of, series_name, series_of, value_name
from embedlab.studies.store import Study, runs_of
from embedlab.training.recipes import recipe_title


@dataclass(frozen=True)
class SeedResult:
    """One run of a point; ``reason`` says why it has no accuracy, None if it has one."""

    seed: int
    run: str | None
    state: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class MeasuredSeed(SeedResult):
    """A run with an accuracy; its development accuracy may be missing."""

    run: str
    accuracy: float
    standard_error: float
    before: float
    development: float | None  # of the encoder whose accuracy it is
    development_error: float | None
    development_texts: int | None
    steps: int
    usable_texts: int
    seconds: float
    test_texts: int
    measured: dict[str, float]  # further measures, by their keys


@dataclass(frozen=True)
class StudyPoint:
    """A value with the results of its runs, of which none has finished unless it is a ``MeasuredPoint``."""

    value: Any
    name: str
    seeds: tuple[SeedResult, ...]
    series: Any = None
    series_name: str = ""

    @property
    def finished(self) -> list[MeasuredSeed]:
        """The runs that have an accuracy."""
        return [each for each in self.seeds if isinstance(each, MeasuredSeed)]


@dataclass(frozen=True, kw_only=True)
class MeasuredPoint(StudyPoint):
    """A point with at least one finished run.

    ``error`` is the standard error (one seed: binomial; several: texts and seeds pooled), ``sd`` that of the seeds.
    ``development_error`` is pooled alike, its part of the texts binomial. ``measured``: further measures, each
    ``{value, sd, error, low, high}``.
    """

    accuracy: float
    error: float
    sd: float | None
    low: float
    high: float
    before: float
    development: float | None = None
    development_error: float | None = None
    development_texts: int | None = None
    steps: float
    usable_texts: float
    test_texts: int
    measured: dict[str, dict[str, float | None]]


@dataclass(frozen=True, kw_only=True)
class DevelopedPoint(MeasuredPoint):
    """A point whose finished runs all have a development accuracy; the best value is chosen among these."""

    development: float
    development_error: float
    development_texts: int


def points_of(study: Study, design: StudySettings, distance: Distance) -> list[StudyPoint]:
    """One point per value and series: all values of a series, in order, before the next series."""
    names = corpus_names()
    return [
        _point(study, design, distance, Cell("value", value, 0, series), value_name(value, names))
        for series in series_of(design)
        for value in design.values
    ]


def line_of(study: Study, design: StudySettings, distance: Distance) -> StudyPoint:
    """The accuracy of the unsupervised recipe, if the study compares with it."""
    return _point(study, design, distance, Cell("line", None, 0), recipe_title(design.recipe))


def right_texts(
    runs: Sequence[RunFolder | None], distance: Distance, *, side: str = "after"
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of the test texts and which runs got them right, (n,) and (runs, n); None if the runs' test texts differ.

    ``side``: ``after``, of the selected encoder, or ``before`` training.
    """
    answers = [right for run in runs if (right := _right(run, distance, side)) is not None]
    if not answers or len(answers) < len(runs):
        return None
    rows = answers[0][0]
    if any(not np.array_equal(rows, other) for other, _ in answers):
        return None
    return rows, np.stack([right for _, right in answers])


def _point(study: Study, design: StudySettings, distance: Distance, cell: Cell, name: str) -> StudyPoint:
    """The point made of the runs of all seeds of one cell."""
    run_ids = runs_of(study)
    seeds = tuple(_seed(run_ids, design, replace(cell, seed=seed), distance) for seed in design.seeds)
    finished = [each for each in seeds if isinstance(each, MeasuredSeed)]
    series = {"series": cell.series, "series_name": series_name(design, cell.series) if cell.part == "value" else ""}
    if not finished:
        return StudyPoint(cell.value, name, seeds, **series)
    pooled_accuracy, developed = _pooled(finished, distance), _pooled_development(finished)
    return (DevelopedPoint if developed else MeasuredPoint)(
        value=cell.value,
        name=name,
        seeds=seeds,
        **series,
        measured=_measured(finished, distance),
        accuracy=pooled_accuracy.value,
        error=pooled_accuracy.error,
        sd=pooled_accuracy.sd,
        low=max(pooled_accuracy.low, 0.0),
        high=min(pooled_accuracy.high, 1.0),
        before=fmean(each.before for each in finished),
        **developed,
        steps=fmean(each.steps for each in finished),
        usable_texts=fmean(each.usable_texts for each in finished),
        test_texts=finished[0].test_texts,
    )


def _pooled(finished: list[MeasuredSeed], distance: Distance) -> PooledMean:
    together = right_texts([run_if_readable(each.run) for each in finished], distance)
    shares = [each.accuracy for each in finished]
    if together is not None and np.allclose(together[1].mean(axis=1), shares, atol=1e-9):
        return pooled(together[1])
    return pooled_shares(shares, finished[0].test_texts)


def _measured(finished: list[MeasuredSeed], distance: Distance) -> dict[str, dict[str, float | None]]:
    """Each further measure that all finished runs have: a mean over only some of them would not be this point's."""
    shared = [key for key in finished[0].measured if all(key in each.measured for each in finished)]
    pooled_by_measure = {key: over_seeds([each.measured[key] for each in finished]) for key in shared}
    if (developed := _development(finished)) is not None:
        pooled_by_measure["development"] = bounds(developed)
    runs = [run_if_readable(each.run) for each in finished]
    before, after = (right_texts(runs, distance, side=side) for side in ("before", "after"))
    changes = [each.accuracy - each.before for each in finished]
    if before is not None and after is not None:
        paired = after[1].astype(int) - before[1].astype(int)
        if np.allclose(paired.mean(axis=1), changes, atol=1e-9):
            pooled_by_measure["difference"] = bounds(pooled(paired))
    return {"difference": over_seeds(changes)} | pooled_by_measure


def _development(finished: list[MeasuredSeed]) -> PooledMean | None:
    """None if a run has none: a mean over other seeds would not be this point's."""
    shares = [each.development for each in finished if each.development is not None]
    texts = finished[0].development_texts
    return None if len(shares) < len(finished) or texts is None else pooled_shares(shares, texts)


def _pooled_development(finished: list[MeasuredSeed]) -> dict[str, Any]:
    """The fields of a ``DevelopedPoint``, or none if it is not one."""
    developed = _development(finished)
    if developed is None:
        return {}
    mean = fmean(each.development for each in finished if each.development is not None)
    texts = finished[0].development_texts
    return {"development": mean, "development_error": developed.error, "development_texts": texts}


def _seed(run_ids: dict[str, str], design: StudySettings, cell: Cell, distance: Distance) -> SeedResult:
    run = run_if_readable(run_ids.get(cell.key))
    if run is None:
        first = first_phase_of(design, cell)
        earlier = run_if_readable(run_ids.get(first.key)) if first is not None else None
        if earlier is not None and (facts := read_state(earlier)).is_over:
            if facts.state is not State.FINISHED:
                return SeedResult(cell.seed, None, "missing", f"Its first phase: {_reason(facts)}")
        return SeedResult(cell.seed, None, "missing", "Not run yet.")
    facts, result = read_state(run), read_result(run)
    state = facts.state
    if state is not State.FINISHED or result is None:
        return SeedResult(cell.seed, run.id, str(state), _reason(facts))
    knn = accuracy_of(result, distance)
    if knn is None:
        return SeedResult(cell.seed, run.id, str(state), "It measured no kNN accuracy: the corpus lacks two classes.")
    developed = None if result.development is None else result.development.after.by(distance)
    return MeasuredSeed(
        seed=cell.seed,
        run=run.id,
        state=str(state),
        accuracy=knn.after,
        standard_error=knn.standard_error,
        before=knn.before,
        development=developed.value if developed else None,
        development_error=developed.error if developed else None,
        development_texts=developed.n if developed else None,
        steps=result.steps,
        usable_texts=result.usable_texts,
        seconds=result.seconds,
        test_texts=knn.test_texts,
        measured=measured_of(run, result, distance)
        | {"difference": knn.after - knn.before}
        | ({"development": developed.value} if developed else {}),
    )


def _reason(facts: RunState) -> str:
    state = facts.state
    if state is State.FAILED:
        return facts.failure.message
    reasons = {State.STOPPED: "Stopped on request, before its last step.", State.FINISHED: "It has no result."}
    return reasons.get(state, state.sentence)


def _right(run: RunFolder | None, distance: Distance, side: str) -> tuple[np.ndarray, np.ndarray] | None:
    folds = None if run is None else folds_of(run, distance, only_test_texts=True)
    return None if folds is None else (folds.rows, folds.right(side))
