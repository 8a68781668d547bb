"""What the map task shares with others: the stored neighbor graph, how many threads there are."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.limits import LIMITS
from embedlab.metrics.exact import have_length_one
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.runs.folder import RunFolder


def graph_of(
    folder: RunFolder, name: str, embeddings: np.ndarray, progress, distance: Distance = EUCLIDEAN
) -> NeighborGraph:
    """The neighbor graph of the kept rows, computed once and kept in the run folder; maps read the Euclidean one."""
    path = folder.neighbors(name, distance)
    if _is_fresh(path / "graph.json", folder.embeddings(name)):
        return NeighborGraph.load(path)
    if distance == COSINE and have_length_one(embeddings):
        euclidean = graph_of(folder, name, embeddings, progress)
        graph = replace(euclidean, distances=np.square(euclidean.distances) / 2, distance=COSINE)  # |u-v|² = 2 (1-cos)
    else:
        graph = neighbor_graph(embeddings, k=LIMITS.map_neighbors, distance=distance, progress=progress)
    graph.save(path)
    return graph


def _is_fresh(graph: Path, embeddings: Path) -> bool:
    """Whether a graph is there and no older than its embeddings, which a resumed run writes anew."""
    return graph.exists() and graph.stat().st_mtime_ns >= embeddings.stat().st_mtime_ns


def threads() -> int:
    """Threads a map may use; the worker allows one while another run has the device."""
    return int(os.environ.get("OMP_NUM_THREADS", 0)) or os.cpu_count() or 1
