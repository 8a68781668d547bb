"""The nearest of many rows, picked and measured in one pass over the processor's cache (compiled by numba)."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numba import njit

BLOCK = 64  # rows that are looked at as one while candidates are sought
CROWD = 8  # candidates at most, as a multiple of those asked for, where many rows are equally near


def nearest_of(
    near: np.ndarray, points: np.ndarray, queries: np.ndarray, count: int, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The k nearest rows of each query by differences, among at least ``count`` candidates by products.

    near: (queries, rows) float32, smaller is nearer and infinite is left out; points: (rows, dim), queries:
    (queries, dim). -> rows (queries, k) nearest first, equal ones in file order, their squared distances (queries, k),
    and what ``near`` is at least for every row that was no candidate (queries,). The same at any number of threads.
    """
    threads = min(torch.get_num_threads(), len(near))
    if threads < 2:
        return _nearest_of(near, points, queries, count, k)
    ends = np.linspace(0, len(near), threads + 1).astype(int)
    parts = [slice(*pair) for pair in zip(ends[:-1], ends[1:], strict=True)]
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda part: _nearest_of(near[part], points, queries[part], count, k), parts))
    return tuple(np.concatenate(arrays) for arrays in zip(*found, strict=True))


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"}, cache=True)  # infinities stay infinities
def _nearest_of(near, points, queries, count, k):
    total, rows = near.shape
    block = max(1, min(BLOCK, rows // (2 * count)))
    blocks = (rows + block - 1) // block
    indices = np.empty((total, k), np.int64)
    squares = np.empty((total, k), points.dtype)
    farthest = np.empty(total, near.dtype)
    for query in range(total):
        least = np.empty(blocks, near.dtype)
        for part in range(blocks):
            smallest = np.float32(np.inf)
            for row in range(part * block, min((part + 1) * block, rows)):
                smallest = min(smallest, near[query, row])
            least[part] = smallest
        bound = np.partition(least, min(count, blocks) - 1)[min(count, blocks) - 1]
        below = 0
        for part in range(blocks):
            if least[part] < bound:
                for row in range(part * block, min((part + 1) * block, rows)):
                    below += near[query, row] < bound
        room = below + CROWD * count
        candidates = np.empty(room, np.int64)
        found, level = 0, room - below
        for part in range(blocks):
            if least[part] <= bound:
                for row in range(part * block, min((part + 1) * block, rows)):
                    value = near[query, row]
                    if value < bound or (value == bound and value < np.inf and level > 0):
                        level -= value == bound
                        candidates[found] = row
                        found += 1
        apart = np.empty(found, points.dtype)
        for place in range(found):
            row = candidates[place]
            total_square = points.dtype.type(0)
            for column in range(points.shape[1]):
                gap = points[row, column] - queries[query, column]
                total_square += gap * gap
            apart[place] = total_square
        order = np.argsort(apart, kind="mergesort")
        for place in range(k):
            indices[query, place] = candidates[order[place]]
            squares[query, place] = apart[order[place]]
        farthest[query] = bound
    return indices, squares, farthest
