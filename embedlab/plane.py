"""Arithmetic of points in the plane, shared by workers and pages: size, one map laid over another, sixteen bits."""

import numpy as np

FEWEST = 3  # points that fix a place, a turn and a size
STEPS = 65_535  # places along each side of a map that the browser can tell apart


def radius(coordinates: np.ndarray) -> float:
    """The root mean square distance from the middle.  (points, 2) -> ()"""
    return float(np.sqrt(((coordinates - coordinates.mean(axis=0)) ** 2).sum(axis=1).mean()))


def procrustes(coordinates: np.ndarray, *, onto: np.ndarray, by: np.ndarray | None = None) -> np.ndarray:
    """Coordinates moved, turned, mirrored and brought to the radius of ``onto``, as near to it as that goes.

    coordinates, onto: (points, 2) -> (points, 2); ``by``: (points,) bool, the points that decide (align on selection),
    by default all.  The size is matched by radius, not by least squares, which would shrink a map that has little in
    common with the one before.
    """
    chosen = slice(None) if by is None else by
    own, other = coordinates[chosen], onto[chosen]
    middle, target = own.mean(axis=0), other.mean(axis=0)
    left, _, right = np.linalg.svd((own - middle).T @ (other - target))
    size = radius(other) / radius(own) if radius(own) > 0 and radius(other) > 0 else 1.0
    return (coordinates - middle) @ (left @ right) * size + target


def laid_onto(
    coordinates: np.ndarray,
    rows: np.ndarray,
    *,
    onto: np.ndarray,
    onto_rows: np.ndarray,
    chosen: np.ndarray | None = None,
) -> np.ndarray:
    """``procrustes`` for two maps that need not hold the same texts: those on both decide, or the chosen among them.

    coordinates: (points, 2) with their ``rows``: (points,), ``onto`` likewise, ``chosen``: (rows in all,) bool
    -> (points, 2), unchanged where fewer than three texts decide
    """
    shared, on_other, own = np.intersect1d(onto_rows, rows, assume_unique=True, return_indices=True)
    decides = np.ones(len(shared), bool) if chosen is None else chosen[shared]
    if decides.sum() < FEWEST:
        return coordinates
    target, by = np.zeros(coordinates.shape), np.zeros(len(rows), bool)
    target[own], by[own[decides]] = onto[on_other], True
    return procrustes(coordinates.astype(np.float64), onto=target, by=by).astype(coordinates.dtype)


def sixteen_bits(coordinates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole numbers 0 … 65,535 along each axis, and the corners they span.

    (points, 2) -> (points, 2) uint16, (2,), (2,)
    """
    low, high = coordinates.min(axis=0).astype(np.float64), coordinates.max(axis=0).astype(np.float64)
    span = np.where(high > low, high - low, 1.0)
    return np.rint((coordinates - low) / span * STEPS).astype(np.uint16), low, high


def from_sixteen_bits(whole: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """What the browser draws for such numbers.  (points, 2) uint16 -> (points, 2) float64"""
    return np.asarray(low) + whole / STEPS * (np.asarray(high) - np.asarray(low))
