"""Geometry of maps, for workers and pages: alignment, densest places, 16-bit coordinates."""

from dataclasses import dataclass

import numpy as np

FEWEST = 3  # points that fix a place, a turn and a size
CELLS = 40  # along each side of the grid on which a densest place is looked for, as in the browser
STEPS = 65_535  # places along each side of a map that the browser can tell apart


def radius(coordinates: np.ndarray) -> float:
    """The root mean square distance from the centre. (points, 2) -> ()"""
    return float(np.sqrt(((coordinates - coordinates.mean(axis=0)) ** 2).sum(axis=1).mean()))


def procrustes(coordinates: np.ndarray, *, onto: np.ndarray, by: np.ndarray | None = None) -> np.ndarray:
    """Coordinates moved, rotated, mirrored and scaled to match ``onto`` as closely as possible.

    coordinates, onto: (points, 2) -> (points, 2); ``by``: (points,) bool, the points that decide (align on selection),
    by default all.  The size is matched by radius, not by least squares (``scipy.spatial.procrustes``), which would
    shrink a map that has little in common with the one before.
    """
    chosen = slice(None) if by is None else by
    points, other = coordinates[chosen], onto[chosen]
    middle, target = points.mean(axis=0), other.mean(axis=0)
    left, _, right = np.linalg.svd((points - middle).T @ (other - target))
    size = radius(other) / radius(points) if radius(points) > 0 and radius(other) > 0 else 1.0
    return (coordinates - middle) @ (left @ right) * size + target


def laid_onto(
    coordinates: np.ndarray,
    rows: np.ndarray,
    *,
    onto: np.ndarray,
    onto_rows: np.ndarray,
    chosen: np.ndarray | None = None,
) -> np.ndarray:
    """``procrustes`` for two maps that need not hold the same texts: fitted on common or chosen texts.

    coordinates: (points, 2) with their ``rows``: (points,), ``onto`` likewise, ``chosen``: (rows in all,) bool
    -> (points, 2), unchanged where fewer than three texts decide
    """
    shared, on_other, positions = np.intersect1d(onto_rows, rows, assume_unique=True, return_indices=True)
    decides = np.ones(len(shared), bool) if chosen is None else chosen[shared]
    if decides.sum() < FEWEST:
        return coordinates
    target, by = np.zeros(coordinates.shape), np.zeros(len(rows), bool)
    target[positions], by[positions[decides]] = onto[on_other], True
    return procrustes(coordinates.astype(np.float64), onto=target, by=by).astype(coordinates.dtype)


@dataclass(frozen=True)
class ClassPlaces:
    """Per class: its densest place (classes, 2), NaN where it has no point, and how many points it has (classes,)."""

    middles: np.ndarray
    sizes: np.ndarray


def densest_places(coordinates: np.ndarray, categories: np.ndarray, count: int) -> ClassPlaces:
    """The mean of a class's points in and around its fullest grid cell.

    coordinates: (points, 2), categories: (points,), those outside 0 … count−1 are of no class
    """
    in_range = (categories >= 0) & (categories < count)
    places, classes = np.asarray(coordinates[in_range], np.float64), categories[in_range].astype(np.int64)
    if not len(places):
        return ClassPlaces(np.full((count, 2), np.nan), np.zeros(count, np.int64))
    low, high = places.min(axis=0), places.max(axis=0)
    cells = np.minimum((places - low) / np.where(high > low, high - low, 1.0) * CELLS, CELLS - 1).astype(np.int64) + 1
    best = _fullest(classes, cells, count)[classes]  # (points, 2)
    near = (np.abs(cells - best) <= 1).all(axis=1)
    sums = [np.bincount(classes[near], places[near, axis], count) for axis in (0, 1)]
    sizes = np.bincount(classes, minlength=count)
    with np.errstate(invalid="ignore"):  # 0 / 0 of a class without a point
        return ClassPlaces(np.column_stack(sums) / np.bincount(classes[near], minlength=count)[:, None], sizes)


def _fullest(classes: np.ndarray, cells: np.ndarray, count: int) -> np.ndarray:
    """The cell of each class with the most points in and around it. (points,), (points, 2) -> (classes, 2)"""
    wide = CELLS + 2  # one empty cell around
    keys, counts = np.unique((classes * wide + cells[:, 0]) * wide + cells[:, 1], return_counts=True)
    around = counts.copy()  # once more for the middle: ties go to the fuller cell
    for step in (wide * x + y for x in (-1, 0, 1) for y in (-1, 0, 1)):
        at = np.minimum(np.searchsorted(keys, keys + step), len(keys) - 1)
        around += np.where(keys[at] == keys + step, counts[at], 0)
    order = np.lexsort((keys, -around, keys // wide**2))
    named, first = np.unique(keys[order] // wide**2, return_index=True)
    fullest = np.zeros((count, 2), np.int64)
    fullest[named] = np.column_stack(np.divmod(keys[order[first]] % wide**2, wide))
    return fullest


def evenly(count: int, most: int) -> np.ndarray:
    """At most ``most`` of the positions 0 … count−1, evenly spaced. -> (min(count, most),)"""
    return np.linspace(0, count - 1, min(count, most)).round().astype(int)


def sixteen_bits(coordinates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integers 0 … 65,535 along each axis, and the corners that they span.

    (points, 2) -> (points, 2) uint16, (2,), (2,)
    """
    low, high = coordinates.min(axis=0).astype(np.float64), coordinates.max(axis=0).astype(np.float64)
    span = np.where(high > low, high - low, 1.0)
    return np.rint((coordinates - low) / span * STEPS).astype(np.uint16), low, high


def from_sixteen_bits(whole: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Coordinates as the browser decodes them. (points, 2) uint16 -> (points, 2) float64"""
    return np.asarray(low) + whole / STEPS * (np.asarray(high) - np.asarray(low))
