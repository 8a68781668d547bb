"""The nearest texts of one text, from a run's stored neighbors or embeddings, and how many share its label."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.damage import read_array
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.limits import LIMITS
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import StoredVectors, is_quick, nearest_by, stored_vectors
from embedlab.store_root import UnreadableFile


@dataclass(frozen=True)
class Nearest:
    """Corpus rows, nearest first by ``distance``."""

    rows: np.ndarray  # (k,)
    distance: Distance
    distances: np.ndarray | None = None  # (k,) Euclidean, where known
    cosines: np.ndarray | None = None  # (k,), where known
    is_picture: bool = False  # nearest on a map, not among the embeddings


def nearest_of_row(
    run: RunFolder, side: str, corpus: Corpus, row: int, *, k: int, distance: Distance, dimensions: int | None = None
) -> Nearest | None:
    """From the run's neighbor graph for this distance, otherwise from the embeddings if one pass is quick.

    None where neither can be done here. A text without a vector has no neighbors. ``dimensions``: by the first so many
    of each vector, for which there is no graph.
    """
    graph, path = run.neighbors(side, distance), run.embeddings(side)
    if not path.exists():
        return None
    embeddings = read_array(path, dimensions=2, is_mapped=True)[:, :dimensions]
    of_all = len(corpus.kept) <= LIMITS.mapped_texts  # else the graph is of a sample
    has_graph = dimensions is None and of_all and (graph / "graph.json").exists()
    indices = _indices(graph) if has_graph else None
    if indices is not None:
        node = int(np.searchsorted(corpus.kept, row))  # the graph counts the texts, not the rows
        near = indices[node, :k]
        return _measured(embeddings, row, corpus.kept[near[near >= 0]], distance)
    if not is_quick(embeddings):
        return None
    vectors = stored_vectors(run, side, dimensions)
    if vectors.lengths[row] == 0:
        return Nearest(np.empty(0, np.int64), distance)
    apart = vectors.distances(embeddings[row : row + 1], distance)[0]
    return _measured(embeddings, row, nearest_by(apart, k, without=row), distance)


def nearest_of_answer(side_answer: dict, *, k: int, distance: Distance, without: int = -1) -> Nearest:
    """From one side of the resident process's answer, ``without`` the query's row; none for unknown text."""
    rows, apart = np.array(side_answer["rows"], dtype=np.int64), np.array(side_answer["distances"], dtype=np.float64)
    taken = np.flatnonzero((rows >= 0) & (rows != without) & side_answer["known"])[:k]
    if distance == COSINE:
        return Nearest(rows[taken], distance, cosines=1 - apart[taken])
    return Nearest(rows[taken], distance, distances=apart[taken])


def same_label(corpus: Corpus, rows: np.ndarray, label: str | None) -> np.ndarray:
    """Whether each row carries this label.  rows: (k,) -> bool (k,)"""
    if corpus.labels is None or label is None:
        return np.zeros(len(rows), dtype=bool)
    return np.array([corpus.labels[row] == label for row in rows], dtype=bool)


def most_frequent(corpus: Corpus, rows: np.ndarray) -> tuple[str, int] | None:
    """The most frequent label of these rows and its count; ties go to the nearest row."""
    labels = [] if corpus.labels is None else [corpus.labels[row] for row in rows if corpus.labels[row] is not None]
    if not labels:
        return None
    most = max(labels, key=labels.count)
    return most, labels.count(most)


def _measured(embeddings: np.ndarray, row: int, rows: np.ndarray, distance: Distance) -> Nearest:
    """The same rows with their distance from ``row`` by either distance. embeddings: (corpus rows, dim)"""
    near, vector = np.asarray(embeddings[rows]), embeddings[row : row + 1]
    vectors = StoredVectors(near, np.linalg.norm(near.astype(np.float64), axis=1))
    return Nearest(rows, distance, vectors.distances(vector, EUCLIDEAN)[0], vectors.cosines(vector)[0])


def _indices(graph: Path) -> np.ndarray | None:
    """None if the file is damaged: a pass over the embeddings finds the same."""
    try:
        return read_array(graph / "indices.npy", dimensions=2, is_mapped=True)
    except UnreadableFile:
        return None
