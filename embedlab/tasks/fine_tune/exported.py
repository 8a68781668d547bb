"""By how much an exported encoder differs from the one that was measured, where the format lacks its pooling."""

import numpy as np

from embedlab.distance import DISTANCES
from embedlab.metrics.split import Split
from embedlab.numbers import percent
from embedlab.runs.result import W_EXPORT
from embedlab.tasks.measure.embedded import Measured, embed_aside, measure
from embedlab.vectors.files import taken

COMPARED = 10_000  # vectors whose cosine is averaged, at most; evenly spaced


def exported_remark(
    encoder, corpus, split: Split | None, vectors: np.ndarray, measured: Measured | None, reading: dict
) -> dict | None:
    """Code and sentence about the export; None where sentence-transformers reads texts as this encoder does.

    vectors: (rows, dim), as the encoder gives them; ``measured`` on them; ``reading`` as of ``embed_aside``
    """
    own, exported = encoder.pooling, encoder.exported_pooling
    if exported == own:
        return None
    encoder.read_by(exported)
    try:
        theirs = embed_aside(encoder, corpus, **reading, name="as exported")
    finally:
        encoder.read_by(own)
    cosine = _mean_cosine(vectors, theirs, corpus.kept)
    message = (
        f"sentence-transformers has no pooling {own}, so the exported encoder uses {exported}. The mean cosine "
        f"between its vectors and those measured here is {cosine:.3f}"
    )
    if measured is not None:
        found = measure(theirs, corpus, split)
        values = (
            f"{percent(found.by(each).value)} instead of {percent(measured.by(each).value)} ({name})"
            for each, name in DISTANCES.items()
        )
        message += f", its kNN accuracy {', '.join(values)}"
    return {"code": W_EXPORT, "message": f"{message}."}


def _mean_cosine(one: np.ndarray, other: np.ndarray, rows: np.ndarray) -> float:
    """Of some of these rows, without those of which one vector is zero; 1 where there are none."""
    some = rows[:: max(1, -(-len(rows) // COMPARED))]
    one, other = (taken(vectors, some).astype(np.float64) for vectors in (one, other))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    there = lengths > 0
    return float(((one * other).sum(axis=1)[there] / lengths[there]).mean()) if there.any() else 1.0
