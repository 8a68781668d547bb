"""Ranks of 28,500 partners by both distances: one product of float32 against two of float64, in turns.

python tests/benchmarks/matching.py
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import embedlab  # noqa: F401, I001 - says how threads wait, which numpy reads when it is imported
import numpy as np
from embedlab.metrics.exact import unit_rows
from embedlab.metrics.matching import CHUNK_NUMBERS, SAME, partner_ranks

TEXTS, DIM, CLASSES, TURNS = 28_500, 768, 114, 3


def main() -> None:
    """Seconds of both, and whether the ranks are the same."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(CLASSES, DIM))
    texts = centres[rng.integers(0, CLASSES, TEXTS)] + rng.normal(size=(TEXTS, DIM))
    one, other = (texts + rng.normal(scale=2, size=(2, TEXTS, DIM))).astype(np.float32)
    seconds, found = {"before": [], "now": []}, {}
    for _ in range(TURNS):
        for name, work in (("before", before), ("now", partner_ranks)):
            began = time.perf_counter()
            found[name] = work(queries=one, partners=other)
            seconds[name].append(time.perf_counter() - began)
    for distance, ranks in found["now"].items():
        same = np.array_equal(ranks, found["before"][distance])
        print(f"{distance}: mean rank {ranks.mean():.2f}, {'the same ranks' if same else 'OTHER RANKS'}")
    took = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"before {took['before']:.1f} s, now {took['now']:.1f} s: {took['before'] / took['now']:.1f} ×")


def before(*, queries: np.ndarray, partners: np.ndarray) -> dict[str, np.ndarray]:
    """As it was computed: every product in float64, once for each distance."""
    found = {}
    for distance in ("euclidean", "cosine"):
        q, points = (
            unit_rows(each) if distance == "cosine" else each.astype(np.float64) for each in (queries, partners)
        )
        squares, ranks = np.einsum("ij,ij->i", points, points), np.empty(len(q))
        step = max(1, CHUNK_NUMBERS // len(points))
        for start in range(0, len(q), step):
            part = q[start : start + step]
            near = squares - 2 * (part @ points.T)
            own = near[np.arange(len(part)), start + np.arange(len(part))][:, None]
            error = SAME * (np.einsum("ij,ij->i", part, part) + squares.max())[:, None]
            ahead, same = (near < own - error).sum(axis=1), (np.abs(near - own) <= error).sum(axis=1)
            ranks[start : start + step] = 1 + ahead + (same - 1) / 2
        found[distance] = ranks
    return found


if __name__ == "__main__":
    main()
