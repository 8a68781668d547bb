"""Labelled texts judged over ten shuffled folds: the prediction for each, and the interval of a change."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from embedlab.measurement import Difference
from embedlab.metrics.knn import K, train_neighbors
from embedlab.metrics.split import fold_splits
from embedlab.metrics.votes import majority
from embedlab.neighbors import NeighborGraph
from embedlab.statistics.intervals import LEVEL, normal, paired_shares

FACTOR = 1.45  # √(1 + 10/9): ten folds share their train texts, so errors go together (Nadeau and Bengio 2003)


@dataclass(frozen=True)
class FoldPredictions:
    """The prediction for every tested text from its ten nearest in the other nine folds, in file order."""

    rows: np.ndarray  # (tested,)
    folds: np.ndarray  # (tested,) int
    predictions: np.ndarray  # (tested,) of str, None where there is no neighbor to ask
    votes: np.ndarray  # (tested,) how many of the k neighbors carry the predicted label, from 0 to k


def fold_predictions(
    *,
    embeddings: np.ndarray,
    labels: np.ndarray,
    graph: NeighborGraph,
    k: int = K,
    copies: np.ndarray | None = None,
    untested: np.ndarray | None = None,
) -> FoldPredictions:
    """Every labelled text is predicted once, by the distance of the neighbor graph.  embeddings: (rows, dim)

    The folds are ``StratifiedKFold(10, shuffle=True, random_state=42)`` of the labelled texts in file order; what the
    neighbor graph does not reach is searched exactly. Copies (``numbered_copies``) are no neighbors of each other;
    rows in ``untested`` (``untested_rows``) are neighbors alone.
    """
    parts = []
    for fold, split in enumerate(fold_splits(labels, shuffled=True, copies=copies, untested=untested)):
        neighbors = train_neighbors(embeddings=embeddings, split=split, k=k, distance=graph.distance, graph=graph)
        predictions = majority(neighbors, labels)
        same = (labels[neighbors] == predictions[:, None]) & (neighbors >= 0)  # (test, k)
        votes = np.where([prediction is not None for prediction in predictions], same.sum(axis=1), 0)
        parts.append((split.test, np.full(len(split.test), fold), predictions, votes))
    tested, folds, predictions, votes = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(tested)
    return FoldPredictions(tested[order], folds[order], predictions[order], votes[order])


def fold_difference(*, before: np.ndarray, after: np.ndarray, level: float = LEVEL) -> Difference:
    """The change of a share over texts tested once each in ten folds: z · 1.45 · sd(dᵢ)/√n. each: (n,) bool

    dᵢ is 1 where a text turned right, −1 where it turned wrong, else 0. Where all dᵢ are alike their spread says
    nothing: then Bonett and Price's interval, widened by the same factor, stands in, so that none is of width 0.
    """
    d = np.asarray(after, float) - np.asarray(before, float)
    n = len(d)
    if n < 2 or np.ptp(d) == 0:
        return few_difference(before=before, after=after, level=level)
    half = normal(level) * FACTOR * float(d.std(ddof=1)) / sqrt(n)
    value = float(d.mean())
    return Difference(value, max(value - half, -1.0), min(value + half, 1.0), n)


def few_difference(*, before: np.ndarray, after: np.ndarray, level: float = LEVEL) -> Difference:
    """The same for few texts, such as one class: Bonett and Price's interval, 1.45 times as wide."""
    return paired_shares(before=before, after=after, level=level, widened=FACTOR)
