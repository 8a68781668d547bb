"""Runs that differ only in their seed, pooled, and the run that differs only in leaving the test texts out."""

from dataclasses import dataclass

import numpy as np

from embedlab.distance import Distance
from embedlab.measurement import Difference
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.predictions import judged_texts
from embedlab.runs.state import State, read_state
from embedlab.runs.store import decisive, differ_only_in_seed, seed_of
from embedlab.statistics.seeds import pooled_seeds, seeds_sentence

_TRAINED_ON = ("train_on", "device")


@dataclass(frozen=True)
class PooledSeeds:
    """The pooled seeds, and their mean change by one distance with its interval, as the runs' accuracy is measured."""

    seeds: tuple[int, ...]
    difference: Difference
    distance: Distance
    protocol: str

    @property
    def sentence(self) -> str:
        """Whether it is about this run, these runs, or the recipe, and the pooled change."""
        return seeds_sentence(self.difference, len(self.seeds), self.distance, self.protocol)


def pooled(run: RunFolder, distance: Distance) -> PooledSeeds | None:
    """This finished run pooled with its siblings on the same texts; None if it has no predictions."""
    own_texts = judged_texts(run, distance)
    if own_texts is None:
        return None
    by_seed = {}
    for other in [run, *siblings(run)]:
        texts = judged_texts(other, distance)
        if texts is not None and np.array_equal(texts.rows, own_texts.rows):
            by_seed[seed_of(other)] = texts.changes
    difference = pooled_seeds(np.stack(list(by_seed.values())), widened=own_texts.widened)
    return PooledSeeds(tuple(sorted(by_seed)), difference, distance, own_texts.protocol)


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


def twin_without_test_texts(run: RunFolder) -> RunFolder | None:
    """The newest finished run with the same settings and seed that left the test texts out, where this one read them.

    Such a run is trained by the same settings with ``train_on=train_split``.
    """
    settings = read_state(run).settings
    if settings is None or settings.get("train_on", "all") != "all":
        return None
    same = decisive(settings, but=_TRAINED_ON)
    named = {name: settings[name] for name in ("corpus", "encoder", "recipe") if name in settings}
    for other in find_jobs("train", standing=State.FINISHED, train_on="train_split", **named):
        other_settings = read_state(other).settings
        if other_settings is not None and decisive(other_settings, but=_TRAINED_ON) == same:
            return other
    return None


def _has_predictions(run: RunFolder) -> bool:
    return read_state(run).state is State.FINISHED and run.predictions.exists()
