"""The stored embeddings of one side of a run, read in passes: distances from a vector, two texts compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedlab.damage import read_array
from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.metrics.length_results import CopiesFit
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import no_embeddings
from embedlab.vectors.files import drop_pages
from embedlab.vectors.ties import compared

CHUNK_NUMBERS = 2**19  # of the embeddings, at once: 2 MB stay in the processor's cache


@dataclass(frozen=True)
class StoredVectors:
    """Embeddings that stay on disk; zero and non-finite vectors are never neighbors."""

    embeddings: np.ndarray  # (rows, dim) float32, one row per corpus row
    lengths: np.ndarray  # (rows,) float64, 0 where a vector is not usable

    def distances(self, vectors: np.ndarray, distance: Distance = EUCLIDEAN) -> np.ndarray:
        """The distance of every row from each vector, by differences; infinite where a vector is unusable.

        Rounded as ``ties.compared`` says, so that equal distances are equal numbers. By cosine 1 − cos = |u − v|² / 2
        of the vectors at length one.
        vectors: (vectors, dim), for cosine none of length zero -> (vectors, rows) float64
        """
        queries: np.ndarray = np.asarray(vectors, np.float64)
        if distance == COSINE:
            queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
        squares, lengths = np.full((len(vectors), len(self.lengths)), np.inf), _positive(self.lengths)
        with np.errstate(invalid="ignore", over="ignore"):  # of vectors that are left out below
            for rows in self._chunks():
                chunk: np.ndarray = np.asarray(self.embeddings[rows], np.float64)
                chunk = chunk / lengths[rows, None] if distance == COSINE else chunk
                for query, vector in enumerate(queries):
                    apart = chunk - vector
                    squares[query, rows] = np.einsum("ij,ij->i", apart, apart)
        squares = compared(squares, np.einsum("ij,ij->i", queries, queries)[:, None])
        squares[:, self.lengths == 0] = np.inf
        return squares / 2 if distance == COSINE else np.sqrt(squares)

    def cosines(self, vectors: np.ndarray) -> np.ndarray:
        """The cosine of every row with each vector, NaN where one is unusable. (vectors, dim) -> (vectors, rows)"""
        queries = np.asarray(vectors, np.float64)
        queries = queries / _positive(np.linalg.norm(queries, axis=1))[:, None]
        products = np.empty((len(queries), len(self.lengths)))
        with np.errstate(invalid="ignore"):  # of vectors that are not finite: their length is no number here
            for rows in self._chunks():
                products[:, rows] = queries @ np.asarray(self.embeddings[rows], np.float64).T
        return np.clip(products / _positive(self.lengths), -1.0, 1.0)

    def _chunks(self) -> Iterator[slice]:
        step = max(1, CHUNK_NUMBERS // max(self.embeddings.shape[1], 1))
        for start in range(0, len(self.embeddings), step):
            yield slice(start, start + step)
            drop_pages(self.embeddings)


def nearest_by(distances: np.ndarray, k: int, *, without: int = -1) -> np.ndarray:
    """The k rows at the smallest finite distances, ties in file order. distances: (rows,) -> (≤ k,)"""
    distances = distances.copy() if without >= 0 else distances
    if without >= 0:
        distances[without] = np.inf
    k = min(k, int(np.isfinite(distances).sum()))
    if k < 1:
        return np.empty(0, np.int64)
    candidates = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
    return candidates[np.argsort(distances[candidates], kind="stable")][:k]


def stored_vectors(run: RunFolder, name: str, dimensions: int | None = None) -> StoredVectors:
    """The embeddings ``before`` or ``after`` of a run and their norms, cached until the file changes.

    ``dimensions``: only the first so many of each.
    """
    path = run.embeddings(name)
    if not path.exists():
        raise no_embeddings(run)
    return _opened(path, path.stat().st_mtime_ns, dimensions)


def dim_of(run: RunFolder) -> int | None:
    """How many dimensions its vectors after training have (before, where there is no other); None without any."""
    path = next((path for name in ("after", "before") if (path := run.embeddings(name)).exists()), None)
    return None if path is None else read_array(path, dimensions=2, is_mapped=True).shape[1]


@lru_cache(maxsize=4)
def _opened(path: Path, changed: int, dimensions: int | None) -> StoredVectors:
    embeddings = read_array(path, dimensions=2, is_mapped=True)[:, :dimensions]
    squares = np.empty(len(embeddings))
    measured = StoredVectors(embeddings, squares)
    for rows in measured._chunks():
        chunk = np.asarray(embeddings[rows], np.float64)
        squares[rows] = np.einsum("ij,ij->i", chunk, chunk)
    return StoredVectors(embeddings, np.sqrt(np.where(np.isfinite(squares), squares, 0.0)))


def _positive(lengths: np.ndarray) -> np.ndarray:
    """Norms to divide by; division by those of zero gives NaN. (n,) -> (n,)"""
    return np.where(lengths > 0, lengths, np.nan)


NEIGHBORS = 10
NUMBERS_AT_ONCE = 2**24  # embeddings of so many numbers are read twice in well under 0.3 s


@dataclass(frozen=True)
class NearRows:
    """The rows of the corpus nearest to a text, nearest first, with their distances."""

    rows: list[int]
    distances: list[float]
    is_known: bool = True  # whether the encoder has a token of the text, or the row a vector
    position: list[float] | None = None  # x and y of a typed text, where a map is drawn


@dataclass(frozen=True)
class Flight(CopiesFit):
    """Where a text goes on the map as it is repeated, for each m of ``copies``."""

    is_known: bool  # whether the encoder has a token of it
    near: list[NearRows]
    stays: list[int]  # how many of the nearest at the first m are still among them
    places: list[list[float] | None]  # x and y, where a map is drawn


class Ranks(NamedTuple):
    """The place of the second text among all others by their distance to the first (1: the nearest); and vice versa."""

    of_first: int
    of_second: int


@dataclass(frozen=True)
class TwoTexts:
    """Two texts of a corpus; neither cosine nor ranks if one of them has no vector."""

    cosine: float | None  # −1 … 1
    ranks: Ranks | None
    shared: list[int]  # rows among the ten nearest of both
    others: int  # how many texts have a place in such a list


def between(vectors: StoredVectors, first: int, second: int, distance: Distance = EUCLIDEAN) -> TwoTexts:
    """Exact, in one pass over all texts."""
    rows = np.array([first, second])
    others = int((vectors.lengths > 0).sum()) - 1
    if (vectors.lengths[rows] == 0).any():
        return TwoTexts(None, None, [], others)
    pair = np.asarray(vectors.embeddings[rows], np.float64)
    cosine = float(pair[0] @ pair[1] / vectors.lengths[rows].prod())
    apart = vectors.distances(vectors.embeddings[rows], distance)  # (2, rows)
    of_first, of_second = (nearest_by(apart[each], NEIGHBORS, without=rows[each]) for each in range(2))
    ranks = Ranks(rank(apart[0], second, without=first), rank(apart[1], first, without=second))
    return TwoTexts(min(max(cosine, -1.0), 1.0), ranks, np.intersect1d(of_first, of_second).tolist(), others)


def rank(distances: np.ndarray, row: int, *, without: int) -> int:
    """The rank of a row by distance, from 1, ties in file order. distances: (rows,)"""
    nearer = distances < distances[row]
    nearer[:row] |= distances[:row] == distances[row]
    nearer[without] = False
    return int(nearer.sum()) + 1


def is_quick(embeddings: np.ndarray) -> bool:
    """Whether a page may compute it directly instead of asking the resident process. (rows, dim)"""
    return embeddings.size <= NUMBERS_AT_ONCE
