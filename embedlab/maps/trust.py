"""How far a map can be trusted at each text: are its neighbors on the map true, and are its true neighbors kept.

scikit-learn's ``trustworthiness`` is one number for the whole map, and sorts the distances of all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from embedlab.runs.map_readings import MeanTrust

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

NEAR, WIDE = 10, 90
_SPARE = 8  # neighbors beyond those asked for, so that equal distances are ordered by file order
_MOST = 4096  # points at one place beyond which their order is the tree's
_CHUNK_ROWS = 20_000


@dataclass(frozen=True)
class Trust:
    """One value per point, 0 … 1, NaN for a point without neighbors in the full space."""

    true: np.ndarray  # (points,) share of the 10 map neighbors among the 90 nearest in the full space
    retained: np.ndarray  # (points,) share of the 10 nearest in the full space among the 90 map neighbors
    chance: float  # what both would be for a map drawn at random

    def means(self) -> MeanTrust:
        """Means over the corpus, with the chance level of each."""
        has_neighbors = np.isfinite(self.true)
        true, retained = (
            float(values[has_neighbors].mean()) if has_neighbors.any() else None
            for values in (self.true, self.retained)
        )
        return MeanTrust(true, retained, self.chance, int(has_neighbors.sum()))


def trust(coordinates: np.ndarray, indices: np.ndarray) -> Trust:
    """coordinates (points, 2), finite; indices (points, 90): nearest points in the full space, -1 for none.

    Both count the same points, so that a preview is judged among its shown texts only. With fewer than 91 points all
    others are neighbors.
    """
    points = len(coordinates)
    wide, near = min(WIDE, points - 1, indices.shape[1]), min(NEAR, points - 1)
    true, retained = np.full(points, np.nan, np.float32), np.full(points, np.nan, np.float32)
    if near < 1:
        return Trust(true, retained, 1.0)
    for start, on_map in _map_neighbors(np.asarray(coordinates, np.float64), wide):
        chunk = slice(start, start + len(on_map))
        full = np.asarray(indices[chunk, :wide])
        has_neighbors = full[:, 0] >= 0
        true[chunk][has_neighbors] = _share_found(on_map[:, :near], full)[has_neighbors]
        retained[chunk][has_neighbors] = _share_found(full[:, :near], on_map)[has_neighbors]
    return Trust(true, retained, min(wide / (points - 1), 1.0))


def map_neighbors(coordinates: np.ndarray, k: int) -> np.ndarray:
    """The k nearest other points of each point, ties in file order. (points, 2) -> (points, k)"""
    parts = [near for _, near in _map_neighbors(np.asarray(coordinates, np.float64), k)]
    return np.concatenate(parts) if parts else np.empty((0, k), np.int64)


def _map_neighbors(coordinates: np.ndarray, k: int) -> Iterator[tuple[int, np.ndarray]]:
    """In chunks: the first row, and (rows, k)."""
    from scipy.spatial import cKDTree

    tree = cKDTree(coordinates)
    for start in range(0, len(coordinates), _CHUNK_ROWS):
        rows = np.arange(start, min(start + _CHUNK_ROWS, len(coordinates)))
        nearest, count = np.empty((len(rows), k), np.int64), k + 1 + _SPARE
        unsure = np.arange(len(rows))
        while len(unsure):
            part = rows[unsure]
            again = []
            step = max(1, _CHUNK_ROWS * (k + 1) // count)
            for first in range(0, len(part), step):
                these = slice(first, first + step)
                near, cut = _nearest(tree, coordinates, part[these], k, min(count, len(coordinates)))
                nearest[unsure[these]] = near
                again.append(unsure[these][cut])
            unsure = np.concatenate(again) if count < min(_MOST, len(coordinates)) else unsure[:0]
            count *= 4
        yield start, nearest


def _nearest(
    tree: cKDTree, coordinates: np.ndarray, rows: np.ndarray, k: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, k) by distance, then file order; and the rows for which equidistant points may have been cut off."""
    distances, near = tree.query(coordinates[rows], k=count)
    distances[near == rows[:, None]] = -1.0  # itself goes first and out
    order = np.lexsort((near, distances), axis=1)
    distances, near = np.take_along_axis(distances, order, axis=1), np.take_along_axis(near, order, axis=1)
    skip = (distances[:, :1] == -1.0).astype(int)  # not found among many points at its own place
    places = np.arange(k)[None] + skip
    cut = (distances[:, -1] <= distances[np.arange(len(rows)), places[:, -1]]) & (count < len(coordinates))
    return np.take_along_axis(near, places, axis=1), cut | ((skip[:, 0] == 0) & (count < len(coordinates)))


def _share_found(nearest: np.ndarray, among: np.ndarray) -> np.ndarray:
    """For each row, the share of its points that are among its others; -1 stands for none.

    (rows, 10), (rows, 90) -> (rows,)
    """
    return ((nearest[:, :, None] == among[:, None, :]) & (nearest >= 0)[:, :, None]).any(axis=2).mean(axis=1)
