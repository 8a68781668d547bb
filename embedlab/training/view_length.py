"""Tokens that training reads of a view: as set, or 95 % of the texts whole where an encoder reads far longer ones."""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from embedlab.limits import LIMITS

if TYPE_CHECKING:
    from embedlab.encoders.encoder import Encoder

PERCENTILE = 95
SAMPLE = 2_000  # texts whose tokens are counted, evenly spread
_LEAST, _STEP = 32, 8  # tokens: no fewer, and rounded up to a multiple


def proposed_length(counts: Sequence[float], longest: int) -> int | None:
    """The 95th percentile of the texts' tokens, at most what the encoder reads.  counts: (texts,)

    None for an encoder that reads no more than 512 tokens: it reads in training as much as otherwise.
    """
    if longest <= LIMITS.short_context or not len(counts):
        return None
    return min(max(_STEP * ceil(float(np.percentile(counts, PERCENTILE)) / _STEP), _LEAST), longest)


def evenly_spread(texts: Sequence[str]) -> list[str]:
    """At most 2,000 of the texts, the same every time."""
    return [texts[row] for row in np.unique(np.linspace(0, len(texts) - 1, min(SAMPLE, len(texts))).astype(int))]


def automatic_length(encoder: "Encoder", texts: Sequence[str]) -> int | None:
    """The proposal for a loaded encoder, by its own tokens, special ones and the prompt included."""
    if not encoder.layers or encoder.max_length <= LIMITS.short_context:
        return None
    return proposed_length([len(ids) for ids in encoder.tokenize(evenly_spread(texts))], encoder.max_length)
