"""kNN accuracy (crops paper, §3.4), and how many of five neighbors share a text's class (SemCSE, section 5.2)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.measurement import ByDistance
from embedlab.metrics.base import Labelled, Metric, MetricResult, change_of_mean, change_of_right, mean_of
from embedlab.metrics.split import Split, fold_splits
from embedlab.metrics.votes import KNNResult, joined, knn_result, share
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.statistics.intervals import interval_of_share
from embedlab.vectors.exact import Matrix, have_length_one, nearest_rows, usable
from embedlab.vectors.files import taken

K = 10
SPARE_NEIGHBORS = 14  # beyond the k that vote, because those in a text's own fold do not


class KNN(Metric):
    """Euclidean distance is the papers' protocol; cosine is measured as well."""

    key = "knn"
    title = "kNN accuracy"
    sentence = "How often the majority of a text's ten nearest labeled texts has its label."
    paper = "crops"
    cites = ("crops", "pedregosa2011sklearn")
    reads = Labelled
    by_both = True

    @staticmethod
    def measure(material: Labelled) -> ByDistance[MetricResult]:
        """1 when every text is told right, about the largest class's share by chance, 0 for zero vectors."""
        return ByDistance.of(lambda distance: _measured(material, distance))

    difference = staticmethod(change_of_right)


def knn_accuracy(
    *,
    embeddings: Matrix,
    labels: np.ndarray,
    split: Split,
    k: int = K,
    distance: str = "euclidean",
    graph: NeighborGraph | None = None,
) -> KNNResult:
    """kNN accuracy of the split's test rows among its train rows; by their neighbor graph, where there is one.

    embeddings: (rows, dim), labels: (rows,) of str or None, one row per corpus row
    """
    neighbors = train_neighbors(embeddings=embeddings, split=split, k=k, distance=distance, graph=graph)
    good = np.zeros(embeddings.shape[0], bool)  # of the others nobody asks
    for rows in (split.train, split.test):
        good[rows] = usable(embeddings, rows)
    return knn_result(neighbors=neighbors, labels=labels, split=split, good=good, k=k, distance=distance)


def knn_by_both(*, embeddings: np.ndarray, labels: np.ndarray, splits: Sequence[Split]) -> ByDistance[KNNResult]:
    """Return the kNN accuracy by each distance, over one split or over the folds of a cross-validation.

    Vectors of length 1 are searched once, because both distances rank them alike.
    embeddings: (rows, dim), labels: (rows,) of str or None; folds divide all these rows
    """
    euclidean = _over_splits(embeddings, labels, splits, EUCLIDEAN)
    if all(have_length_one(embeddings, rows) for split in splits for rows in (split.test, split.train)):
        return ByDistance(euclidean=euclidean, cosine=replace(euclidean, distance=COSINE))
    return ByDistance(euclidean=euclidean, cosine=_over_splits(embeddings, labels, splits, COSINE))


def _over_splits(embeddings: np.ndarray, labels: np.ndarray, splits: Sequence[Split], distance: Distance) -> KNNResult:
    if len(splits) == 1:
        return knn_accuracy(embeddings=embeddings, labels=labels, split=splits[0], distance=distance)
    # One search serves all folds: of a text's nearest neighbors about a tenth is in its own fold.
    graph = neighbor_graph(embeddings, k=K + SPARE_NEIGHBORS, distance=distance)
    parts = [
        knn_accuracy(embeddings=embeddings, labels=labels, split=split, distance=distance, graph=graph)
        for split in splits
    ]
    tested = np.concatenate([part.test_rows for part in parts])
    return joined(parts, good=usable(embeddings, tested))


def cv10_knn(
    *,
    embeddings: Matrix,
    labels: np.ndarray,
    rows: np.ndarray | None = None,
    k: int = K,
    distance: str = "euclidean",
    shuffled: bool = False,
    copies: np.ndarray | None = None,
    untested: np.ndarray | None = None,
) -> KNNResult:
    """kNN accuracy by ten folds, each labelled text tested once but for ``untested`` rows, which are neighbors alone.

    Embeddings may be a map's coordinates.
    """
    parts = [
        knn_accuracy(embeddings=embeddings, labels=labels, split=split, k=k, distance=distance)
        for split in fold_splits(labels, rows, shuffled=shuffled, copies=copies, untested=untested)
    ]
    tested = np.concatenate([part.test_rows for part in parts])
    return joined(parts, good=usable(embeddings[tested]))


def train_neighbors(
    *, embeddings: Matrix, split: Split, k: int, distance: str, graph: NeighborGraph | None = None
) -> np.ndarray:
    """The k nearest train rows of every test row, excluding itself and its copies; -1 for none.

    Searched exactly where there is no graph, by this distance, or it does not reach.  -> (test, min(k, train))
    """
    k = min(k, len(split.train))
    neighbors = np.full((len(split.test), k), -1)
    open_rows = np.arange(len(split.test))
    if graph is not None and k:
        is_train = np.zeros(embeddings.shape[0] + 1, bool)  # one more, so that index -1 finds a False
        is_train[split.train] = True
        walk = graph.indices[split.test]  # (test, neighbors)
        allowed = is_train[walk]
        if split.copies is not None:
            allowed &= split.copies[walk] != split.copies[split.test][:, None]
        first = np.argsort(~allowed, axis=1, kind="stable")[:, :k]  # those come first, nearest first
        enough = allowed.sum(axis=1) >= k
        neighbors[enough] = np.take_along_axis(walk, first, axis=1)[enough]
        open_rows = np.flatnonzero(~enough)
    if k == 0:
        return neighbors
    further = np.zeros(len(open_rows), int)  # how many more neighbors to search, because some train rows are copies
    if split.copies is not None and len(open_rows):
        among = np.bincount(split.copies[split.train], minlength=split.copies.max() + 1)
        count = among[split.copies[split.test[open_rows]]]
        further = np.where(count > 0, 2 ** np.ceil(np.log2(np.maximum(count, 1))).astype(int), 0)
    for more in np.unique(further).tolist():
        places = open_rows[further == more]
        rows = split.test[places]
        near, _ = nearest_rows(
            queries=taken(embeddings, rows), base=embeddings, among=split.train, k=k + more, distance=distance
        )
        nearest = np.where(near >= 0, split.train[near], -1)
        neighbors[places] = others_of(nearest, rows, split.copies, k) if more else nearest
    return neighbors


def others_of(nearest: np.ndarray, rows: np.ndarray, copies: np.ndarray | None, k: int) -> np.ndarray:
    """The first k of each row's nearest rows that are not copies of it, -1 for none. found: (rows, more)"""
    if copies is None:
        return nearest
    theirs = (nearest >= 0) & (copies[nearest] != copies[rows][:, None])
    first = np.argsort(~theirs, axis=1, kind="stable")[:, :k]
    others = np.take_along_axis(nearest, first, axis=1)
    others[~np.take_along_axis(theirs, first, axis=1)] = -1
    return np.pad(others, ((0, 0), (0, k - others.shape[1])), constant_values=-1)


def _measured(material: Labelled, distance: Distance) -> MetricResult:
    given: dict = {"embeddings": material.embeddings, "labels": material.known_labels, "distance": distance}
    if material.protocol == "cv10":
        result = cv10_knn(**given, rows=material.rows, copies=material.copies)
    else:
        result = knn_accuracy(**given, split=material.splits[0])
    facts = {name: getattr(result, name) for name in ("k", "zero_vectors", "distance", "protocol")}
    facts |= interval_of_share(result.value, result.standard_error)
    if material.near_duplicates is not None:
        near = material.near_duplicates[result.test_rows]
        facts |= {"near_duplicates": int(near.sum()), "without_near_duplicates": share(result.correct[~near])[0]}
    predicted = np.array(["" if label is None else label for label in result.predictions], str)
    units = {"rows": result.test_rows, "correct": result.correct, "predicted": predicted}
    return MetricResult(**dict(result.measurement), facts=facts, units=units)


SAME_CLASS_K = 5


class SameClassNeighbors(Metric):
    """The mean share of same-class texts among the five nearest, without a vote."""

    key = "neighbors-5"
    title = "Same class among five neighbors"
    sentence = "How many of a text's five nearest train texts have its class."
    paper = "semcse"
    reads = Labelled
    by_both = True

    @staticmethod
    def measure(material: Labelled) -> ByDistance[MetricResult]:
        """1 if all five share the class, 0 for zero vectors."""
        splits = material.splits
        rows = np.concatenate([split.test for split in splits])
        order = np.argsort(rows)
        zero_vectors = int((~usable(material.embeddings[np.union1d(rows, splits[0].train)])).sum())
        labels = material.known_labels

        def measured(distance: Distance) -> MetricResult:
            parts = []
            for split in splits:
                near = train_neighbors(embeddings=material.embeddings, split=split, k=SAME_CLASS_K, distance=distance)
                same = (near >= 0) & (labels[near] == labels[split.test][:, None])  # (test, k)
                parts.append(same.sum(axis=1) / np.maximum((near >= 0).sum(axis=1), 1))
            shares = np.concatenate(parts)[order]
            mean = mean_of(shares)
            facts = {
                "k": SAME_CLASS_K,
                "zero_vectors": zero_vectors,
                "distance": distance,
                "protocol": material.protocol,
                **interval_of_share(mean.value, mean.error or 0.0),
            }
            return MetricResult(**dict(mean), facts=facts, units={"rows": rows[order], "shares": shares})

        return ByDistance.of(measured)

    difference = staticmethod(partial(change_of_mean, "shares"))
