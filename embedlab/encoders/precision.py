"""In which numbers texts are embedded: bf16 where the device has it and it changes no vector visibly, else fp32."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from embedlab.encoders.device import Device
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder

LEAST_COSINE = 0.9999  # of a text's bf16 vector with its fp32 vector
TRIED_TEXTS = 64


@dataclass(frozen=True)
class EmbeddingPrecision:
    """``fp32`` or ``bf16``, and what decided: the least cosine of the texts tried; None where none were."""

    name: str
    least_cosine: float | None = None


def precision_of_embedding(asked: str, encoder: Encoder, texts: Sequence[str], device: Device) -> EmbeddingPrecision:
    """What was asked; ``auto`` tries texts evenly spread over these, where the device has bf16 and layers use it."""
    if asked != "auto":
        return EmbeddingPrecision(asked)
    if not (device.supports_bf16 and encoder.layers and len(texts)):
        return EmbeddingPrecision("fp32")
    tried = [texts[row] for row in np.unique(np.linspace(0, len(texts) - 1, TRIED_TEXTS).astype(int))]
    least = _least_cosine(*(embed(encoder, tried, device=device.name, precision=each) for each in ("fp32", "bf16")))
    return EmbeddingPrecision("bf16" if least >= LEAST_COSINE else "fp32", least)


def _least_cosine(some: np.ndarray, others: np.ndarray) -> float:
    """Of two vectors of a text; a text without tokens has none in either.  (texts, dim), (texts, dim) -> 1 at most"""
    lengths = np.linalg.norm(some, axis=1) * np.linalg.norm(others, axis=1)
    there = lengths != 0  # so is not a number
    cosines = (some * others).sum(axis=1)[there] / lengths[there]
    return float(np.nan_to_num(cosines, nan=-1.0).min(initial=1.0))
