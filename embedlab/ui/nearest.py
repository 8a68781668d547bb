"""The nearest texts of one text under the encoder before and after, and what changed between them."""

from dataclasses import dataclass

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder

SIDES = ("before", "after")


@dataclass(frozen=True)
class Nearest:
    """Corpus rows, nearest first."""

    rows: np.ndarray  # (k,)
    distances: np.ndarray  # (k,) Euclidean
    cosines: np.ndarray | None = None  # (k,), where the text's own vector is stored


def nearest_of_row(run: RunFolder, side: str, corpus: Corpus, row: int, *, k: int) -> Nearest | None:
    """From the run's neighbor graph; None where it is not computed. A text without a vector has no neighbors."""
    graph = run.neighbors(side, "euclidean")
    if not (graph / "graph.json").exists():
        return None
    own = int(np.searchsorted(corpus.kept, row))  # the graph counts the texts, not the rows
    near = _stored(graph / "indices.npy")[own, :k]
    distances = _stored(graph / "distances.npy")[own, :k]
    rows = corpus.kept[near[near >= 0]]
    return Nearest(rows, np.asarray(distances[near >= 0]), _cosines(_stored(run.embeddings(side)), row, rows))


def nearest_of_answer(found: dict, *, k: int, without: int = -1) -> Nearest:
    """From one side of the resident process's answer, ``without`` the row asked for; a text unknown to it has none."""
    rows, distances = np.array(found["rows"], dtype=np.int64), np.array(found["distances"], dtype=np.float64)
    taken = np.flatnonzero((rows >= 0) & (rows != without) & found["known"])[:k]
    return Nearest(rows[taken], distances[taken])


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


def _cosines(embeddings: np.ndarray, row: int, rows: np.ndarray) -> np.ndarray:
    """embeddings: (rows, dim) -> (k,), 0 with a vector of length zero"""
    own, near = np.asarray(embeddings[row], np.float64), np.asarray(embeddings[rows], np.float64)
    lengths = np.linalg.norm(near, axis=1) * np.linalg.norm(own)
    return np.divide(near @ own, lengths, out=np.zeros(len(rows)), where=lengths > 0)


def _stored(path) -> np.ndarray:
    return np.load(path, mmap_mode="r", allow_pickle=False)
