"""The k-nearest-neighbor graph of an embedding, exact up to 150,000 texts; computed once, read by everything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from typing_extensions import TypedDict

from embedlab.damage import read_array, read_model
from embedlab.distance import Distance
from embedlab.later import torch
from embedlab.limits import LIMITS
from embedlab.neighbors.differences import SHIFTED_ROWS
from embedlab.neighbors.search import NeighborSearch
from embedlab.progress import Progress, silent
from embedlab.store_root import whole_folder
from embedlab.vectors.exact import usable


class Approximation(TypedDict, total=False):
    """How good a graph is that is not exact; of others nothing."""

    approximate: bool
    recall_15: float
    queries: int


@dataclass(frozen=True)
class NeighborGraph:
    """The nearest rows of every row, nearest first, excluding itself; -1 and infinity for none."""

    indices: np.ndarray  # (rows, k) int32
    distances: np.ndarray  # (rows, k) float32
    distance: Distance
    recall: float | None = None  # of the 15 nearest, where the graph is approximate
    queries: int = 0  # on how many texts that was measured

    @property
    def how(self) -> Approximation:
        """What a caption must state: nothing if the graph is exact."""
        if self.recall is None:
            return {}
        return {"approximate": True, "recall_15": round(self.recall, 4), "queries": self.queries}

    def save(self, folder: Path) -> None:
        """Write a folder with both arrays, the distance's name and the recall; it appears whole or not at all."""
        with whole_folder(folder) as temporary:
            np.save(temporary / "indices.npy", self.indices, allow_pickle=False)
            np.save(temporary / "distances.npy", self.distances, allow_pickle=False)
            facts = json.dumps({"distance": self.distance, **self.how})
            (temporary / "graph.json").write_text(f"{facts}\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> NeighborGraph:
        """What ``save`` wrote; the arrays stay on disk until they are read."""
        indices = read_array(folder / "indices.npy", dimensions=2, is_mapped=True)
        distances = read_array(folder / "distances.npy", dimensions=2, is_mapped=True)
        facts = read_model(folder / "graph.json", _Facts)
        return cls(indices, distances, facts["distance"], facts.get("recall_15"), facts.get("queries", 0))


class _Facts(Approximation):
    distance: Distance


def neighbor_graph(
    embeddings: np.ndarray,
    *,
    k: int = LIMITS.map_neighbors,
    distance: Distance = "euclidean",
    device: str = "cpu",
    seed: int = 0,
    progress: Progress = silent,
) -> NeighborGraph:
    """Each row's k (at most rows - 1) nearest other rows, ties in file order. embeddings: (rows, dim)

    Above 150,000 rows a CPU finds them approximately, with a recall measured on 1,000 exact queries; a GPU exactly.
    """
    rows = len(embeddings)
    k = min(k, max(rows - 1, 0))
    if device == "cpu" and rows > LIMITS.exact_neighbors:
        approximate = _approximate(embeddings, k, distance, seed, progress)
        if approximate is not None:
            return approximate
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
        chunk_rows = search.rows[itself.numpy()]
        indices[chunk_rows, : near.shape[1]] = near
        distances[chunk_rows, : near.shape[1]] = apart
        progress(stage, start + len(itself), len(search.rows))
    return NeighborGraph(indices, distances, distance)


def _approximate(
    embeddings: np.ndarray, k: int, distance: Distance, seed: int, progress: Progress
) -> NeighborGraph | None:
    """None if too few vectors can be neighbors, or the required recall was not reached."""
    from embedlab.neighbors.approximate import approximate_neighbors

    rows = np.flatnonzero(usable(embeddings))
    if len(rows) <= LIMITS.exact_neighbors:
        return None
    points, scale = prepared(embeddings, rows, distance)
    stage = f"Finding the neighbors of {len(embeddings):,} texts, approximately"
    result = approximate_neighbors(points, min(k, len(rows) - 1), seed=seed, stage=stage, progress=progress)
    if result is None:
        return None
    near, apart, recall = result
    indices = np.full((len(embeddings), k), -1, np.int32)
    distances = np.full((len(embeddings), k), np.inf, np.float32)
    indices[rows, : near.shape[1]] = np.where(near >= 0, rows[near], -1)
    distances[rows, : near.shape[1]] = apart / scale if distance == "euclidean" else apart**2 / 2
    return NeighborGraph(indices, distances, distance, recall, min(LIMITS.recall_queries, len(rows)))


def prepared(embeddings: np.ndarray, rows: np.ndarray, distance: str) -> tuple[np.ndarray, float]:
    """The rows that count, as float32: normalised for cosine, otherwise scaled into range; and the scale."""
    whole = len(rows) == len(embeddings) and embeddings.dtype == np.float32
    points = np.ascontiguousarray(embeddings if whole else embeddings[rows], dtype=np.float32)
    if distance == "cosine":
        units = np.empty_like(points)
        for start in range(0, len(points), SHIFTED_ROWS):
            part = points[start : start + SHIFTED_ROWS].astype(np.float64)
            part /= np.abs(part).max(axis=1, keepdims=True)
            units[start : start + SHIFTED_ROWS] = part / np.linalg.norm(part, axis=1, keepdims=True)
        return units, 1.0
    largest = max(float(points.max()), -float(points.min()))
    exponent = int(np.clip(np.frexp(largest)[1], -126, 126))
    scale = 1.0 if abs(exponent) < 30 else 2.0**-exponent  # a power of two changes no digit
    return (points if scale == 1.0 else points * np.float32(scale)), scale
