"""The nearest rows of many queries, maintained tile by tile of the matrix of products (compiled by numba)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numba import njit

from embedlab.vectors.ties import CLOSE, HALF, MASK

ROOM = 2  # candidates that are held before the farther half is dropped, as a multiple of those asked for


class NearestCandidates:
    """At least ``count`` nearest rows of each query over all tiles seen, ties by file order.

    Tiles are to come in file order of their rows. The same at any number of threads.
    """

    def __init__(self, queries: int, count: int):
        self.count = count
        self.values = np.empty((queries, ROOM * count), np.float32)
        self.rows = np.empty((queries, ROOM * count), np.int32)
        self.filled = np.zeros(queries, np.int64)
        self.bounds = np.full(queries, np.inf, np.float32)  # nothing that was dropped is nearer

    def see(
        self,
        products: np.ndarray,
        *,
        at: slice,
        query_lengths: np.ndarray,
        row_lengths: np.ndarray,
        first: int,
        itself: np.ndarray,
    ) -> None:
        """Add a tile: products (queries, rows) of the queries ``at`` with the rows from ``first`` on.

        query_lengths, row_lengths: squared (queries,), (rows,); itself: the row that each query is, or -1 (queries,)
        """
        values, rows, filled, bounds = self.values[at], self.rows[at], self.filled[at], self.bounds[at]

        def work(part: slice) -> None:
            _keep(
                products[part], query_lengths[part], row_lengths, first, itself[part],
                values[part], rows[part], filled[part], bounds[part], self.count,
            )  # fmt: skip

        in_threads(work, len(products))

    def settled(self, points: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The k nearest by differences, their squared distances, and a lower bound for all other rows (by products).

        points: (rows, dim), queries: (queries, dim) -> (queries, k), (queries, k), (queries,)
        """
        indices = np.empty((len(queries), k), np.int64)
        squares = np.empty((len(queries), k))

        def work(part: slice) -> None:
            _settle(
                self.values[part], self.rows[part], self.filled[part], self.bounds[part], self.count,
                points, queries[part], indices[part], squares[part],
            )  # fmt: skip

        in_threads(work, len(queries))
        return indices, squares, self.bounds


def in_threads(work: Callable[[slice], None], total: int) -> None:
    """Split the work into as many equal parts as torch has threads."""
    threads = min(torch.get_num_threads(), total)
    if threads < 2:
        work(slice(0, total))
        return
    ends = np.linspace(0, total, threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, [slice(*pair) for pair in zip(ends[:-1], ends[1:], strict=True)]))


@njit(nogil=True, cache=True)
def _keep(
    products: np.ndarray, query_lengths: np.ndarray, row_lengths: np.ndarray, first: int, itself: np.ndarray,
    values: np.ndarray, rows: np.ndarray, filled: np.ndarray, bounds: np.ndarray, count: int,
) -> None:  # fmt: skip
    """Add the tile's rows that are nearer than the bound to those held."""
    for query in range(len(products)):
        held, bound, length = filled[query], bounds[query], query_lengths[query]
        for column in range(products.shape[1]):
            value = length + row_lengths[column] - 2 * products[query, column]
            if value < bound and first + column != itself[query]:
                values[query, held] = value
                rows[query, held] = first + column
                held += 1
                if held == values.shape[1]:
                    bound = _halved(values[query], rows[query], held, count)
                    held = count
        filled[query], bounds[query] = held, bound


@njit(nogil=True, cache=True)
def _halved(values: np.ndarray, rows: np.ndarray, held: int, count: int) -> float:
    """Keep the ``count`` smallest, sorted, the first of equal ones; returns the largest of them."""
    bound = np.partition(values[:held], count - 1)[count - 1]
    equal = count
    for slot in range(held):
        equal -= values[slot] < bound
    filled = 0
    for slot in range(held):
        if values[slot] < bound or (values[slot] == bound and equal > 0):
            equal -= values[slot] == bound
            values[filled], rows[filled] = values[slot], rows[slot]
            filled += 1
    return bound


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})  # infinities stay infinities
def _square_apart(one: np.ndarray, other: np.ndarray) -> float:
    """The squared distance by differences in float64.  one, other: (dim,)"""
    square = 0.0
    for column in range(len(one)):
        gap = np.float64(one[column]) - np.float64(other[column])
        square += gap * gap
    return square


@njit(nogil=True, cache=True)
def compared(squares: np.ndarray, own_square: float) -> np.ndarray:
    """As ``ties.compared``, of one query.  (n,) float64 -> (n,)"""
    rounded = ((squares.view(np.int64) + HALF) & MASK).view(np.float64)
    for slot in range(len(squares)):
        if squares[slot] <= own_square * CLOSE:
            rounded[slot] = 0.0
    return rounded


@njit(nogil=True, cache=True)
def _settle(
    values: np.ndarray, rows: np.ndarray, filled: np.ndarray, bounds: np.ndarray, count: int,
    points: np.ndarray, queries: np.ndarray, indices: np.ndarray, squares: np.ndarray,
) -> None:  # fmt: skip
    """Measure the held rows by differences and sort them, ties in file order."""
    for query in range(len(queries)):
        held = filled[query]
        if held > count:
            bounds[query] = _halved(values[query], rows[query], held, count)
            held = count
        vector, apart = queries[query].astype(np.float64), np.empty(held)
        for slot in range(held):
            apart[slot] = _square_apart(points[rows[query, slot]], vector)
        own_square = _square_apart(vector, np.zeros_like(vector))
        order = np.argsort(compared(apart, own_square), kind="mergesort")
        for slot in range(indices.shape[1]):
            indices[query, slot] = rows[query, order[slot]]
            squares[query, slot] = apart[order[slot]]


def nearest_of_all(
    points: np.ndarray, queries: np.ndarray, itself: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest rows of each query and their squared distances, every row measured by differences.

    points: (rows, dim), queries: (queries, dim), itself: the row that each query is, or -1 (queries,); k: at most the
    rows that are left -> (queries, k), (queries, k)
    """
    indices, squares = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))

    def work(part: slice) -> None:
        _nearest_of_all(points, queries[part], itself[part], indices[part], squares[part])

    in_threads(work, len(queries))
    return indices, squares


AT_ONCE = 512  # rows, whose distances stay in the processor's cache


@njit(nogil=True, cache=True)
def _nearest_of_all(
    points: np.ndarray, queries: np.ndarray, itself: np.ndarray, indices: np.ndarray, squares: np.ndarray
) -> None:
    """Insert row after row, behind those that are as near."""
    k = indices.shape[1]
    keys = np.empty(k)
    for query in range(len(queries)):
        vector = queries[query].astype(np.float64)
        own_square = _square_apart(vector, np.zeros_like(vector))
        held = 0
        for first in range(0, len(points), AT_ONCE):
            apart = np.empty(min(AT_ONCE, len(points) - first))
            for offset in range(len(apart)):
                apart[offset] = _square_apart(points[first + offset], vector)
            rounded = compared(apart, own_square)
            for offset in range(len(apart)):
                if first + offset == itself[query] or (held == k and rounded[offset] >= keys[k - 1]):
                    continue
                slot = held if held < k else k - 1
                held = min(held + 1, k)
                while slot > 0 and keys[slot - 1] > rounded[offset]:
                    keys[slot] = keys[slot - 1]
                    indices[query, slot], squares[query, slot] = indices[query, slot - 1], squares[query, slot - 1]
                    slot -= 1
                keys[slot], indices[query, slot], squares[query, slot] = rounded[offset], first + offset, apart[offset]
            if held == k and keys[k - 1] == 0:
                break  # no row can come before these
