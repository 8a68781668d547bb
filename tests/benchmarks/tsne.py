"""t-SNE with the graph already there against openTSNE's own defaults, in turns: ``[FILE.npy] [TURNS]``, two jobs each.

Without a file: ``arxiv_balanced.parquet`` (28,500 abstracts) by TF-IDF → SVD-768.  KL divergence of both under the
affinities of the exact graph.
"""

import statistics
import sys
import time

import numpy as np
from openTSNE import TSNE as OpenTSNE
from openTSNE import affinity, initialization

from embedlab.maps.base import usable_points
from embedlab.maps.tsne import TSNE, TSNEConfig, _affinities
from embedlab.neighbors import neighbor_graph
from tests.benchmarks.tsne_100000 import abstracts

JOBS = 2


def divergence(points, coordinates: np.ndarray) -> float:
    """KL divergence of a map under the affinities of the exact graph, by openTSNE's own sum."""
    affinities, _ = _affinities(points, TSNEConfig(), JOBS)
    found = OpenTSNE(n_jobs=JOBS, negative_gradient_method="bh").prepare_initial(
        affinities=affinities, initialization=np.asarray(coordinates, np.float64)
    )
    found.optimize(0, inplace=True)
    return float(found.kl_divergence)


def main(file: str | None = None, turns: str = "3") -> None:
    """Both sides alternately; ratios of the whole, and of the layout alone."""
    vectors = abstracts("arxiv_balanced") if file is None else np.load(file)
    graph = neighbor_graph(vectors)
    points, whole, alone = usable_points(vectors, graph, None), [], []
    for turn in range(int(turns)):
        began = time.perf_counter()
        ours = TSNE.lay_out(vectors, graph, TSNEConfig(), threads=JOBS).coordinates
        own_seconds = time.perf_counter() - began
        began = time.perf_counter()
        known = affinity.PerplexityBasedNN(vectors, perplexity=30, n_jobs=JOBS)  # as fit() does by default
        first = initialization.pca(vectors)
        neighbor_seconds = time.perf_counter() - began
        theirs = OpenTSNE(n_jobs=JOBS).fit(affinities=known, initialization=first)
        their_seconds = time.perf_counter() - began
        whole.append(their_seconds / own_seconds)
        alone.append((their_seconds - neighbor_seconds) / own_seconds)
        own, other = divergence(points, ours), divergence(points, theirs)
        print(
            f"turn {turn + 1}: embedlab {own_seconds:.0f} s, KL {own:.4f}; openTSNE {their_seconds:.0f} s ("
            f"{neighbor_seconds:.0f} its own neighbors and start), KL {other:.4f}; {whole[-1]:.2f} times as fast, "
            f"layout alone {alone[-1]:.2f}; KL {100 * (own / other - 1):+.2f} %",
            flush=True,
        )
    print(
        f"{len(vectors):,} x {vectors.shape[1]}, {JOBS} jobs: {statistics.median(whole):.2f} times as fast, layout "
        f"alone {statistics.median(alone):.2f} (medians)"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
