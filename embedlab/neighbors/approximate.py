"""Nearest neighbors of very many texts by nearest-neighbor descent, with measured recall."""

import numpy as np
import torch
from numba import njit

from embedlab.limits import LIMITS
from embedlab.neighbors.selection import NearestCandidates, compared, in_threads
from embedlab.progress import Progress

RECALL_AT = 15
EFFORTS = (1, 2, 4)  # times as many candidates; after the last one everything is compared with everything
SPARE = 16
TILE_ROWS = 2048
SAME = 1e-5  # distances this close (relative) are the same


def approximate_neighbors(
    points: np.ndarray, k: int, *, seed: int, stage: str, progress: Progress
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Each point's k nearest others, nearest first, and the recall; None if the recall stays too low.

    points: (points, dim) float32 -> (points, k), (points, k) Euclidean distances, ().  Dong et al. 2011, by
    pynndescent on one thread: the same at any number of them. Distances are measured anew by differences. Ties are in
    file order among the candidates, but of rows that are equally near a later one may be a candidate and an earlier
    one not.
    """
    total = len(points)
    progress(stage, 0, total)
    queries, farthest = exact_distances(points, seed=seed)
    for effort in EFFORTS:
        progress(f"{stage}, candidates" if effort == 1 else f"{stage}, {effort} times the candidates", 0, total)
        indices, distances = measured(points, _descended(points, k, effort, seed), k)
        recall = recall_of(distances[queries], farthest)
        if recall >= LIMITS.neighbor_recall:
            progress(stage, total, total)
            return indices, distances, recall
    return None


def exact_distances(points: np.ndarray, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Randomly drawn points, and the distance from each to its 15 nearest others. -> (queries,), (queries, 15)"""
    total = len(points)
    queries = np.sort(np.random.default_rng(seed).choice(total, min(LIMITS.recall_queries, total), replace=False))
    k = min(RECALL_AT, total - 1)
    middle = points.mean(axis=0, dtype=np.float64)
    centred = torch.from_numpy((points[queries] - middle).astype(np.float32))
    candidates = NearestCandidates(len(queries), min(k + SPARE, total - 1))
    query_lengths = (centred**2).sum(dim=1).numpy()
    for start in range(0, total, TILE_ROWS):
        tile = torch.from_numpy((points[start : start + TILE_ROWS] - middle).astype(np.float32))
        candidates.see(
            (centred @ tile.T).numpy(), at=slice(None), query_lengths=query_lengths,
            row_lengths=(tile**2).sum(dim=1).numpy(), first=start, itself=queries,
        )  # fmt: skip
    return queries, np.sqrt(candidates.settled(points, points[queries], k)[1])


def recall_of(distances: np.ndarray, exact: np.ndarray) -> float:
    """The share of the 15 nearest that are no farther than the true 15th, so that copies are interchangeable. 0 … 1

    distances: (queries, k) as found, exact: (queries, 15), both nearest first
    """
    count = exact.shape[1]
    return float(np.mean(distances[:, :count] <= exact[:, -1:] * (1 + SAME)))


def measured(points: np.ndarray, candidates: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of each point's candidates, excluding itself, ties in file order; -1 and infinity for none.

    points: (points, dim), candidates: (points, any number), -1 for none -> 2 x (points, k)
    """
    indices = np.full((len(points), k), -1, np.int32)
    distances = np.full((len(points), k), np.inf, np.float32)

    def work(part: slice) -> None:
        _nearest_of(points, candidates[part], part.start, indices[part], distances[part])

    in_threads(work, len(points))
    return indices, distances


def _descended(points: np.ndarray, k: int, effort: int, seed: int) -> np.ndarray:
    """Candidates of each point, usually including itself. -> (points, at least k + 1)"""
    from pynndescent import NNDescent

    count = min(effort * max(k, 2 * RECALL_AT) + 1, len(points))
    descent = NNDescent(points, n_neighbors=count, max_candidates=min(count, 60 * effort), random_state=seed, n_jobs=1)
    return descent.neighbor_graph[0]


@njit(nogil=True, cache=True)
def _nearest_of(
    points: np.ndarray, candidates: np.ndarray, first: int, indices: np.ndarray, distances: np.ndarray
) -> None:
    """The candidates measured exactly, by differences in float64, and sorted."""
    for query in range(len(candidates)):
        itself, rows = first + query, np.unique(candidates[query])
        rows = rows[(rows >= 0) & (rows != itself)]
        squares = np.empty(len(rows))
        for position in range(len(rows)):
            square = 0.0
            for column in range(points.shape[1]):
                gap = np.float64(points[rows[position], column]) - np.float64(points[itself, column])
                square += gap * gap
            squares[position] = square
        own_square = 0.0
        for column in range(points.shape[1]):
            own_square += np.float64(points[itself, column]) ** 2
        order = np.argsort(compared(squares, own_square), kind="mergesort")[: indices.shape[1]]
        for position in range(len(order)):
            indices[query, position] = rows[order[position]]
            distances[query, position] = np.sqrt(squares[order[position]])
