"""The ten nearest texts of each text that are neither the text itself nor a copy of it."""

from collections.abc import Iterable

import numpy as np

from embedlab.copies import normalised

NEAREST = 10
_CHUNK_ROWS = 20_000


def copy_groups(texts: Iterable[str]) -> np.ndarray:
    """A number for each text, the same for copies.  -> (texts,) int32"""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(normalised(text), len(numbers)) for text in texts], dtype=np.int32)


def nearest_others(
    indices: np.ndarray, copies: np.ndarray, *, own: np.ndarray | None = None, k: int = NEAREST
) -> np.ndarray:
    """The first ``k`` entries of each list that are no copy of its text, in their order.

    indices: (lists, neighbors) of texts, -1 where there is none; copies: (texts,); own: (lists,), the text of each
    list, by default 0 … lists−1 -> (lists, k) int32, -1 where the list has no more
    """
    own = np.arange(len(indices)) if own is None else own
    found = np.full((len(indices), k), -1, np.int32)
    for start in range(0, len(indices), _CHUNK_ROWS):
        chunk = slice(start, start + _CHUNK_ROWS)
        near = np.asarray(indices[chunk])
        good = (near >= 0) & (copies[near] != copies[own[chunk]][:, None])  # a text is its own copy
        place = good.cumsum(axis=1) - 1
        good &= place < k
        at, _ = np.nonzero(good)
        found[start + at, place[good]] = near[good]
    return found
