"""Exact nearest rows in plain numpy, where there is no neighbor graph: live samples, sparse rows, open rows.

scikit-learn's brute force orders by rounded products: of vectors far from the origin it gives 4e-4 for the distance of
one to itself, and equal distances come in no order.
"""

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np

from embedlab.vectors.files import drop_pages, taken
from embedlab.vectors.ties import compared, highest_equal

Matrix = Any  # (rows, dim): a dense array, or one of scipy's sparse matrices, which have no types
PRODUCT_ERROR = 2.0**-42  # of a squared distance, by the squared lengths of both rows
SPARE = 16  # candidates beyond k whose distances are computed anew: the product formula loses the last digits
CHUNK_NUMBERS = 2**22
CHUNK_ROWS = 16_384
BLOCK_ROWS = 16_384
PLANE = 3  # up to so many dimensions, as those of a map, a tree finds the candidates; above it would help nothing


def nearest_rows(
    *, queries: Matrix, base: Matrix, k: int, distance: str, among: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest rows of ``base``, or of those ``among`` it, for each query; ties in row order (``ties.compared``).

    queries: (queries, dim), base: (rows, dim), both dense or both sparse, among: (n,) rows -> indices (places in
    ``among``, if given) and distances (queries, min(k, n)), nearest first; where a zero or non-finite vector is
    involved the index is -1 and the distance infinite. Of a mapped ``base`` a block of rows is held at once.
    """
    if among is None:
        among = np.arange(base.shape[0])
    good_query, good_base = usable(queries), np.flatnonzero(usable(base, among))
    k = min(k, len(among))
    indices = np.full((queries.shape[0], k), -1)
    distances = np.full((queries.shape[0], k), np.inf)
    reachable = min(k, len(good_base))
    if reachable == 0:
        return indices, distances
    rows, blocks = np.flatnonzero(good_query), [good_base]
    if not is_sparse(base) and base.shape[1] > PLANE:  # a part of the rows is held in float64 at a time
        blocks = np.split(good_base, range(BLOCK_ROWS, len(good_base), BLOCK_ROWS))
    offset: np.ndarray | float = 0.0
    if distance == "euclidean" and not is_sparse(base):  # a shift changes no distance and saves digits
        total = np.zeros(base.shape[1])
        for block in blocks:  # summed row by row, as numpy does
            total = np.add.reduce(np.vstack([total, taken(base, among[block])]), axis=0)
        offset = total / len(good_base)
    for block in blocks:
        points = _prepared(taken(base, among[block]).astype(np.float64), offset, distance)
        candidate_count = min(reachable + SPARE, len(block))
        search, width = _candidate_search(points, candidate_count)
        step = max(1, CHUNK_NUMBERS // max(width, candidate_count * numbers_per_row(points)))
        for start in range(0, len(rows), step):
            chunk = rows[start : start + step]
            q = queries[chunk].astype(np.float64)
            own = np.ones(len(chunk)) if distance == "cosine" else squared_lengths(q)
            q = _prepared(q, offset, distance)
            candidates, crowded = search(q, min(reachable, len(block)), own)
            # those of the blocks before come first: equal distances stay in file order
            squares = np.hstack([distances[chunk, :reachable], _squared_distances(q, points, candidates)])
            named = np.hstack([indices[chunk, :reachable], block[candidates]])
            former = distances[chunk[[*crowded]], :reachable], indices[chunk[[*crowded]], :reachable]
            order = np.argsort(compared(squares, own[:, None]), axis=1, kind="stable")[:, :reachable]
            distances[chunk, :reachable] = np.take_along_axis(squares, order, axis=1)
            indices[chunk, :reachable] = np.take_along_axis(named, order, axis=1)
            twins: dict[bytes, int] = {}  # equal queries have equal neighbors
            for query, columns, *held in zip(crowded, crowded.values(), *former, strict=True):
                twin = twins.setdefault(_bytes_of(q, query), query)
                if twin != query:
                    distances[chunk[query]], indices[chunk[query]] = distances[chunk[twin]], indices[chunk[twin]]
                    continue
                apart = _squared_distances_of_one(q[query : query + 1], points, columns)
                squares, named = np.append(held[0], apart), np.append(held[1], block[columns])
                order = np.argsort(compared(squares, own[query]), kind="stable")[:reachable]
                distances[chunk[query], :reachable], indices[chunk[query], :reachable] = squares[order], named[order]
    apart = distances[rows, :reachable]
    distances[rows, :reachable] = np.sqrt(apart) if distance == "euclidean" else apart / 2  # |u-v|² = 2 (1 - cos)
    return indices, distances


Candidates = tuple[np.ndarray, dict[int, np.ndarray]]


def _candidate_search(points: Matrix, count: int) -> tuple[Callable[[Matrix, int, np.ndarray], Candidates], int]:
    """What finds the ``count`` nearest points of each query, in row order, and how many numbers it needs per query.

    Where more points than these may be as near as the k-th, it names all of them: those are the crowded queries.

    points: (rows, dim) -> function of queries (queries, dim), k and their squared lengths (queries,) -> columns
    (queries, count), and columns of each crowded query by its position
    """
    rows = points.shape[0]
    if not is_sparse(points) and points.shape[1] <= PLANE:
        from scipy.spatial import cKDTree

        tree = cKDTree(points)

        def nearest_on_plane(queries: Matrix, k: int, own_squares: np.ndarray) -> Candidates:
            apart, columns = tree.query(queries, k=np.arange(1, count + 1))
            bounds = highest_equal(apart[:, k - 1] ** 2, own_squares)
            unclear = np.flatnonzero(apart[:, -1] ** 2 <= bounds) if count < rows else ()
            crowded = {
                int(query): np.sort(tree.query_ball_point(queries[query], np.sqrt(bounds[query]) * (1 + 1e-12)))
                for query in unclear
            }
            return np.sort(columns, axis=1), crowded

        return nearest_on_plane, count
    squares, columns = squared_lengths(points), transposed(points)
    largest = squares.max(initial=0.0)

    def nearest(queries: Matrix, k: int, own_squares: np.ndarray) -> Candidates:
        apart = products(queries, columns)  # becomes squared distances up to a constant per query
        apart *= -2
        apart += squares
        chosen = _smallest(apart, count)
        if count == rows:
            return chosen, {}
        near, lengths = np.take_along_axis(apart, chosen, axis=1), squared_lengths(queries)
        kth = np.partition(near, k - 1, axis=1)[:, k - 1] + lengths
        bounds = highest_equal(np.maximum(kth, 0), own_squares) + PRODUCT_ERROR * (lengths + largest) - lengths
        unclear = np.flatnonzero(near.max(axis=1) <= bounds).tolist()
        return chosen, {query: np.flatnonzero(apart[query] <= bounds[query]) for query in unclear}

    return nearest, rows


def usable(embeddings: Matrix, rows: np.ndarray | None = None) -> np.ndarray:
    """True where a vector is finite and not zero; other vectors are never neighbors.

    (texts, dim) -> (texts,) bool; of ``rows`` (n,), where these are given -> (n,) bool
    """
    if rows is not None:
        parts = np.split(rows, range(CHUNK_ROWS, len(rows), CHUNK_ROWS))
        return np.concatenate([usable(taken(embeddings, part)) for part in parts])
    if is_sparse(embeddings):
        rows = embeddings.tocsr()
        count, owner = rows.shape[0], _owners(rows)
        broken = np.bincount(owner, ~np.isfinite(rows.data), minlength=count)
        return (broken == 0) & (np.bincount(owner, rows.data != 0, minlength=count) > 0)
    good = np.empty(len(embeddings), bool)
    for start in range(0, len(embeddings), CHUNK_ROWS):  # else two truth values stand beside every number
        part = embeddings[start : start + CHUNK_ROWS]
        good[start : start + CHUNK_ROWS] = np.isfinite(part).all(axis=1) & (part != 0).any(axis=1)
        drop_pages(embeddings)
    return good


def have_length_one(embeddings: Matrix, rows: np.ndarray | None = None) -> bool:
    """Whether both distances rank these vectors alike because all have length one.

    (texts, dim), of ``rows`` (n,) where these are given
    """
    rows = np.arange(len(embeddings)) if rows is None else rows
    parts = (taken(embeddings, part) for part in np.split(rows, range(CHUNK_ROWS, len(rows), CHUNK_ROWS)))
    return all(bool((np.abs(np.linalg.norm(part, axis=1) - 1) < 1e-6).all()) for part in parts)


def unit_rows(embeddings: Matrix) -> Matrix:
    """Rows of length one in float64, zero where a vector is not usable.  (texts, dim) -> the same, dense or sparse"""
    good = usable(embeddings)
    if is_sparse(embeddings):
        rows = embeddings.tocsr().astype(np.float64)
        owner = _owners(rows)
        rows.data[~good[owner]] = 0
        lengths = np.sqrt(squared_lengths(rows))
        rows.data[good[owner]] /= lengths[owner[good[owner]]]
        return rows
    rows = np.zeros(embeddings.shape)
    rows[good] = _prepared(np.asarray(embeddings[good], np.float64), 0.0, "cosine")
    return rows


def is_sparse(embeddings: Matrix) -> bool:
    """Whether it is one of scipy's sparse matrices."""
    return hasattr(embeddings, "tocsr")


def transposed(points: Matrix) -> Matrix:
    """Transposed for multiplication with many chunks. (rows, dim) -> (dim, rows)"""
    return points.T.tocsr() if is_sparse(points) else points.T


def products(queries: Matrix, columns: Matrix) -> np.ndarray:
    """Dot products as a dense array.  (queries, dim), (dim, rows) -> (queries, rows)"""
    if not is_sparse(queries):
        return queries @ columns
    from sklearn.utils.sparsefuncs import sparse_matmul_to_dense

    return sparse_matmul_to_dense(queries, columns)


def squared_lengths(points: Matrix) -> np.ndarray:
    """(rows, dim) -> (rows,)"""
    if is_sparse(points):
        return np.asarray(points.multiply(points).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", points, points)


def numbers_per_row(points: Matrix) -> int:
    """The average count of stored numbers per row."""
    return 1 + points.nnz // max(points.shape[0], 1) if is_sparse(points) else points.shape[1]


def _prepared(points: Matrix, offset: np.ndarray | float, distance: str) -> Matrix:
    """Prepared for comparison, in place if dense. points: (rows, dim) float64"""
    if distance == "euclidean":
        return points if is_sparse(points) else np.subtract(points, offset, out=points)
    if is_sparse(points):
        return unit_rows(points)
    largest = np.maximum(points.max(axis=1, keepdims=True), -points.min(axis=1, keepdims=True))
    points /= largest  # so that the squares neither overflow nor vanish
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points


def _owners(rows: Matrix) -> np.ndarray:
    """The row of each stored number.  (rows, dim) sparse -> (numbers,)"""
    return np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))


def _squared_distances(queries: Matrix, points: Matrix, candidates: np.ndarray) -> np.ndarray:
    """Computed from differences, exact to rounding. candidates: (queries, count) -> (queries, count)"""
    if is_sparse(points):
        each = np.repeat(np.arange(len(candidates)), candidates.shape[1])
        return squared_lengths(points[candidates.ravel()] - queries[each]).reshape(candidates.shape)
    return ((points[candidates] - queries[:, None, :]) ** 2).sum(axis=2)


def _bytes_of(points: Matrix, row: int) -> bytes:
    """The numbers of one row, equal where the rows are."""
    one = points[row]
    return one.indices.tobytes() + one.data.tobytes() if is_sparse(one) else one.tobytes()


def _squared_distances_of_one(query: Matrix, points: Matrix, columns: np.ndarray) -> np.ndarray:
    """As ``_squared_distances``, of one query and any number of points, part by part. -> (columns,)"""
    step = max(1, CHUNK_NUMBERS // numbers_per_row(points))
    parts = (columns[start : start + step] for start in range(0, len(columns), step))
    return np.concatenate([_squared_distances(query, points, part[None])[0] for part in parts])


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """The columns of the ``count`` smallest values of each row, in column order.  (rows, columns) -> (rows, count)"""
    columns = values.shape[1]
    if count >= columns:
        return np.tile(np.arange(columns), (len(values), 1))
    # of every so many columns the count-th smallest value is at least that of all: few others are left to sort
    some = np.partition(values[:, :: isqrt(columns // count)], count - 1, axis=1)
    chosen = np.empty((len(values), count), int)
    for row, (numbers, bound) in enumerate(zip(values, some[:, count - 1], strict=True)):
        near = np.flatnonzero(numbers <= bound)
        chosen[row] = near[np.argpartition(numbers[near], count - 1)[:count]] if len(near) > count else near
    chosen.sort(axis=1)
    return chosen
