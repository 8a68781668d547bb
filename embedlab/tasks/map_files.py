"""What the map task shares with others: the stored neighbor graph, a map as Parquet, how many threads there are."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.limits import LIMITS
from embedlab.metrics.distance import COSINE, EUCLIDEAN, Distance
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.runs.folder import RunFolder
from embedlab.store_root import whole_file


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


def have_length_one(embeddings: np.ndarray) -> bool:
    """Whether both distances order these vectors alike: all have length one, as a normalising encoder gives them."""
    return bool((np.abs(np.linalg.norm(embeddings, axis=1) - 1) < 1e-6).all())


def _is_fresh(graph: Path, embeddings: Path) -> bool:
    """Whether a graph is there and no older than its embeddings, which a resumed run writes anew."""
    return graph.exists() and graph.stat().st_mtime_ns >= embeddings.stat().st_mtime_ns


def write_map(path: Path, rows: np.ndarray, coordinates: np.ndarray) -> None:
    """Columns ``id x y``, in corpus order; a text without a place has no number there."""
    table = pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "x": pa.array(coordinates[:, 0].astype(np.float32), from_pandas=True),
            "y": pa.array(coordinates[:, 1].astype(np.float32), from_pandas=True),
        }
    )
    with whole_file(path) as beside:
        pq.write_table(table, beside, compression="zstd")


def threads() -> int:
    """Threads a map may use; the worker allows one while another run has the device."""
    return int(os.environ.get("OMP_NUM_THREADS", 0)) or os.cpu_count() or 1
