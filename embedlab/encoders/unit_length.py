"""Vectors of length 1, as training reads them: what has no direction teaches none."""

from __future__ import annotations

from embedlab.later import Tensor, torch

SMALLEST = 1e-8  # of a length: below, rounding alone makes the direction


def unit_length(vectors: Tensor) -> Tensor:
    """Each divided by its length; one of no length becomes zeros, and no gradient reaches it.  (n, dim) -> (n, dim)

    ``F.normalize`` divides such a vector's gradient by its eps of 1e-12: one text whose only word is unknown makes a
    gradient of 1e18, beside which those of its whole batch are nothing.
    """
    lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.masked_fill(lengths < SMALLEST, float("inf"))
