"""The points of a study for one distance: each value's mean accuracy with its error, steps, usable texts, and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from embedlab.distance import Distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.runs.result import read_result, split_accuracy_of
from embedlab.runs.state import RunState, State, read_state
from embedlab.runs.store import run_if_readable
from embedlab.statistics.seeds import PooledMean, pooled, pooled_shares
from embedlab.studies.measures import ACCURACY, OverSeeds, bounds, measured_of, over_seeds
from embedlab.studies.plan import Cell, StudySettings, corpus_names, first_phase_of, series_name, series_of, value_name
from embedlab.studies.store import Study, runs_of
from embedlab.training.recipes import recipe_title


@dataclass(frozen=True)
class SeedResult:
    """One run of a point; ``reason`` says why it has no accuracy, None if it has one."""

    seed: int
    run: str | None
    state: str
    reason: str | None = None

    @property
    def is_gap(self) -> bool:
        """Whether the run ended without a result."""
        return self.state in (State.FAILED, State.STOPPED, State.INTERRUPTED)


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

    def height(self, measure: str) -> float | None:
        """The number of this measure, None if the run recorded none."""
        return self.accuracy if measure == ACCURACY else self.measured.get(measure)


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

    @property
    def gaps(self) -> str:
        """The others, with their reasons."""
        return " ".join(f"seed {each.seed}: {each.reason}" for each in self.seeds if each.reason)


@dataclass(frozen=True, kw_only=True)
class MeasuredPoint(StudyPoint):
    """A point with at least one finished run.

    ``error`` is the standard error (one seed: binomial; several: texts and seeds pooled), ``sd`` that of the seeds.
    ``measured``: further measures, by their keys.
    """

    accuracy: float
    error: float
    sd: float | None
    low: float
    high: float
    before: float
    steps: float
    usable_texts: float
    test_texts: int
    measured: dict[str, OverSeeds]

    def height(self, measure: str) -> OverSeeds | None:
        """The mean of this measure, None unless all finished runs have it."""
        if measure == ACCURACY:
            return OverSeeds(self.accuracy, self.sd, self.error, self.low, self.high)
        return self.measured.get(measure)


@dataclass(frozen=True, kw_only=True)
class DevelopedPoint(MeasuredPoint):
    """A point whose finished runs all have a development accuracy; the best value is chosen among these.

    ``development_error`` is pooled as the other is, its part of the texts binomial.
    """

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
    answers = [folds_of(run, distance, only_test_texts=True) for run in runs if run is not None]
    folds = [each for each in answers if each is not None]
    if not folds or len(folds) < len(runs):
        return None
    if any(not np.array_equal(folds[0].rows, other.rows) for other in folds):
        return None
    return folds[0].rows, np.stack([each.right(side) for each in folds])


def _point(study: Study, design: StudySettings, distance: Distance, cell: Cell, name: str) -> StudyPoint:
    """The point made of the runs of all seeds of one cell."""
    run_ids = runs_of(study)
    seeds = tuple(_seed(run_ids, design, replace(cell, seed=seed), distance) for seed in design.seeds)
    finished = [each for each in seeds if isinstance(each, MeasuredSeed)]
    series = {"series": cell.series, "series_name": series_name(design, cell.series) if cell.part == "value" else ""}
    if not finished:
        return StudyPoint(cell.value, name, seeds, **series)
    pooled_accuracy, texts = _pooled(finished, distance), finished[0].development_texts
    shares = [each.development for each in finished if each.development is not None]
    has_all = len(shares) == len(finished)  # a mean over some of the seeds would not be this point's
    developed = pooled_shares(shares, texts) if has_all and texts is not None else None
    point = MeasuredPoint(
        value=cell.value,
        name=name,
        seeds=seeds,
        **series,
        measured=_measured(finished, developed, distance),
        accuracy=pooled_accuracy.value,
        error=pooled_accuracy.error,
        sd=pooled_accuracy.sd,
        low=max(pooled_accuracy.low, 0.0),
        high=min(pooled_accuracy.high, 1.0),
        before=fmean(each.before for each in finished),
        steps=fmean(each.steps for each in finished),
        usable_texts=fmean(each.usable_texts for each in finished),
        test_texts=finished[0].test_texts,
    )
    if developed is None:
        return point
    return DevelopedPoint(
        **vars(point), development=fmean(shares), development_error=developed.error, development_texts=developed.n
    )


def _pooled(finished: list[MeasuredSeed], distance: Distance) -> PooledMean:
    together = right_texts([run_if_readable(each.run) for each in finished], distance)
    shares = [each.accuracy for each in finished]
    if together is not None and np.allclose(together[1].mean(axis=1), shares, atol=1e-9):
        return pooled(together[1])
    return pooled_shares(shares, finished[0].test_texts)


def _measured(finished: list[MeasuredSeed], developed: PooledMean | None, distance: Distance) -> dict[str, OverSeeds]:
    """Each further measure that all finished runs have: a mean over only some of them would not be this point's."""
    shared = [key for key in finished[0].measured if all(key in each.measured for each in finished)]
    pooled_by_measure = {key: over_seeds([each.measured[key] for each in finished]) for key in shared}
    if developed is not None:
        pooled_by_measure["development"] = bounds(developed)
    runs = [run_if_readable(each.run) for each in finished]
    before, after = (right_texts(runs, distance, side=side) for side in ("before", "after"))
    changes = [each.accuracy - each.before for each in finished]
    if before is not None and after is not None:
        paired = after[1].astype(int) - before[1].astype(int)
        if np.allclose(paired.mean(axis=1), changes, atol=1e-9):
            pooled_by_measure["difference"] = bounds(pooled(paired))
    return {"difference": over_seeds(changes)} | pooled_by_measure


def _seed(run_ids: dict[str, str], design: StudySettings, cell: Cell, distance: Distance) -> SeedResult:
    run = run_if_readable(run_ids.get(cell.key))
    if run is None:
        first = first_phase_of(design, cell)
        earlier = run_if_readable(run_ids.get(first.key)) if first is not None else None
        facts = None if earlier is None else read_state(earlier)
        if facts is not None and facts.is_over and facts.state is not State.FINISHED:
            return SeedResult(cell.seed, None, "missing", f"Its first phase: {_reason(facts)}")
        return SeedResult(cell.seed, None, "missing", "Not run yet.")
    facts, result = read_state(run), read_result(run)
    state = facts.state
    if state is not State.FINISHED or result is None:
        return SeedResult(cell.seed, run.id, str(state), _reason(facts))
    knn = split_accuracy_of(result, distance)
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
