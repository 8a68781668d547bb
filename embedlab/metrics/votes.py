"""The majority vote of neighbors, and its accuracy."""

from dataclasses import dataclass

import numpy as np

from embedlab.measurement import Measurement, share_error
from embedlab.metrics.split import Split


@dataclass(frozen=True)
class KNNResult:
    """A share of right texts with its binomial error, and the prediction for each row."""

    k: int
    zero_vectors: int  # among train and test; never neighbors, wrong when tested
    distance: str
    predictions: np.ndarray  # (test_texts,) of str, None where there is no neighbor to ask
    test_rows: np.ndarray
    correct: np.ndarray  # (test_texts,) bool
    protocol: str = "paper"

    @property
    def value(self) -> float:
        """The share of right texts."""
        return share(self.correct)[0]

    @property
    def standard_error(self) -> float:
        """Its binomial error."""
        return share(self.correct)[1]

    @property
    def test_texts(self) -> int:
        """The number of texts."""
        return len(self.correct)

    @property
    def measurement(self) -> Measurement:
        """The share, its error, and the number of texts."""
        value, error = share(self.correct)
        return Measurement(value=value, error=error, n=self.test_texts)


def knn_result(
    *, neighbors: np.ndarray, labels: np.ndarray, split: Split, good: np.ndarray, k: int, distance: str
) -> KNNResult:
    """The majority vote of the neighbors and its accuracy. neighbors: (test, k), good: (rows,) bool"""
    predictions = majority(neighbors, labels)
    predictions[~good[split.test]] = None
    correct = np.array(
        [p is not None and p == labels[row] for p, row in zip(predictions, split.test, strict=True)], bool
    )
    return KNNResult(
        k=min(k, int(good[split.train].sum())),
        zero_vectors=int((~good[np.concatenate([split.train, split.test])]).sum()),
        distance=distance,
        predictions=predictions,
        test_rows=split.test,
        correct=correct,
        protocol=split.protocol,
    )


def joined(parts: list[KNNResult], *, good: np.ndarray) -> KNNResult:
    """The folds of one cross-validation as one result, rows in file order."""
    rows = np.concatenate([part.test_rows for part in parts])
    order = np.argsort(rows)
    return KNNResult(
        k=min(part.k for part in parts),
        zero_vectors=int((~good).sum()),
        distance=parts[0].distance,
        predictions=np.concatenate([part.predictions for part in parts])[order],
        test_rows=rows[order],
        correct=np.concatenate([part.correct for part in parts])[order],
        protocol=parts[0].protocol,
    )


def majority(neighbors: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The most frequent label of each row's neighbors, ties to the first in sorted order.  (test, k) -> (test,)"""
    from scipy.stats import mode

    predictions = np.full(len(neighbors), None, object)
    voting = np.unique(neighbors[neighbors >= 0])
    if len(voting) == 0:
        return predictions
    names, asked_codes = np.unique(labels[voting], return_inverse=True)
    codes = np.zeros(len(labels), int)
    codes[voting] = asked_codes
    absent = len(names) + np.arange(neighbors.shape[1])  # each votes for nobody else and loses every tie
    best = mode(np.where(neighbors >= 0, codes[neighbors], absent), axis=1).mode
    predictions[best < len(names)] = names[best[best < len(names)]]
    return predictions


def measured_share(correct: np.ndarray) -> Measurement:
    """The share of right texts.  correct: (n,) bool"""
    value, error = share(correct)
    return Measurement(value=value, error=error)


def share(correct: np.ndarray) -> tuple[float, float]:
    """The share of right texts and its binomial standard error √(p(1-p)/n)."""
    p = float(correct.mean()) if len(correct) else 0.0
    return p, share_error(p, len(correct))
