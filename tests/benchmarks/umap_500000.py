"""UMAP of 500,000 × 768 with its approximate graph: seconds and peak memory.  ``[TEXTS] [METHOD]``

Vectors: 2,000 centres of unequal weight in a space of 60 dimensions, about each its own 12 directions of noise that
reach as far as to the next centre, and a little noise in all 768.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.peak_memory import in_a_child, measured

DIM, CENTRES, SPACE, DIRECTIONS, PART = 768, 2_000, 60, 12, 10_000


def write_vectors(path: Path, texts: int, seed: int = 0) -> None:
    """Clustered vectors (texts, 768) float32 as .npy, part by part."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(DIM, SPACE)))[0].astype(np.float32)
    centres = rng.normal(size=(CENTRES, SPACE)).astype(np.float32) @ basis.T
    weights = rng.pareto(1.5, CENTRES) + 0.1
    spread = rng.normal(size=(CENTRES, DIRECTIONS, DIM)).astype(np.float32) / np.float32(np.sqrt(DIM)) * 6
    vectors = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(texts, DIM))
    for start in range(0, texts, PART):
        count = min(PART, texts - start)
        own = rng.choice(CENTRES, count, p=weights / weights.sum())
        amounts = rng.normal(size=(count, 1, DIRECTIONS)).astype(np.float32)
        part = centres[own] + np.concatenate([a @ spread[c] for a, c in zip(amounts, own, strict=True)])
        vectors[start : start + count] = part + 0.1 * rng.normal(size=(count, DIM)).astype(np.float32)
    vectors.flush()


def child(path: str, key: str) -> dict:
    """Graph and layout, as the map task makes them."""
    from embedlab.limits import LIMITS
    from embedlab.maps import MAPS
    from embedlab.neighbors import neighbor_graph

    vectors, method = np.load(path, mmap_mode="r"), MAPS[key]
    began = time.perf_counter()
    graph = neighbor_graph(vectors, k=LIMITS.map_neighbors)
    graph_seconds = round(time.perf_counter() - began, 1)
    used = method.lay_out(vectors, graph, method.config_class(), threads=2).used
    return {"graph_seconds": graph_seconds, **graph.how, "kl_divergence": used.kl_divergence}


def main(texts: int = 500_000, key: str = "umap") -> None:
    """Write the vectors, measure the child."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.npy"
        write_vectors(path, texts)
        found = in_a_child(__file__, path, key)
    graph = f"approximate, recall@15 {100 * found['recall_15']:.1f} %" if found.get("approximate") else "exact"
    print(
        f"{key} of {texts:,} x {DIM}: {found['seconds'] / 60:.1f} min ({found['graph_seconds'] / 60:.1f} the graph, "
        f"{graph}), peak {found['gigabytes']:.1f} GB"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured(lambda: child(*sys.argv[2:]))
    else:
        main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
