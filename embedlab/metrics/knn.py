"""kNN accuracy: how often the majority label of a text's ten nearest labelled texts is its own (crops paper, §3.4)."""

from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np

from embedlab.metrics.exact import nearest_rows, usable
from embedlab.metrics.split import Split, fold_splits

K = 10


class GraphLike(Protocol):
    """Nearest first, the text itself left out, -1 where there is no neighbor.  indices, distances: (rows, neighbors)"""

    indices: np.ndarray
    distances: np.ndarray
    distance: str


@dataclass(frozen=True)
class KNNResult:
    """A share of right texts with its binomial error, and what was predicted for which row."""

    value: float
    standard_error: float
    test_texts: int
    k: int
    zero_vectors: int  # among train and test; never neighbors, wrong when tested
    distance: str
    predictions: np.ndarray  # (test_texts,) of str, None where there is no neighbor to ask
    test_rows: np.ndarray
    correct: np.ndarray  # (test_texts,) bool
    protocol: str = "paper"

    def as_json(self) -> dict:
        """The numbers without the arrays."""
        names = ("value", "standard_error", "test_texts", "k", "zero_vectors", "distance", "protocol")
        return {name: getattr(self, name) for name in names}


def knn_accuracy(
    *,
    embeddings: np.ndarray,
    labels: np.ndarray,
    split: Split,
    graph: GraphLike | None = None,
    k: int = K,
    distance: str = "euclidean",
) -> KNNResult:
    """kNN accuracy of the split's test rows among its train rows, read from the graph as far as that reaches.

    embeddings: (rows, dim), labels: (rows,) of str or None, one row per corpus row; the graph's distance counts.
    """
    distance = distance if graph is None else graph.distance
    neighbors = train_neighbors(embeddings=embeddings, split=split, graph=graph, k=k, distance=distance)
    return knn_result(neighbors=neighbors, labels=labels, split=split, good=usable(embeddings), k=k, distance=distance)


def knn_accuracy_direct(
    *,
    train: np.ndarray,
    train_labels: np.ndarray,
    test: np.ndarray,
    test_labels: np.ndarray,
    k: int = K,
    distance: str = "euclidean",
) -> KNNResult:
    """The same for two given sets of vectors, searched exactly (a live sample has no graph).  train: (texts, dim)"""
    rows = np.arange(len(train) + len(test))
    return knn_accuracy(
        embeddings=np.concatenate([train, test]),
        labels=np.concatenate([train_labels, test_labels]).astype(object),
        split=Split(train=rows[: len(train)], test=rows[len(train) :], protocol="direct"),
        k=k,
        distance=distance,
    )


def cv10_knn(
    *,
    embeddings: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray | None = None,
    graph: GraphLike | None = None,
    k: int = K,
    distance: str = "euclidean",
) -> KNNResult:
    """kNN accuracy by ten folds, each labelled text tested once; embeddings may be a map's coordinates."""
    parts = [
        knn_accuracy(embeddings=embeddings, labels=labels, split=split, graph=graph, k=k, distance=distance)
        for split in fold_splits(labels, rows)
    ]
    tested = np.concatenate([part.test_rows for part in parts])
    return joined(parts, good=usable(embeddings[tested]))


def train_neighbors(
    *, embeddings: np.ndarray, split: Split, graph: GraphLike | None, k: int, distance: str
) -> np.ndarray:
    """The k nearest train rows of every test row; -1 beyond the last.  -> (test, min(k, train))"""
    k = min(k, len(split.train))
    neighbors = np.full((len(split.test), k), -1)
    open_rows = np.arange(len(split.test))
    if graph is not None and k:
        is_train = np.zeros(len(embeddings) + 1, bool)  # one more, so that index -1 finds a False
        is_train[split.train] = True
        walk = graph.indices[split.test]  # (test, neighbors)
        in_train = is_train[walk]
        first = np.argsort(~in_train, axis=1, kind="stable")[:, :k]  # the train rows come first, nearest first
        enough = in_train.sum(axis=1) >= k
        neighbors[enough] = np.take_along_axis(walk, first, axis=1)[enough]
        open_rows = np.flatnonzero(~enough)
    if len(open_rows) and k:
        queries = embeddings[split.test[open_rows]]
        near, _ = nearest_rows(queries=queries, base=embeddings[split.train], k=k, distance=distance)
        neighbors[open_rows] = np.where(near >= 0, split.train[near], -1)
    return neighbors


def knn_result(
    *, neighbors: np.ndarray, labels: np.ndarray, split: Split, good: np.ndarray, k: int, distance: str
) -> KNNResult:
    """The majority vote of the neighbors and how often it is right.  neighbors: (test, k), good: (rows,) bool"""
    predictions = majority(neighbors, labels)
    predictions[~good[split.test]] = None
    correct = np.array(
        [p is not None and p == labels[row] for p, row in zip(predictions, split.test, strict=True)], bool
    )
    value, standard_error = share(correct)
    return KNNResult(
        value=value,
        standard_error=standard_error,
        test_texts=len(split.test),
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
    correct = np.concatenate([part.correct for part in parts])[order]
    value, standard_error = share(correct)
    return KNNResult(
        value=value,
        standard_error=standard_error,
        test_texts=len(rows),
        k=min(part.k for part in parts),
        zero_vectors=int((~good).sum()),
        distance=parts[0].distance,
        predictions=np.concatenate([part.predictions for part in parts])[order],
        test_rows=rows[order],
        correct=correct,
        protocol="cv10",
    )


def majority(neighbors: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The most frequent label of each row's neighbors, ties to the first in sorted order.  (test, k) -> (test,)"""
    predictions = np.full(len(neighbors), None, object)
    asked = np.unique(neighbors[neighbors >= 0])
    if len(asked) == 0:
        return predictions
    names, asked_codes = np.unique(labels[asked], return_inverse=True)
    codes = np.zeros(len(labels), int)
    codes[asked] = asked_codes
    votes = np.where(neighbors >= 0, codes[neighbors], len(names))  # (test, k), the absent vote for nobody
    same = votes[:, :, None] == votes[:, None, :]  # (test, k, k)
    support = np.where(votes < len(names), same.sum(axis=2), -1)
    best = np.where(support == support.max(axis=1, keepdims=True), votes, len(names)).min(axis=1)
    predictions[best < len(names)] = names[best[best < len(names)]]
    return predictions


def share(correct: np.ndarray) -> tuple[float, float]:
    """The share of right texts and its binomial standard error √(p(1-p)/n)."""
    p = float(correct.mean()) if len(correct) else 0.0
    return p, sqrt(p * (1 - p) / max(len(correct), 1))
