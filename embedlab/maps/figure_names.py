"""Where class names stand on a printed map: each where its class is densest, larger first, never one over another."""

from dataclasses import dataclass

import numpy as np

CELLS = 40  # along each side, as the browser counts them
_AIR = np.array([1.2, 0.6])  # points of type around a name


@dataclass(frozen=True)
class Places:
    """Per class: its densest place (classes, 2), NaN where it has no point, and how many points it has (classes,)."""

    middles: np.ndarray
    sizes: np.ndarray


def densest_places(coordinates: np.ndarray, categories: np.ndarray, count: int) -> Places:
    """The mean of a class's points in and around its fullest cell of a grid.  coordinates: (texts, 2)"""
    middles, sizes = np.full((count, 2), np.nan), np.zeros(count, np.int64)
    known = (categories >= 0) & (categories < count)
    places, classes = np.asarray(coordinates[known], np.float64), categories[known].astype(np.int64)
    if not len(places):
        return Places(middles, sizes)
    low, high = places.min(axis=0), places.max(axis=0)
    cells = np.minimum((places - low) / np.where(high > low, high - low, 1.0) * CELLS, CELLS - 1).astype(np.int64)
    sizes = np.bincount(classes, minlength=count)
    order = np.argsort(classes, kind="stable")
    for category, own in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
        if len(own):
            grid = np.zeros((CELLS + 2, CELLS + 2), np.int64)  # one empty cell around it
            np.add.at(grid, (cells[own, 0] + 1, cells[own, 1] + 1), 1)
            around = sum(np.roll(grid, (x, y), (0, 1)) for x in (-1, 0, 1) for y in (-1, 0, 1)) + grid
            around[grid == 0] = 0
            fullest = np.array(np.unravel_index(np.argmax(around), grid.shape)) - 1
            middles[category] = places[own[(np.abs(cells[own] - fullest) <= 1).all(axis=1)]].mean(axis=0)
    return Places(middles, sizes)


def spread_names(
    at: np.ndarray, names: np.ndarray, weights: np.ndarray, frame: np.ndarray
) -> list[tuple[int, float, float]]:
    """(class, x, y) of the middles of the names that fit: heavier first, moved inside the frame, none over another.

    at: (classes, 2) where each should stand; names: (classes, 2) width and height; weights: (classes,), 0 never stands;
    frame: (2, 2) its corners; all in one unit.
    """
    found, boxes = [], np.empty((0, 4))
    for category in np.argsort(-weights, kind="stable"):
        half = names[category] / 2 + _AIR
        if not weights[category] or (2 * half > frame[1] - frame[0]).any():
            continue
        middle = np.clip(at[category], frame[0] + half, frame[1] - half)
        box = np.concatenate([middle - half, middle + half])
        if (boxes[:, :2] < box[2:]).all(axis=1)[(boxes[:, 2:] > box[:2]).all(axis=1)].any():
            continue
        boxes = np.vstack([boxes, box])
        found.append((int(category), float(middle[0]), float(middle[1])))
    return found
