"""How far embeddings fill their space: the two numbers by which a collapse is seen."""

from dataclasses import dataclass

import numpy as np

from embedlab.statistics.geometry import dimension_std, effective_rank, hubness, mean_cosine, uniformity

SAMPLE = 512  # texts; the effective rank depends on their number, so it is fixed and shown


@dataclass(frozen=True)
class Spread:
    """``effective_rank``: exp of the entropy of the singular values' shares; ``std``: 1 isotropic, 0 collapsed."""

    effective_rank: float
    std: float
    texts: int


def spread_of(embeddings: np.ndarray) -> Spread:
    """Of finite, non-zero vectors.  (texts, dim)"""
    lengths = np.linalg.norm(embeddings, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    embeddings = embeddings[usable].astype(np.float64)
    return Spread(effective_rank(embeddings), dimension_std(embeddings), int(usable.sum()))


def geometry_of(embeddings: np.ndarray) -> dict[str, float | None]:
    """The cheap diagnostics of a live point, under the names of ``LIVE_DIAGNOSTICS``; None where they have no value.

    Over the same few texts from first to last.  (texts, dim)
    """
    lengths = np.linalg.norm(embeddings, axis=1)
    vectors = embeddings[np.isfinite(lengths) & (lengths > 0)].astype(np.float64)
    if len(vectors) < 2:
        return {"uniformity": None, "mean_cosine": None, "hubness": None}
    skewness = hubness(vectors)
    return {
        "uniformity": round(uniformity(vectors), 4),
        "mean_cosine": round(mean_cosine(vectors), 4),
        "hubness": None if skewness is None else round(skewness, 3),
    }
