"""When two distances are equal: ties between neighbors are broken by row number, not by rounding."""

from __future__ import annotations

import numpy as np

KEPT_BITS = 20  # of 52: distances that agree in a millionth are equal
DROPPED = 52 - KEPT_BITS
HALF = 1 << (DROPPED - 1)
MASK = -(1 << DROPPED)
CLOSE = 2.0**-44  # of the query's squared length: nearer than four roundings of float32 is at distance 0
WITHIN = 2.0**-19  # squared distances farther apart (relative) are never equal


def compared(squares: np.ndarray, own_squares: np.ndarray | float) -> np.ndarray:
    """Return squared distances as they are compared: equal where rounding alone may tell them apart.

    Distances are computed by differences in float64, whose rounding errors are 1e-15. They are rounded to 20 binary
    digits, and to 0 where a row is nearer to the query than float32 can tell. Sorting them by a stable sort breaks ties
    by row number, whatever the blocks, threads and device. Pairs of distances that differ by more than one part
    in a million keep their order.

    squares: (queries, rows) float64, at least 0; own_squares: squared length of each query, (queries, 1) or one
    number -> (queries, rows)
    """
    bits = np.ascontiguousarray(squares, np.float64).view(np.int64)
    rounded = ((bits + HALF) & MASK).view(np.float64)
    return np.where(squares <= own_squares * CLOSE, 0.0, rounded)


def highest_equal(squares: np.ndarray, own_squares: np.ndarray | float) -> np.ndarray:
    """Return bounds above which no squared distance is equal to a given one.  (n,) -> (n,)"""
    return np.maximum(squares * (1 + WITHIN), own_squares * CLOSE * 2)
