"""Marks on the maps for what a search found."""

from collections.abc import Sequence

import numpy as np

from embedlab.ui.coordinates import RunMap

Mark = tuple[str, float, float]


def place_of_row(drawn: RunMap | None, row: int, name: str) -> list[Mark]:
    """A named mark where the map shows this corpus row; none where it does not."""
    return [] if not drawn else [(name, x, y) for x, y in _places(drawn, [row])]


def dots(drawn: RunMap | None, rows: Sequence[int]) -> list[Mark]:
    """A dot at each of these corpus rows that the map shows."""
    return [] if not drawn else [("", x, y) for x, y in _places(drawn, rows)]


def _places(drawn: RunMap, rows: Sequence[int]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in drawn.coordinates[np.isin(drawn.rows, rows)]]
