"""The first dimensions of vectors, as an encoder trained by Matryoshka is cut."""

import numpy as np

from embedlab.errors import SettingsError

FEWEST = 16  # that are worth a try; then twice as many, up to all


def dimensions_to_try(dim: int) -> list[int]:
    """16, 32, 64, … below ``dim``, then ``dim``."""
    counts, count = [], FEWEST
    while count < dim:
        counts.append(count)
        count *= 2
    return [*counts, dim]


def first_dimensions(embeddings: np.ndarray, count: int | None) -> np.ndarray:
    """The first ``count`` dimensions of each vector, all where it is None.  (rows, dim) -> (rows, count)"""
    if count is None:
        return embeddings
    return np.ascontiguousarray(embeddings[:, : within(count, embeddings.shape[1])])


def within(count: int, dim: int) -> int:
    """The number of dimensions to keep of ``dim``; more than there are, or none, are refused."""
    if not 1 <= count <= dim:
        raise SettingsError(
            "E-DIMENSIONS",
            f"{count:,} dimensions are to be kept, but these vectors have {dim:,}. Choose a number from 1 to {dim:,}.",
        )
    return count
