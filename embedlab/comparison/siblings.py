"""Runs that differ only in their seed, pooled, and the run that differs only in leaving the test texts out."""

from dataclasses import dataclass

import numpy as np

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import Distance
from embedlab.measurement import Difference
from embedlab.runs.example import LEFT_OUT, MINI, example_run, is_example
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.predictions import judged_texts
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import SEED_AND_DEVICE, decisive, differ_only_in_seed, seed_of
from embedlab.statistics.seeds import pooled_seeds, seeds_sentence
from embedlab.training.demo import CORPUS, DEMO
from embedlab.training.settings import RunSettings

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


@dataclass(frozen=True)
class TextsLeftOut:
    """Two runs with the same settings and texts, of which one left the test texts out."""

    read: RunResult  # trained on all texts
    unread: RunResult
    is_example: bool  # whether both came with embedlab, in place of the run that was asked about


def texts_left_out(run: RunFolder) -> TextsLeftOut | None:
    """Return what shows how much a run gained by reading the test texts.

    This run and its twin in the store. For the demo without a twin, the two packaged runs: their texts are the same,
    those of this computer's packages may be others. None for any other run.
    """
    twin = twin_without_test_texts(run)
    is_packaged = twin is None and is_demo(run)
    runs = (example_run(MINI), example_run(LEFT_OUT)) if is_packaged else (run, twin)
    read, unread = (None if each is None else read_result(each) for each in runs)
    return None if read is None or unread is None else TextsLeftOut(read, unread, is_example=runs[0] != run)


def is_demo(run: RunFolder) -> bool:
    """Return whether a run has the settings of the demo, with any seed, and its corpus."""
    settings = read_state(run).settings
    if settings is None:
        return False
    demo = RunSettings.model_validate(DEMO).stored
    ignored = (*SEED_AND_DEVICE, "corpus")
    if decisive(settings, but=ignored) != decisive(demo, but=ignored):
        return False
    if is_example(run):
        return run == example_run(MINI)
    return any(info.fingerprint == settings["corpus"] and info.source == CORPUS for info in list_corpora())


def _has_predictions(run: RunFolder) -> bool:
    return read_state(run).state is State.FINISHED and run.predictions.exists()
