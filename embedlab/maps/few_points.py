"""t-SNE of a few thousand points by its exact gradient on one thread, several times faster than with a tree.

openTSNE has a tree and a grid, and no sum over all pairs. Gains, momentum and longest step are as there, and the
learning rate: points / exaggeration (Belkina et al. 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from embedlab.errors import EmbedlabError
from embedlab.maps.base import MapPoints, graph_of, jittered, principal_axes, usable_points
from embedlab.neighbors import neighbor_graph
from embedlab.plane import procrustes
from embedlab.progress import Progress, silent
from embedlab.runs.drawn_map import MapFacts

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOMENTUM = 0.8
LONGEST_STEP = 5.0
LEAST_GAIN = 0.01


def affinities(indices: np.ndarray, distances: np.ndarray, perplexity: float) -> csr_matrix:
    """openTSNE's affinity matrix P of this neighbor graph: symmetric, sum 1. 2 x (points, k) -> CSR (points, points)"""
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    near = PrecomputedNeighbors(indices.copy(), distances.copy())
    return PerplexityBasedNN(knn_index=near, perplexity=perplexity, n_jobs=1).P.tocsr()


def descended(
    p: csr_matrix,
    start: np.ndarray,
    *,
    iterations: int,
    exaggeration: float = 1.0,
    window: int = 0,
    settled: float = 0.0,
) -> tuple[np.ndarray, int]:
    """Gradient descent from ``start``; stops when a ``window`` of iterations moves points by less than ``settled``.

    ``settled`` is a mean displacement in radii.
    p: CSR (points, points), start: (points, 2) -> (points, 2) float64, iterations done
    """
    places = np.ascontiguousarray(start.T, np.float32)
    places -= places.mean(axis=1, keepdims=True)
    last, gains = np.zeros_like(places), np.ones_like(places)
    weights = (p.data * exaggeration).astype(np.float32)
    seen, done = places.copy(), 0
    rate = np.float32(len(start) / exaggeration)
    while done < iterations:
        _descend(p.indptr, p.indices, weights, places, last, gains, rate, min(window or iterations, iterations - done))
        done = min(done + (window or iterations), iterations)
        if window and np.hypot(*(places - seen)).mean() < settled * np.sqrt(places.var(axis=1).sum()):
            break
        seen[:] = places
    return places.T.astype(np.float64) + start.mean(axis=0), done


def exact_gradient(
    embedding: np.ndarray,
    P: csr_matrix,
    *,
    should_eval_error: bool = False,
    **_: Any,  # noqa: N803
) -> tuple[float, np.ndarray]:
    """A ``negative_gradient_method`` for openTSNE: single-threaded, so the result does not depend on thread count.

    A quarter of the gradient of the KL divergence (van der Maaten and Hinton 2008, equation 5).
    embedding: (points, 2), P: CSR (points, points) -> KL divergence or 0, (points, 2) float64
    """
    places = np.ascontiguousarray(np.asarray(embedding).T, np.float32)
    forces = np.empty_like(places)
    near = _gradient(P.indptr, P.indices, P.data.astype(np.float32), places, forces)
    gradient = np.ascontiguousarray(forces.T, np.float64)
    if not should_eval_error:
        return 0.0, gradient
    points = np.repeat(np.arange(len(gradient)), np.diff(P.indptr))
    apart = ((places[:, points] - places[:, P.indices]).astype(np.float64) ** 2).sum(axis=0)
    there = P.data > 0
    return float((P.data * np.log(np.where(there, P.data, 1) * (1 + apart) * near)).sum(where=there)), gradient


@njit(nogil=True, cache=True)
def _descend(
    starts: np.ndarray, others: np.ndarray, weights: np.ndarray, places: np.ndarray, last: np.ndarray,
    gains: np.ndarray, rate: np.float32, iterations: int,
) -> None:  # fmt: skip
    forces = np.empty_like(places)
    for _ in range(iterations):
        _gradient(starts, others, weights, places, forces)
        for point in range(places.shape[1]):
            for axis in range(2):
                against = forces[axis, point] * last[axis, point] < 0
                gains[axis, point] = gains[axis, point] + 0.2 if against else max(gains[axis, point] * 0.8, LEAST_GAIN)
                step = MOMENTUM * last[axis, point] - rate * gains[axis, point] * forces[axis, point]
                last[axis, point] = min(max(step, -LONGEST_STEP), LONGEST_STEP)
                places[axis, point] += last[axis, point]
        for axis in range(2):
            places[axis] -= places[axis].mean()


@njit(nogil=True, cache=True, fastmath=True, error_model="numpy")  # a check for zeros would keep it from vectors
def _gradient(
    starts: np.ndarray, others: np.ndarray, weights: np.ndarray, places: np.ndarray, forces: np.ndarray
) -> float:
    x, y = places[0], places[1]
    count = len(x)
    total: Any = 0.0
    for point in range(count):
        own_x, own_y = x[point], y[point]
        right, up, nearness = np.float32(0), np.float32(0), np.float32(0)
        for other in range(count):
            across, along = own_x - x[other], own_y - y[other]
            near = np.float32(1) / (np.float32(1) + across * across + along * along)
            nearness += near
            right += near * near * across
            up += near * near * along
        total += nearness - 1
        forces[0, point], forces[1, point] = right, up
    for point in range(count):
        right, up = np.float32(0), np.float32(0)
        for entry in range(starts[point], starts[point + 1]):
            across, along = x[point] - x[others[entry]], y[point] - y[others[entry]]
            pull = weights[entry] / (np.float32(1) + across * across + along * along)
            right += pull * across
            up += pull * along
        forces[0, point] = right - forces[0, point] / total
        forces[1, point] = up - forces[1, point] / total
    return total


PERPLEXITY = 30
FRAME_ITERATIONS = 100
EARLY_ITERATIONS, FIRST_ITERATIONS = 250, 1000
EXAGGERATION = 12
START_SPREAD = 1e-4
FIRST_WINDOW, WINDOW = 50, 25  # iterations after which it is asked whether the map stands
SETTLED = 0.005  # mean displacement per window, in radii


def first_frame(embeddings: np.ndarray, *, seed: int) -> np.ndarray:
    """t-SNE from the principal components until it settles, on the exact graph of these texts.

    (texts, dim) -> (texts, 2) float32, not a number for texts with a zero or non-finite vector
    """
    points = _points(embeddings, None)
    start = jittered(principal_axes(points.embeddings)[0], spread=START_SPREAD, seed=seed)
    p = _affinities(points)
    early, _ = descended(p, start, iterations=EARLY_ITERATIONS, exaggeration=EXAGGERATION)
    coordinates, _ = descended(p, early, iterations=FIRST_ITERATIONS, window=FIRST_WINDOW, settled=SETTLED)
    return points.layout(coordinates, MapFacts()).coordinates


def next_frame(embeddings: np.ndarray, last: np.ndarray, *, iterations: int = FRAME_ITERATIONS) -> np.ndarray:
    """At most ``at_most`` iterations from the last frame, without exaggeration, aligned with it; stops early when
    nothing moves.

    embeddings: (texts, dim), last: (texts, 2) -> (texts, 2) float32
    """
    points = _points(embeddings, last)
    start = points.given_start
    coordinates, _ = descended(_affinities(points), start, iterations=iterations, window=WINDOW, settled=SETTLED)
    return points.layout(procrustes(coordinates, onto=start), MapFacts()).coordinates


def _points(embeddings: np.ndarray, start: np.ndarray | None) -> MapPoints:
    return usable_points(embeddings, neighbor_graph(embeddings, k=3 * PERPLEXITY), start)


def _affinities(points: MapPoints) -> csr_matrix:
    near, apart = graph_of(points)
    return affinities(near, apart, min(PERPLEXITY, max(near.shape[1] / 3, 1.0)))


SEED = 42
ITERATIONS = 500  # at most, from one layer to the next: they differ more than two evaluations of a training


def layer_maps(
    by_layer: Sequence[np.ndarray], *, onto: np.ndarray | None = None, progress: Progress = silent
) -> np.ndarray:
    """t-SNE of each layer: the last one first, from ``onto`` if another encoder's last layer is already drawn.

    A layer that cannot be drawn (all vectors alike, as [CLS] before the first layer) repeats the one above it.
    by_layer: layers + 1 of (texts, dim), onto: (texts, 2) -> (layers + 1, texts, 2) float32
    """
    drawn, last = [], onto
    for done, embeddings in enumerate(by_layer[::-1]):
        progress("Drawing a map of every layer", done, len(by_layer))
        last = _drawn(embeddings, last)
        drawn.append(last)
    return np.stack(drawn[::-1])


def _drawn(embeddings: np.ndarray, last: np.ndarray | None) -> np.ndarray:
    if last is None:
        drawn = first_frame(embeddings, seed=SEED)
        middle = np.nanmean(drawn, axis=0) if np.isfinite(drawn).any() else np.zeros(2)
        return np.where(np.isfinite(drawn), drawn, middle).astype(np.float32)
    try:
        drawn = next_frame(embeddings, last, iterations=ITERATIONS)
    except (EmbedlabError, ArithmeticError, ValueError, RuntimeError):
        return last
    return np.where(np.isfinite(drawn), drawn, last).astype(np.float32)
