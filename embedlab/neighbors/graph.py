"""The exact k-nearest-neighbor graph of an embedding; computed once, read by everything."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from embedlab.limits import LIMITS
from embedlab.neighbors.search import NeighborSearch
from embedlab.progress import Progress, silent
from embedlab.store_root import read_json, whole_folder


@dataclass(frozen=True)
class NeighborGraph:
    """The nearest rows of every row, nearest first, without itself; -1 and infinity where there is none."""

    indices: np.ndarray  # (rows, k) int32
    distances: np.ndarray  # (rows, k) float32
    distance: str

    @property
    def k(self) -> int:
        """How many neighbors a row has at most."""
        return self.indices.shape[1]

    def save(self, folder: Path) -> None:
        """A folder with the two arrays and the distance's name, whole or absent."""
        with whole_folder(folder) as beside:
            np.save(beside / "indices.npy", self.indices, allow_pickle=False)
            np.save(beside / "distances.npy", self.distances, allow_pickle=False)
            (beside / "graph.json").write_text(f'{{"distance": "{self.distance}"}}\n', encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "NeighborGraph":
        """What ``save`` wrote; the arrays stay on disk until they are read."""
        indices = np.load(folder / "indices.npy", mmap_mode="r", allow_pickle=False)
        distances = np.load(folder / "distances.npy", mmap_mode="r", allow_pickle=False)
        return cls(indices, distances, read_json(folder / "graph.json")["distance"])


def neighbor_graph(
    embeddings: np.ndarray,
    *,
    k: int = LIMITS.map_neighbors,
    distance: str = "euclidean",
    device: str = "cpu",
    progress: Progress = silent,
) -> NeighborGraph:
    """Each row's k (at most rows - 1) nearest other rows, equal distances in file order.  embeddings: (rows, dim)"""
    rows = len(embeddings)
    k = min(k, max(rows - 1, 0))
    indices = np.full((rows, k), -1, np.int32)
    distances = np.full((rows, k), np.inf, np.float32)
    search = NeighborSearch(embeddings, distance=distance, device=device)
    stage = f"Finding the neighbors of {rows:,} texts"
    if search.quick.device.type == "cpu":
        near, apart = search.graph_on_cpu(k, lambda done, total: progress(stage, done, total))
        indices[search.rows, : near.shape[1]], distances[search.rows, : near.shape[1]] = near, apart
        return NeighborGraph(indices, distances, distance)
    for start in range(0, len(search.rows), search.chunk_rows):
        itself = torch.arange(start, min(start + search.chunk_rows, len(search.rows)))
        near, apart = search.chunk(search.points[itself], itself, k)
        own = search.rows[itself.numpy()]
        indices[own, : near.shape[1]] = near
        distances[own, : near.shape[1]] = apart
        progress(stage, start + len(itself), len(search.rows))
    return NeighborGraph(indices, distances, distance)
