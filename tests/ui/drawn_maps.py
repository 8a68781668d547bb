"""Maps, predictions, embeddings and neighbor graphs of a made run, written as its worker would."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from builders import leave_predictions

from embedlab.distance import DISTANCES
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def write_maps(run: RunFolder, corpus, method: str = "tsne") -> np.ndarray:
    """Row i lies at (i, 0) before and at (i, 1) after."""
    rows = corpus.kept
    for height, side in enumerate(("before", "after")):
        run.map(side, method).parent.mkdir(exist_ok=True)
        pq.write_table(
            pa.table({"id": rows, "x": rows.astype(float), "y": np.full(len(rows), float(height))}),
            run.map(side, method),
        )
        facts = {"method": method, "seed": 42, "texts": len(rows), "knn_in_picture": 0.5}
        write_json(run.map_facts(side, method), facts)
    return rows


def write_predictions(run: RunFolder, corpus) -> None:
    """Rows 0 to 3: right twice, right only after, right only before, wrong twice; by cosine all are wrong before."""
    own, other = corpus.labels[:4], corpus.labels[[1, 2, 3, 0]]
    before, after = [own[0], other[1], own[2], other[3]], [own[0], own[1], other[2], other[3]]
    leave_predictions(run, own, (before, after), (list(other), after))


def write_neighbors(run: RunFolder, corpus, k: int = 12, distances=DISTANCES) -> None:
    """Before: the rows that follow; after: the nearest rows of the same label (every fourth row); by each distance."""
    texts = len(corpus.kept)
    own = np.arange(texts)[:, None]
    for side, step in (("before", 1), ("after", 4)):
        for distance in distances:
            graph = run.neighbors(side, distance)
            graph.mkdir(parents=True)
            indices = (own + step * np.arange(1, k + 1)) % texts
            np.save(graph / "indices.npy", indices.astype(np.int32))
            np.save(graph / "distances.npy", np.tile(np.linspace(0.1, 1.2, k, dtype=np.float32), (texts, 1)))
            write_json(graph / "graph.json", {"distance": distance})
        run.embeddings(side).parent.mkdir(exist_ok=True)
        np.save(run.embeddings(side), np.eye(corpus.info.rows, 8, dtype=np.float32) + 0.5)
