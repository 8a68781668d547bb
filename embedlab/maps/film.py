"""Maps of a fixed set of texts while an encoder changes: each frame goes on from the last, so that points glide."""

import numpy as np

from embedlab.maps.base import Points, jittered, principal_axes, usable_points
from embedlab.maps.few_points import affinities, descended
from embedlab.neighbors import neighbor_graph
from embedlab.plane import procrustes

PERPLEXITY = 30
FRAME_ITERATIONS = 100
EARLY_ITERATIONS, FIRST_ITERATIONS = 250, 1000
EXAGGERATION = 12
START_SPREAD = 1e-4
FIRST_STANDS = {"window": 50, "settled": 0.005}  # mean displacement per window, in radii
STANDS = {"window": 25, "settled": 0.005}


def first_frame(embeddings: np.ndarray, *, seed: int) -> np.ndarray:
    """t-SNE from the principal components until it stands still, on the exact graph of these texts.

    (texts, dim) -> (texts, 2) float32, not a number for texts with a zero or non-finite vector
    """
    points = _points(embeddings, None)
    start = jittered(principal_axes(points.embeddings)[0], spread=START_SPREAD, seed=seed)
    p = _affinities(points)
    early, _ = descended(p, start, iterations=EARLY_ITERATIONS, exaggeration=EXAGGERATION)
    found, _ = descended(p, early, iterations=FIRST_ITERATIONS, **FIRST_STANDS)
    return points.layout(found, {}).coordinates


def next_frame(embeddings: np.ndarray, last: np.ndarray) -> np.ndarray:
    """At most 100 iterations from the last frame, without exaggeration, laid over it; fewer where nothing moves.

    embeddings: (texts, dim), last: (texts, 2) -> (texts, 2) float32
    """
    points = _points(embeddings, last)
    found, _ = descended(_affinities(points), points.start, iterations=FRAME_ITERATIONS, **STANDS)
    return points.layout(procrustes(found, onto=points.start), {}).coordinates


def _points(embeddings: np.ndarray, start: np.ndarray | None) -> Points:
    return usable_points(embeddings, neighbor_graph(embeddings, k=3 * PERPLEXITY), start)


def _affinities(points: Points):
    return affinities(points.indices, points.distances, min(PERPLEXITY, max(points.indices.shape[1] / 3, 1.0)))
