"""The cosine of two texts, pair by pair."""

import numpy as np

from embedlab.metrics.exact import is_sparse, numbers_per_row, unit_rows

CHUNK_NUMBERS = 2**22
DECIMALS = 12  # the digits after it are rounding errors: the cosines of a constant encoder are equal


def pair_cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Between -1 and 1; -inf where a vector is zero or not finite, so that such a pair is found by nobody.

    one, other: (pairs, dim), dense or sparse -> (pairs,)
    """
    found = np.full(one.shape[0], -np.inf)
    step = max(1, CHUNK_NUMBERS // max(numbers_per_row(one), 1))
    for start in range(0, len(found), step):
        u, v = unit_rows(one[start : start + step]), unit_rows(other[start : start + step])
        cosines = np.asarray(u.multiply(v).sum(axis=1)).ravel() if is_sparse(u) else np.einsum("ij,ij->i", u, v)
        cosines = np.round(np.clip(cosines, -1, 1), DECIMALS)
        there = _has_direction(u) & _has_direction(v)
        found[start : start + step] = np.where(there, cosines, -np.inf)
    return found


def _has_direction(units: np.ndarray) -> np.ndarray:
    return np.asarray((units != 0).sum(axis=1)).ravel() > 0
