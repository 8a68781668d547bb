"""What the neighbors of every labelled text say by ten folds, before and after, as a run keeps it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.parquet as pq

from embedlab.metrics.per_class import ClassChange, per_class
from embedlab.runs.folder import RunFolder

_COLUMNS = ("row", "label", "before", "before_votes", "after", "after_votes")


@dataclass(frozen=True)
class Folds:
    """``predictions_folds.parquet`` of a run, one entry per labelled text in file order."""

    rows: np.ndarray
    labels: np.ndarray  # of str
    before: np.ndarray  # of str, None where there was no neighbor to ask
    before_votes: np.ndarray
    after: np.ndarray
    after_votes: np.ndarray

    @cached_property
    def classes(self) -> list[ClassChange]:
        """Each class before and after."""
        return per_class(**self.predicted)

    @property
    def predicted(self) -> dict[str, np.ndarray]:
        """What ``metrics.per_class`` takes."""
        return {"labels": self.labels, "before": self.before, "after": self.after}

    @property
    def votes(self) -> dict[str, np.ndarray]:
        """How many of ten neighbors said so."""
        return {"before_votes": self.before_votes, "after_votes": self.after_votes}


def folds_of(run: RunFolder) -> Folds | None:
    """None where nobody predicted the labelled texts of this run yet."""
    try:
        with pq.ParquetFile(run.predictions_by_folds) as file:
            table = file.read(columns=list(_COLUMNS)).to_pydict()
    except FileNotFoundError:
        return None
    labels, before, after = (np.array(table[name], object) for name in ("label", "before", "after"))
    numbers = {name: np.array(table[name], int) for name in ("row", "before_votes", "after_votes")}
    return Folds(
        rows=numbers["row"],
        labels=labels,
        before=before,
        before_votes=numbers["before_votes"],
        after=after,
        after_votes=numbers["after_votes"],
    )
