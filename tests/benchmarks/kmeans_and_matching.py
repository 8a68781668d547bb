"""Clustering and matching of 28,500 × 768 against the same done plainly, in turns.  ``[TEXTS=28500] [TURNS=3]``

python -m tests.benchmarks.kmeans_and_matching

Plainly: scikit-learn's MiniBatchKMeans seed by seed with all threads, and every rank from products in float64, one
distance after the other. Vectors: 114 random centres with noise around them; a partner is its vector with more noise.
Labels and ranks of both are compared.
"""

import statistics
import sys
import time
from collections.abc import Callable
from unittest import mock

import numpy as np

from embedlab.metrics import matching
from embedlab.metrics.clustering import BATCH, SEEDS, _clusters

DIM, CLASSES = 768, 114
DISTANCES = ("euclidean", "cosine")


def vectors(texts: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of 114 classes, and a partner of each.  -> (texts, 768) twice, float32"""
    rng = np.random.default_rng(0)
    centres = 0.35 * rng.normal(size=(CLASSES, DIM))
    points = centres[rng.integers(CLASSES, size=texts)] + rng.normal(size=(texts, DIM))
    return points.astype(np.float32), (points + 4 * rng.normal(size=(texts, DIM))).astype(np.float32)


def plain_clusters(points: np.ndarray) -> np.ndarray:
    """Seed by seed, with the threads that scikit-learn takes by itself.  (texts, dim) -> (texts, seeds)"""
    from sklearn.cluster import MiniBatchKMeans

    each = [MiniBatchKMeans(CLASSES, batch_size=BATCH, n_init="auto", random_state=seed) for seed in range(SEEDS)]
    return np.stack([kmeans.fit_predict(points) for kmeans in each], axis=1)


def plain_ranks(queries: np.ndarray, partners: np.ndarray) -> dict[str, np.ndarray]:
    """All in float64, each distance by itself."""
    both = {"queries": queries, "partners": partners}
    with mock.patch.object(matching._Rounded, "ranks", lambda *_: {}):
        return {distance: matching.ranks_by(**both, distances=(distance,))[distance] for distance in DISTANCES}


def ranks(queries: np.ndarray, partners: np.ndarray) -> dict[str, np.ndarray]:
    """As the metric does it."""
    return matching.ranks_by(queries=queries, partners=partners, distances=DISTANCES)


def in_turns(name: str, turns: int, plain: Callable, ours: Callable, same: Callable) -> None:
    """Print the medians of both, their ratio and whether they found the same."""
    seconds, found = {plain: [], ours: []}, {}
    for _ in range(turns):
        for work, taken in seconds.items():
            wall, processor = time.perf_counter(), time.process_time()
            found[work] = work()
            taken.append((time.perf_counter() - wall, time.process_time() - processor))
    one, other = ([statistics.median(each) for each in zip(*taken, strict=True)] for taken in seconds.values())
    print(f"{name}: plainly {one[0]:.1f} s ({one[1]:.1f} of processor time), ours {other[0]:.1f} s ({other[1]:.1f}), "
          f"{one[0] / other[0]:.1f} × ({one[1] / other[1]:.1f} ×), "
          f"the same: {same(found[plain], found[ours])}", flush=True)  # fmt: skip


def main() -> None:
    """Print a line of each."""
    texts, turns = (int(given) for given in [*sys.argv[1:], *("28500", "3")[len(sys.argv) - 1 :]])
    points, partners = vectors(texts)
    both = (points, partners)
    in_turns(f"k-means, {SEEDS} seeds", turns, lambda: plain_clusters(points), lambda: _clusters(points, CLASSES),
             np.array_equal)  # fmt: skip
    in_turns("matching by both distances", turns, lambda: plain_ranks(*both), lambda: ranks(*both),
             lambda one, other: all(np.array_equal(one[name], other[name]) for name in DISTANCES))  # fmt: skip


if __name__ == "__main__":
    main()
