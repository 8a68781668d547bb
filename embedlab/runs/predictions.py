"""Predictions for every labelled text over ten folds, and for the test texts: one writer and one reader of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.damage import read_table
from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.measurement import PAPER_SPLIT, TEN_FOLDS, ByDistance, ClassChange, Difference
from embedlab.metrics.per_class import Confusion, confusions, per_class
from embedlab.metrics.ten_fold import FACTOR, fold_difference
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.result import accuracy_of, read_result
from embedlab.statistics.intervals import LEVEL, paired_shares
from embedlab.store_root import UnreadableFile, atomic_write

_BY_DISTANCE = ("before", "after", "before_votes", "after_votes")
_NUMBERS = ("row", "before_votes", "after_votes")
_ENCODER = "weights_hash"  # in the metadata: of which encoder they are


@dataclass(frozen=True)
class Folds:
    """A run's predictions by one distance, one entry per text in file order; votes exist for ten folds only.

    ``of_test_texts``: of the split's test texts alone, because the labels of the others were trained on.
    """

    rows: np.ndarray
    labels: np.ndarray  # of str
    before: np.ndarray  # of str, None where there was no neighbor to ask
    after: np.ndarray
    before_votes: np.ndarray | None
    after_votes: np.ndarray | None
    of_test_texts: bool
    distance: Distance
    weights_hash: str  # of the encoder that is opened; empty where it was not kept

    @cached_property
    def classes(self) -> list[ClassChange]:
        """Each class before and after."""
        return per_class(**self.predicted, widened=self.widened)

    def mistakes(self, most: int) -> list[Confusion]:
        """The most frequent mistakes."""
        return confusions(**self.predicted, most=most, widened=self.widened)

    @property
    def predicted(self) -> dict[str, np.ndarray]:
        """The arguments of ``metrics.per_class``."""
        return {"labels": self.labels, "before": self.before, "after": self.after}

    def right(self, side: str) -> np.ndarray:
        """Which texts are predicted correctly, ``before`` or ``after``. -> (texts,) bool"""
        return getattr(self, side) == self.labels

    @property
    def changes(self) -> np.ndarray:
        """1 for each text that turned right, −1 for each that turned wrong, else 0. -> (texts,) int"""
        return self.right("after").astype(int) - self.right("before")

    @property
    def protocol(self) -> str:
        """How these texts were tested."""
        return PAPER_SPLIT if self.of_test_texts else TEN_FOLDS

    @property
    def widened(self) -> float:
        """By what an interval is wider than that of texts judged alone: ten folds share their train texts."""
        return 1.0 if self.of_test_texts else FACTOR

    def minus(self, other: "Folds", *, level: float = LEVEL) -> Difference:
        """The accuracy of this run's encoder minus the other's, over the texts that both were tested on."""
        _, ours, theirs = np.intersect1d(self.rows, other.rows, return_indices=True)
        difference = paired_shares if self.of_test_texts or other.of_test_texts else fold_difference
        return difference(before=other.right("after")[theirs], after=self.right("after")[ours], level=level)


def write_predictions(
    file: Path, texts: Mapping[str, Sequence], sides: ByDistance[Mapping[str, Sequence]], *, weights_hash: str = ""
) -> None:
    """``texts``: their ``row``, ``label`` and other columns; ``sides``: the predictions ``before`` and ``after`` by
    each distance, with ``before_votes`` and ``after_votes``.
    """
    predicted = {_column(name, each): values for each in DISTANCES for name, values in sides.by(each).items()}
    table = pa.table({**texts, **predicted}, metadata={_ENCODER: weights_hash} if weights_hash else None)
    with atomic_write(file) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def folds_of(run: RunFolder, distance: Distance = EUCLIDEAN, *, only_test_texts: bool = False) -> Folds | None:
    """None if these texts were not predicted yet, or the file cannot be read."""
    of_test_texts = only_test_texts or saw_labels(run)
    stored = {"row": "row", "label": "label"} | {name: _column(name, distance) for name in _BY_DISTANCE}
    try:
        table = read_table(run.predictions if of_test_texts else run.predictions_by_folds)
    except UnreadableFile:
        return None
    there = {name: column for name, column in stored.items() if column in table.column_names}
    if not {"row", "label", "before", "after"} <= there.keys():
        return None
    columns = {
        name: np.array(table[column].to_pylist(), int if name in _NUMBERS else object) for name, column in there.items()
    }
    return Folds(
        rows=columns["row"],
        labels=columns["label"],
        before=columns["before"],
        after=columns["after"],
        before_votes=columns.get("before_votes"),
        after_votes=columns.get("after_votes"),
        of_test_texts=of_test_texts,
        distance=distance,
        weights_hash=(table.schema.metadata or {}).get(_ENCODER.encode(), b"").decode(),
    )


def judged_texts(run: RunFolder, distance: Distance) -> Folds | None:
    """The predictions that the run's accuracy counts: of ten folds, or of the test texts where there are none.

    None where they were not kept, or are of another encoder, as after one of the two was renewed.
    """
    result = read_result(run)
    accuracy = accuracy_of(result, distance)
    if result is None or accuracy is None:
        return None
    folds = folds_of(run, distance, only_test_texts=accuracy.protocol != TEN_FOLDS)
    if folds is None or len(folds.rows) != accuracy.test_texts:
        return None
    is_same = not folds.weights_hash or folds.weights_hash == result.weights_hash
    return folds if is_same else None


def _column(name: str, distance: Distance) -> str:
    return f"{name}_{distance}"
