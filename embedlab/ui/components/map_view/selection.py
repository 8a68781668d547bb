"""What the reader did on a map, and which texts lie inside a lasso."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from embedlab.ui.components.map_view.payload import drawn_places


@dataclass(frozen=True)
class MapState:
    """The reader's part of a map: a lasso, clicked texts, and the filter of the legend."""

    selection: list[tuple[float, float]] | None = None  # the lasso's vertices in map coordinates
    at: float | None = None  # where the slider stood when the lasso was drawn; None: at the last frame
    picked: int | None = None  # the row id of the clicked text
    second: int | None = None  # of another one, clicked with Ctrl (or Command) held
    isolated: tuple[int, ...] = ()  # categories shown alone; empty: all
    hidden: tuple[int, ...] = ()
    frames: Sequence[np.ndarray] = field(default=(), repr=False, compare=False)  # what the slider moves between

    def shows(self, categories: np.ndarray) -> np.ndarray:
        """Which points the legend leaves on.  categories: (texts,) -> bool (texts,)"""
        shown = ~np.isin(categories, self.hidden)
        return shown & np.isin(categories, self.isolated) if self.isolated else shown

    def selected(self, coordinates: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """Positions of the shown points inside the lasso, as the map highlights them.  -> (selected,)

        coordinates (texts, 2), categories (texts,): those the map was drawn with; of a map with frames the places
        count where the slider had moved the points to.
        """
        if self.selection is None:
            return np.empty(0, dtype=np.int64)
        inside = rows_in_polygon(drawn_places(self.frames or [coordinates], self.at), self.selection)
        return inside[self.shows(categories[inside])]


def rows_in_polygon(coordinates: np.ndarray, polygon: list[tuple[float, float]]) -> np.ndarray:
    """Positions of the points inside a polygon, by the even-odd rule.  coordinates: (texts, 2) -> (inside,)"""
    vertices = np.asarray(polygon, dtype=np.float64).reshape(-1, 2)
    if len(vertices) < 3:
        return np.empty(0, dtype=np.int64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    near = np.flatnonzero(((coordinates >= low) & (coordinates <= high)).all(axis=1))
    x, y = coordinates[near].astype(np.float64).T
    inside = np.zeros(len(near), dtype=bool)
    for (x_from, y_from), (x_to, y_to) in zip(vertices, np.roll(vertices, 1, axis=0), strict=True):
        crossed = np.flatnonzero((y_from > y) != (y_to > y))  # the edge passes the height of these points
        x_edge = (x_to - x_from) * (y[crossed] - y_from) / (y_to - y_from) + x_from if len(crossed) else 0.0
        inside[crossed] ^= x[crossed] < x_edge
    return near[inside]
