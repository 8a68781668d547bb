"""Maps drawn by Euclidean distance, as the app draws them, against the same drawn by cosine: ``RUN [RUN …]``.

For each run, side and distance: kNN accuracy of the embeddings by ten folds over all labeled texts, the same in the
picture, and trust by the neighbors of either distance. A map after starts from its map before.
"""

import sys
import time

import numpy as np

from embedlab.corpora.base import open_corpus
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.maps.align import kept_neighbors
from embedlab.maps.trust import trust
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.metrics.knn import cv10_knn
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.runs.drawn_map import rows_to_draw
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.exact import usable

SEEDS = (42,)
THREADS = 2


def main(*run_ids: str) -> None:
    """One table a run."""
    for run_id in run_ids:
        run = open_run(run_id)
        corpus = open_corpus(fingerprint_of(run))
        sides = {side: np.load(run.embeddings(side)) for side in ("before", "after")}
        rows = rows_to_draw(corpus)
        rows = rows[usable(sides["before"][rows]) & usable(sides["after"][rows])]
        print(f"\n{corpus.name}: {len(rows):,} texts, run {run_id}\n")
        print("| side | drawn by | seed | embeddings, cosine | Euclidean | in the picture | true / kept, cosine | "
              "Euclidean | seconds |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
        for seed in SEEDS:
            for drawn_by in (EUCLIDEAN, COSINE):
                compare(corpus, sides, rows, drawn_by, seed)


def compare(corpus, sides: dict[str, np.ndarray], rows: np.ndarray, drawn_by: str, seed: int) -> None:
    """Both maps by one distance, a line each."""
    start, since = None, None
    for side, embeddings in sides.items():
        vectors = embeddings[rows]
        graphs = {distance: neighbor_graph(vectors, distance=distance) for distance in DISTANCES}
        drawn = vectors if drawn_by == EUCLIDEAN else units(vectors)
        graph = graphs[EUCLIDEAN] if drawn_by == EUCLIDEAN else neighbor_graph(drawn)
        kept = None if since is None else kept_neighbors(since.indices, graph.indices)
        began = time.perf_counter()
        given = {"start": start, "neighbors_kept": kept, "threads": THREADS}
        layout = TSNE.lay_out(drawn, graph, TSNEConfig(seed=seed), **given)
        seconds, start, since = time.perf_counter() - began, layout.coordinates, graph
        full = [accuracy(corpus, rows, vectors, distance) for distance in (COSINE, EUCLIDEAN)]
        seen = accuracy(corpus, rows, layout.coordinates, EUCLIDEAN)
        believed = [in_words(layout.coordinates, graphs[distance]) for distance in (COSINE, EUCLIDEAN)]
        numbers = " | ".join([*(f"{100 * value:.1f}" for value in (*full, seen)), *believed, f"{seconds:.0f}"])
        print(f"| {side} | {DISTANCES[drawn_by]} | {seed} | {numbers} |", flush=True)


def units(vectors: np.ndarray) -> np.ndarray:
    """Of length one: then Euclidean distance orders neighbors as cosine does.  (texts, dim) -> (texts, dim)"""
    return (vectors / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)).astype(np.float32)


def accuracy(corpus, rows: np.ndarray, vectors: np.ndarray, distance: str) -> float:
    """kNN accuracy by ten folds over the labeled of these rows, as a map's caption has it."""
    everywhere = np.full((corpus.info.rows, vectors.shape[1]), np.nan, np.float32)
    everywhere[rows] = vectors
    given = {"labels": corpus.labels, "rows": rows, "distance": distance, "copies": corpus.copies}
    return cv10_knn(embeddings=everywhere, **given).value


def in_words(coordinates: np.ndarray, graph: NeighborGraph) -> str:
    """``54.0 / 61.2``: trust in percent, with these neighbors for the true ones."""
    means = trust(coordinates, graph.indices[:, :90]).means()
    return f"{100 * means.true:.1f} / {100 * means.kept:.1f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
