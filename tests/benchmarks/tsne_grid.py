"""Our t-SNE layout with our grid and with openTSNE's own, in turns: ``[FILE.npy] [TURNS]``, two jobs each.

Without a file: ``arxiv_balanced.parquet`` (28,500 abstracts) by TF-IDF → SVD-768. Graph, affinities, start and
iterations are the same; both KL divergences are summed by openTSNE (tree).
"""

import statistics
import sys
import time
from unittest import mock

import numpy as np

from embedlab.maps.base import usable_points
from embedlab.maps.grid import GridGradient
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.neighbors import neighbor_graph
from tests.benchmarks.tsne import JOBS, divergence
from tests.benchmarks.tsne_100000 import abstracts

GRIDS = {"embedlab's grid": GridGradient, "openTSNE's grid": lambda: "fft"}


def laid_out(vectors: np.ndarray, graph, grid) -> tuple[float, np.ndarray]:
    """Seconds of a layout whose repulsion is summed by this grid, and its coordinates."""
    with mock.patch("embedlab.maps.align.gradient_method", lambda points: grid()):
        began = time.perf_counter()
        coordinates = TSNE.lay_out(vectors, graph, TSNEConfig(), threads=JOBS).coordinates
        return time.perf_counter() - began, coordinates


def main(file: str | None = None, turns: str = "3") -> None:
    """Both grids alternately; the median of the turns' factors."""
    vectors = abstracts("arxiv_balanced") if file is None else np.load(file)
    graph, factors = neighbor_graph(vectors), []
    points = usable_points(vectors, graph, None)
    laid_out(vectors[:10_000], neighbor_graph(vectors[:10_000]), GridGradient)  # compiles
    for turn in range(int(turns)):
        seconds = []
        for name, grid in GRIDS.items():
            taken, coordinates = laid_out(vectors, graph, grid)
            print(f"turn {turn + 1}, {name}: {taken:.1f} s, KL {divergence(points, coordinates):.4f}", flush=True)
            seconds.append(taken)
        factors.append(seconds[1] / seconds[0])
    shown = f"{statistics.median(factors):.2f} times as fast ({min(factors):.2f} … {max(factors):.2f})"
    print(f"{len(vectors):,} x {vectors.shape[1]}, {JOBS} jobs: {shown}")


if __name__ == "__main__":
    main(*sys.argv[1:])
