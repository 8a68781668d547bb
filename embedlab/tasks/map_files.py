"""What the map task shares with others: the stored neighbor graph, a map as Parquet, how many threads there are."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.limits import LIMITS
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.runs.folder import RunFolder
from embedlab.store_root import whole_file


def graph_of(folder: RunFolder, name: str, embeddings: np.ndarray, progress) -> NeighborGraph:
    """The Euclidean neighbor graph of the kept rows, computed once and kept in the run folder."""
    path = folder.neighbors(name, "euclidean")
    if _is_fresh(path / "graph.json", folder.embeddings(name)):
        return NeighborGraph.load(path)
    graph = neighbor_graph(embeddings, k=LIMITS.map_neighbors, distance="euclidean", progress=progress)
    graph.save(path)
    return graph


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
