"""Exact nearest rows in plain numpy, for what has no neighbor graph: a live sample, the rows a graph leaves open."""

import numpy as np

SPARE = 16  # candidates beyond k whose distances are computed anew: the product formula loses the last digits
CHUNK_NUMBERS = 2**22


def nearest_rows(*, queries: np.ndarray, base: np.ndarray, k: int, distance: str) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest rows of ``base`` for each query, nearest first, equal distances in file order.

    queries: (queries, dim), base: (rows, dim) -> indices and distances (queries, min(k, rows)); where a zero or
    non-finite vector is involved the index is -1 and the distance infinite.
    """
    good_query, good_base = usable(queries), np.flatnonzero(usable(base))
    k = min(k, len(base))
    indices = np.full((len(queries), k), -1)
    distances = np.full((len(queries), k), np.inf)
    found = min(k, len(good_base))
    if found == 0:
        return indices, distances
    points = np.asarray(base[good_base], np.float64)
    offset = points.mean(axis=0) if distance == "euclidean" else 0.0  # a shift changes no distance and saves digits
    points = _prepared(points, offset, distance)
    squares = (points**2).sum(axis=1)
    rows = np.flatnonzero(good_query)
    step = max(1, CHUNK_NUMBERS // max(len(points), (found + SPARE) * base.shape[1]))
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        q = _prepared(np.asarray(queries[chunk], np.float64), offset, distance)
        near = squares - 2 * (q @ points.T)  # (chunk, rows), up to a constant per query
        candidates = _smallest(near, min(found + SPARE, len(points)))
        exact = ((points[candidates] - q[:, None, :]) ** 2).sum(axis=2)  # (chunk, candidates)
        order = np.argsort(exact, axis=1, kind="stable")[:, :found]
        exact = np.take_along_axis(exact, order, axis=1)
        indices[chunk, :found] = good_base[np.take_along_axis(candidates, order, axis=1)]
        distances[chunk, :found] = np.sqrt(exact) if distance == "euclidean" else exact / 2  # |u-v|² = 2 (1 - cos)
    return indices, distances


def usable(embeddings: np.ndarray) -> np.ndarray:
    """True where a vector is finite and not zero; the others are nobody's neighbor.  (texts, dim) -> (texts,) bool"""
    return np.isfinite(embeddings).all(axis=1) & (embeddings != 0).any(axis=1)


def _prepared(points: np.ndarray, offset: np.ndarray | float, distance: str) -> np.ndarray:
    if distance == "euclidean":
        return points - offset
    points = points / np.abs(points).max(axis=1, keepdims=True)  # so that the squares neither overflow nor vanish
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """The columns of the ``count`` smallest values of each row, in column order.  (rows, columns) -> (rows, count)"""
    if count >= values.shape[1]:
        return np.tile(np.arange(values.shape[1]), (len(values), 1))
    return np.sort(np.argpartition(values, count - 1, axis=1)[:, :count], axis=1)
