"""Whether scored pairs keep people's order when texts are repeated: Spearman under the length attack (LA(SER)³, §3)."""

from dataclasses import asdict

import numpy as np

from embedlab.diagnostics.length import Similarities, copies_that_fit, elongated, repeats_change_nothing
from embedlab.encoders.embed import embed
from embedlab.metrics.base import Measured, ScoredPairs
from embedlab.metrics.sts import STS
from embedlab.progress import Progress, silent
from embedlab.statistics.geometry import cosines

REPEATED = ("none", "first", "both")  # which texts of a pair are repeated


def scored_attack(
    encoder,
    *,
    first: list[str],
    second: list[str],
    scores: np.ndarray,
    copies: int,
    device: str = "cpu",
    progress: Progress = silent,
) -> tuple[dict, Similarities]:
    """Spearman of the cosine with the scores: as the texts are, the first of each pair repeated, both repeated.

    m is the largest number up to ``copies`` with which the encoder cuts neither text of the pair.
    scores: (pairs,) -> ``none``, ``first``, ``both``: value, and but for ``none`` how it differs from that; and the
    cosines of the pairs as they are and both repeated, without those of a text that has no vector
    """
    pairs = len(first)
    fits = copies_that_fit(encoder, [*first, *second]).reshape(2, pairs)
    read = np.minimum(fits.min(axis=0), copies)
    times = np.maximum(np.floor(read), 1).astype(int)  # (pairs,)
    plain = embed(encoder, [*first, *second], device=device, progress=progress).reshape(2, pairs, -1)
    flat_because = repeats_change_nothing(encoder) if (times <= np.floor(read)).all() else None
    longer = plain
    if flat_because is None:
        repeated = [elongated(text, m) for side in (first, second) for text, m in zip(side, times, strict=True)]
        longer = embed(encoder, repeated, device=device, progress=progress).reshape(2, pairs, -1)
    sides = {"none": (plain, plain), "first": (longer, plain), "both": (longer, longer)}
    measured = {name: STS.measure(ScoredPairs(one[0], other[1], scores)) for name, (one, other) in sides.items()}
    both = [cosines(*plain), cosines(*longer)]
    has_vectors = np.isfinite(both).all(axis=0)
    similarities = Similarities(both[0][has_vectors], both[1][has_vectors], times[has_vectors])
    values = {
        "pairs": pairs,
        "effective_copies": {"mean": float(times.mean()), "min": int(times.min()), "max": int(times.max())},
        "zero_vectors": measured["none"].facts["zero_vectors"],
        "flat_because": flat_because,
        **{name: _as_json(name, found, measured["none"]) for name, found in measured.items()},
    }
    return values, similarities


def _as_json(name: str, found: Measured, plain: Measured) -> dict:
    if name == "none":
        return {"value": found.value}
    return {"value": found.value, "change": asdict(STS.difference(before=plain.units, after=found.units))}
