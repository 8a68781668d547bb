"""What neighbors say of every labelled text by ten folds; of a run trained by labels, of the test texts alone."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.parquet as pq

from embedlab.distance import EUCLIDEAN, Distance, at_distance
from embedlab.metrics.per_class import ClassChange, Confusion, confusions, per_class
from embedlab.metrics.ten_fold import FACTOR
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels

_AT_DISTANCE = ("before", "after", "before_votes", "after_votes")
_NUMBERS = ("row", "before_votes", "after_votes")


@dataclass(frozen=True)
class Folds:
    """Predictions of a run by one distance, one entry per text in file order; votes are known of ten folds only.

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

    @cached_property
    def classes(self) -> list[ClassChange]:
        """Each class before and after."""
        return per_class(**self.predicted, widened=self._widened)

    def mistakes(self, most: int) -> list[Confusion]:
        """The most frequent ones."""
        return confusions(**self.predicted, most=most, widened=self._widened)

    @property
    def predicted(self) -> dict[str, np.ndarray]:
        """What ``metrics.per_class`` takes."""
        return {"labels": self.labels, "before": self.before, "after": self.after}

    @property
    def votes(self) -> dict[str, np.ndarray]:
        """How many of ten neighbors said so."""
        return {"before_votes": self.before_votes, "after_votes": self.after_votes}

    @property
    def _widened(self) -> float:
        return 1.0 if self.of_test_texts else FACTOR


def folds_of(run: RunFolder, distance: Distance = EUCLIDEAN, *, only_test_texts: bool = False) -> Folds | None:
    """None where nobody predicted these texts yet."""
    of_test_texts = only_test_texts or saw_labels(run)
    stored = {"row": "row", "label": "label"} | {name: at_distance(name, distance) for name in _AT_DISTANCE}
    try:
        with pq.ParquetFile(run.predictions if of_test_texts else run.predictions_by_folds) as file:
            there = {name: column for name, column in stored.items() if column in file.schema_arrow.names}
            table = file.read(columns=list(there.values())).to_pydict()
    except FileNotFoundError:
        return None
    if not {"before", "after"} <= set(there):
        return None
    found = {name: np.array(table[there[name]], int if name in _NUMBERS else object) for name in there}
    return Folds(
        rows=found["row"],
        labels=found["label"],
        before=found["before"],
        after=found["after"],
        before_votes=found.get("before_votes"),
        after_votes=found.get("after_votes"),
        of_test_texts=of_test_texts,
        distance=distance,
    )
