"""The first dimensions of vectors, as an encoder trained by Matryoshka is cut."""

import numpy as np

from embedlab.errors import SettingsError


def first_dimensions(embeddings: np.ndarray, count: int | None) -> np.ndarray:
    """The first ``count`` dimensions of each vector, all where it is None.  (rows, dim) -> (rows, count)"""
    if count is None:
        return embeddings
    if not 1 <= count <= embeddings.shape[1]:
        raise SettingsError(
            "E-DIMENSIONS",
            f"--dimensions is {count:,}, but these vectors have {embeddings.shape[1]:,}. Choose a number from 1 to "
            f"{embeddings.shape[1]:,}.",
        )
    return np.ascontiguousarray(embeddings[:, :count])
