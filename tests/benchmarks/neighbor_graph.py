"""The exact neighbor graph (k = 90) against scikit-learn's brute force, in turns: ``[TEXTS] [DIM] [TURNS]``."""

import statistics
import sys
import time

import numpy as np
import torch
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from embedlab.neighbors import neighbor_graph

K, THREADS = 90, 2


def vectors(texts: int, dim: int) -> np.ndarray:
    """Clustered vectors, as embeddings are: a hundred centres and noise about each."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, dim))
    return (centres[rng.integers(0, 100, texts)] + rng.normal(size=(texts, dim))).astype(np.float32)


def timed(work):
    """What it gives and the seconds it took."""
    began = time.perf_counter()
    found = work()
    return found, time.perf_counter() - began


def main(texts: int = 28_500, dim: int = 768, turns: int = 3) -> None:
    """Both sides alternately; the ratio of each turn, and whether both found the same neighbors."""
    torch.set_num_threads(THREADS)
    points, ratios = vectors(texts, dim), []
    with threadpool_limits(THREADS):
        for turn in range(turns):
            graph, ours = timed(lambda: neighbor_graph(points, k=K))
            search = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(points)
            (apart, theirs), seconds = timed(search.kneighbors)
            product, limit = timed(lambda: [points[start : start + 1024] @ points.T for start in range(0, texts, 1024)])
            del product
            ratios.append(seconds / ours)
            same = np.allclose(graph.distances, apart, rtol=1e-5)
            print(
                f"turn {turn + 1}: embedlab {ours:.1f} s, scikit-learn {seconds:.1f} s, {ratios[-1]:.2f} times as "
                f"fast; one matrix product alone {limit:.1f} s; same distances: {same}, "
                f"same rows {100 * np.mean(np.sort(graph.indices) == np.sort(theirs)):.3f} %"
            )
    print(f"{texts:,} x {dim}, k = {K}, {THREADS} threads: {statistics.median(ratios):.2f} times as fast (median)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
