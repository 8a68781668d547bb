"""kNN accuracy of a run on chosen texts only, from what ten folds predicted of every labelled text."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from embedlab.metrics.intervals import Difference, normal
from embedlab.metrics.ten_fold import FACTOR, few_difference
from embedlab.runs.folder import RunFolder


@dataclass(frozen=True)
class Share:
    """A share of ``n`` texts with its 95 % interval, all between 0 and 1."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class SelectedAccuracy:
    """The labelled ones of the chosen texts: right before, right after, and the change."""

    before: Share
    after: Share
    difference: Difference


def accuracy_on(run: RunFolder, rows: np.ndarray) -> SelectedAccuracy | None:
    """Of these corpus rows.  rows: (chosen,); None where nobody predicted by folds yet, or none of them has a label.

    Their neighbors are sought among all labelled texts of the other folds, not among the chosen ones only.
    """
    try:
        with pq.ParquetFile(run.predictions_by_folds) as file:
            table = file.read(columns=["row", "label", "before", "after"])
    except FileNotFoundError:
        return None
    chosen = np.isin(np.asarray(table.column("row")), rows)
    if not chosen.any():
        return None
    before, after = (_right(table, side)[chosen] for side in ("before", "after"))
    return SelectedAccuracy(fold_share(before), fold_share(after), few_difference(before=before, after=after))


def fold_share(right: np.ndarray) -> Share:
    """Wilson's interval for texts that ten folds tested once each, its z 1.45 times as large.  right: (n,) bool

    With n texts of which a share p is right and z = 1.45 · 1.96: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    """
    n, p, z = len(right), float(np.mean(right)), FACTOR * normal(0.95)
    middle, half = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((middle + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
    return Share(p, max(low, 0.0), min(high, 1.0), n)


def _right(table, side: str) -> np.ndarray:
    """(labelled,) bool; a text without a neighbor to ask is wrong."""
    return np.asarray(pc.fill_null(pc.equal(table.column("label"), table.column(side)), False))
