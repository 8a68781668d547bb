"""The maps of a run, before and after: the map before is drawn once per encoder and corpus and never moves."""

import hashlib
import os
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.config import Config, validated
from embedlab.corpora.base import open_corpus
from embedlab.limits import LIMITS
from embedlab.maps import MAPS
from embedlab.maps.base import Layout
from embedlab.metrics.knn import cv10_knn
from embedlab.metrics.split import why_no_knn
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import read_json, store_root, whole_file, write_json
from embedlab.tasks.measure import load_embeddings


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run``, ``method`` and ``config`` -> two Parquet files in that run's folder, aligned on each other."""
    drawn = open_run(asked["run"])
    method = MAPS[asked.get("method", "tsne")]
    config = validated(method.config_class, asked.get("config", {}), where="map")
    corpus = open_corpus(fingerprint_of(drawn))
    kept = corpus.kept
    before = _map_before(drawn, method, config, kept, progress)
    _write(drawn, "before", method.key, before, corpus)
    after_embeddings = load_embeddings(drawn, "after")[kept]
    if np.array_equal(after_embeddings, load_embeddings(drawn, "before")[kept]):
        after = before
    else:
        after = _lay_out(drawn, "after", after_embeddings, method, config, progress, start=before[0].coordinates)
    _write(drawn, "after", method.key, after, corpus)
    seconds = {"before": before[1], "after": after[1]}
    write_json(folder.result, {"run": drawn.id, "method": method.key, "texts": len(kept), "seconds": seconds})


def graph_of(folder: RunFolder, name: str, embeddings: np.ndarray, progress) -> NeighborGraph:
    """The exact Euclidean neighbor graph of the kept rows, computed once and kept in the run folder."""
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


def _map_before(drawn: RunFolder, method, config: Config, kept: np.ndarray, progress) -> tuple[Layout, float]:
    """From the store where another run began from the same embeddings, else drawn and put there."""
    embeddings = load_embeddings(drawn, "before")[kept]
    key = hashlib.sha256(embeddings.tobytes() + f"{method.key} {config.model_dump_json()}".encode()).hexdigest()[:24]
    shared = store_root() / "maps" / key
    if (shared / "facts.json").exists():
        graph_of(drawn, "before", embeddings, progress)
        return Layout(np.load(shared / "coordinates.npy", allow_pickle=False), read_json(shared / "facts.json")), 0.0
    layout, seconds = _lay_out(drawn, "before", embeddings, method, config, progress)
    with whole_file(shared / "coordinates.npy") as beside, open(beside, "wb") as file:
        np.save(file, layout.coordinates, allow_pickle=False)
    write_json(shared / "facts.json", layout.used)
    return layout, seconds


def _lay_out(drawn: RunFolder, name: str, embeddings: np.ndarray, method, config: Config, progress, *, start=None):
    began = time.perf_counter()
    graph = graph_of(drawn, name, embeddings, progress)

    def said(stage: str, done: int = 0, total: int = 0) -> None:
        progress(f"{stage}, {name}", done, total)

    layout = method.lay_out(embeddings, graph, config, start=start, progress=said, threads=threads())
    return layout, round(time.perf_counter() - began, 2)


def _write(drawn: RunFolder, name: str, method: str, drawing: tuple[Layout, float], corpus) -> None:
    layout, seconds = drawing
    write_map(drawn.map(name, method), corpus.kept, layout.coordinates)
    facts = {**layout.used, "seconds": seconds}
    if why_no_knn(corpus.labels, corpus.kept) is None:
        in_picture = np.full((corpus.info.rows, 2), np.nan, np.float32)
        in_picture[corpus.kept] = layout.coordinates
        facts["knn_in_picture"] = cv10_knn(embeddings=in_picture, labels=corpus.labels, rows=corpus.kept).value
    write_json(drawn.map_facts(name, method), facts)
