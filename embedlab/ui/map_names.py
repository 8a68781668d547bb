"""Names for a map at several zooms, coarse to fine: of its classes, or of clusters by their keywords."""

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.runs.map_readings import Clusters
from embedlab.ui.coordinates import RunMap, categories_of
from embedlab.ui.map_view import MOST_CLASSES, NO_CLASS

Name = tuple[str, float, float, float]  # name, x, y, weight
FIRST_CLASSES = 12  # the largest, which a whole map has room for
_CELLS = 48  # of the grid on which the densest place of a group is looked for


def class_levels(corpus: Corpus, drawn: RunMap) -> list[list[Name]]:
    """The twelve largest classes, then all."""
    names = [each.label for each in corpus.info.classes[:MOST_CLASSES]]
    every = named_places(categories_of(corpus, drawn.rows), names, drawn.coordinates)
    return [every] if len(names) <= FIRST_CLASSES else [every[:FIRST_CLASSES], every]


def cluster_levels(found: Clusters, drawn: RunMap) -> list[list[Name]]:
    """The coarser groups, where there are some, then the clusters; by their keywords."""
    levels = []
    if found.coarse_names:
        levels.append(named_places(_on(drawn, found.rows, found.coarse), found.coarse_names, drawn.coordinates))
    return [*levels, named_places(_on(drawn, found.rows, found.clusters), found.names, drawn.coordinates)]


def named_places(groups: np.ndarray, names: list[str], coordinates: np.ndarray) -> list[Name]:
    """Each group's name where most of its points lie, weighted by their number, the largest first.

    groups: (points,) index of a name, others have none; coordinates: (points, 2)
    """
    inside = np.flatnonzero(groups < len(names))
    if not len(inside):
        return []
    order = inside[np.argsort(groups[inside], kind="stable")]
    ends = np.searchsorted(groups[order], np.arange(len(names) + 1))
    low = coordinates.min(axis=0)
    step = max(float((coordinates.max(axis=0) - low).max()) / _CELLS, 1e-9)
    found = []
    for name, start, end in zip(names, ends[:-1], ends[1:], strict=True):
        if end > start:
            x, y = _densest(coordinates[order[start:end]], low, step)
            found.append((name, float(x), float(y), float(end - start)))
    return sorted(found, key=lambda each: -each[3])


def _densest(points: np.ndarray, low: np.ndarray, step: float) -> np.ndarray:
    """The middle of the points in and around the fullest cell.  (points, 2) -> (2,)"""
    cells = ((points - low) // step).astype(np.int64)
    keys = cells[:, 0] * (_CELLS + 2) + cells[:, 1]
    names, sizes = np.unique(keys, return_counts=True)
    cell = np.array(divmod(int(names[sizes.argmax()]), _CELLS + 2))
    return points[(np.abs(cells - cell) <= 1).all(axis=1)].mean(axis=0)


def _on(drawn: RunMap, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The group of each point of a map, NO_CLASS where it has none."""
    every = np.full(max(drawn.rows.max(initial=0), rows.max(initial=0)) + 1, NO_CLASS, np.int64)
    every[rows] = np.where(groups < 0, NO_CLASS, groups)
    return every[drawn.rows]
