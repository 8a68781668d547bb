"""The nearest texts of one text under the encoder before and after, and what changed between them."""

from dataclasses import dataclass

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import StoredVectors, is_quick, nearest_by, stored_vectors

SIDES = ("before", "after")


@dataclass(frozen=True)
class Nearest:
    """Corpus rows, nearest first by ``distance``."""

    rows: np.ndarray  # (k,)
    distance: Distance
    distances: np.ndarray | None = None  # (k,) Euclidean, where known
    cosines: np.ndarray | None = None  # (k,), where known
    is_picture: bool = False  # nearest on a map, not among the embeddings


def nearest_of_row(
    run: RunFolder, side: str, corpus: Corpus, row: int, *, k: int, distance: Distance
) -> Nearest | None:
    """From the run's neighbor graph by this distance, else from the embeddings where one pass over them is quick.

    None where neither can be done here. A text without a vector has no neighbors.
    """
    graph, path = run.neighbors(side, distance), run.embeddings(side)
    if not path.exists():
        return None
    embeddings = _stored(path)
    of_all = len(corpus.kept) <= LIMITS.mapped_texts  # else the graph is of a sample
    if of_all and (graph / "graph.json").exists():
        own = int(np.searchsorted(corpus.kept, row))  # the graph counts the texts, not the rows
        near = _stored(graph / "indices.npy")[own, :k]
        return _measured(embeddings, row, corpus.kept[near[near >= 0]], distance)
    if not is_quick(embeddings):
        return None
    vectors = stored_vectors(run, side)
    if vectors.lengths[row] == 0:
        return Nearest(np.empty(0, np.int64), distance)
    apart = vectors.distances(embeddings[row : row + 1], distance)[0]
    return _measured(embeddings, row, nearest_by(apart, k, without=row), distance)


def nearest_of_answer(found: dict, *, k: int, distance: Distance, without: int = -1) -> Nearest:
    """From one side of the resident process's answer, ``without`` the row asked for; a text unknown to it has none."""
    rows, apart = np.array(found["rows"], dtype=np.int64), np.array(found["distances"], dtype=np.float64)
    taken = np.flatnonzero((rows >= 0) & (rows != without) & found["known"])[:k]
    if distance == COSINE:
        return Nearest(rows[taken], distance, cosines=1 - apart[taken])
    return Nearest(rows[taken], distance, distances=apart[taken])


def same_label(corpus: Corpus, rows: np.ndarray, label: str | None) -> np.ndarray:
    """Whether each row carries this label.  rows: (k,) -> bool (k,)"""
    if corpus.labels is None or label is None:
        return np.zeros(len(rows), dtype=bool)
    return np.array([corpus.labels[row] == label for row in rows], dtype=bool)


def most_frequent(corpus: Corpus, rows: np.ndarray) -> tuple[str, int] | None:
    """The label that most of these rows carry, and how many do; among equals that of the nearest row."""
    labels = [] if corpus.labels is None else [corpus.labels[row] for row in rows if corpus.labels[row] is not None]
    if not labels:
        return None
    most = max(labels, key=labels.count)
    return most, labels.count(most)


def _measured(embeddings: np.ndarray, row: int, rows: np.ndarray, distance: Distance) -> Nearest:
    """The same rows with how far they are from ``row`` by either distance.  embeddings: (corpus rows, dim)"""
    near, own = np.asarray(embeddings[rows]), embeddings[row : row + 1]
    vectors = StoredVectors(near, np.linalg.norm(near.astype(np.float64), axis=1))
    return Nearest(rows, distance, vectors.distances(own, EUCLIDEAN)[0], vectors.cosines(own)[0])


def _stored(path) -> np.ndarray:
    return np.load(path, mmap_mode="r", allow_pickle=False)
