"""Runs that differ only in their seed, and their pooled result."""

from dataclasses import dataclass

import numpy as np

from embedlab.distance import Distance
from embedlab.measurement import Difference
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.predictions import folds_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import differ_only_in_seed, seed_of
from embedlab.statistics.seeds import pooled_seeds, seeds_sentence


@dataclass(frozen=True)
class PooledSeeds:
    """The pooled seeds, and their mean change by one distance with its interval."""

    seeds: tuple[int, ...]
    difference: Difference
    distance: Distance

    @property
    def sentence(self) -> str:
        """Whether it is about this run, these runs, or the recipe, and the pooled change."""
        return seeds_sentence(self.difference, len(self.seeds), self.distance)


def pooled(run: RunFolder, distance: Distance) -> PooledSeeds | None:
    """This finished run pooled with its siblings on the same test texts; None if it has no predictions."""
    if (own_changes := _changes(run, distance)) is None:
        return None
    rows, by_seed = own_changes[0], {}
    for other in [run, *siblings(run)]:
        changes = _changes(other, distance)
        if changes is not None and np.array_equal(changes[0], rows):
            by_seed[seed_of(other)] = changes[1]
    return PooledSeeds(tuple(sorted(by_seed)), pooled_seeds(np.stack(list(by_seed.values()))), distance)


def siblings(run: RunFolder) -> list[RunFolder]:
    """Other finished runs, newest first, with the same settings and corpus except seed and name; one per seed."""
    settings = read_state(run).settings
    if settings is None or not _has_predictions(run):
        return []
    by_seed: dict[int, RunFolder] = {}
    named = {name: settings[name] for name in ("corpus", "encoder", "recipe") if name in settings}
    for other in find_jobs("train", standing=State.FINISHED, **named):
        if _has_predictions(other) and differ_only_in_seed(run, other):
            by_seed.setdefault(seed_of(other), other)
    return list(by_seed.values())


def _has_predictions(run: RunFolder) -> bool:
    return read_state(run).state is State.FINISHED and run.predictions.exists()


def _changes(run: RunFolder, distance: Distance) -> tuple[np.ndarray, np.ndarray] | None:
    """The test rows, and for each -1, 0 or 1 relative to the run's own step 0."""
    folds = folds_of(run, distance, only_test_texts=True)
    return None if folds is None else (folds.rows, folds.right("after").astype(int) - folds.right("before"))
