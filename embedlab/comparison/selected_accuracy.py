"""kNN accuracy of a run on selected texts only, from its predictions for all labelled texts (or all test texts)."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from embedlab.distance import EUCLIDEAN, Distance
from embedlab.measurement import Difference
from embedlab.metrics.ten_fold import FACTOR, few_difference
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.statistics.intervals import normal, paired_shares


@dataclass(frozen=True)
class Share:
    """A share of ``n`` texts with its 95 % interval, all between 0 and 1."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class SelectedAccuracy:
    """Of the selected texts with a label: right before, right after, and the change."""

    before: Share
    after: Share
    difference: Difference
    of_test_texts: bool = False  # not all labelled ones, because the run was trained by labels


def accuracy_on(run: RunFolder, rows: np.ndarray, distance: Distance = EUCLIDEAN) -> SelectedAccuracy | None:
    """The accuracy on these corpus rows. rows: (chosen,); None if none has a prediction or a label.

    Their neighbors are sought among all labelled texts of the other folds, not among the chosen ones only; of a run
    that was trained by labels, the test texts among them are told by their neighbors in the train part.
    """
    folds = folds_of(run, distance)
    if folds is None or not (chosen := np.isin(folds.rows, rows)).any():
        return None
    before, after = (folds.right(side)[chosen] for side in ("before", "after"))
    if folds.of_test_texts:
        first, last = (fold_share(side, widened=1.0) for side in (before, after))
        return SelectedAccuracy(first, last, paired_shares(before=before, after=after), of_test_texts=True)
    return SelectedAccuracy(fold_share(before), fold_share(after), few_difference(before=before, after=after))


def fold_share(right: np.ndarray, *, widened: float = FACTOR) -> Share:
    """Wilson's interval for texts tested once each in ten folds, with z 1.45 times as large. right: (n,) bool

    With n texts of which a share p is right and z = 1.45 · 1.96: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    """
    n, p, z = len(right), float(np.mean(right)), widened * normal(0.95)
    middle, half = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((middle + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
    return Share(p, max(low, 0.0), min(high, 1.0), n)
