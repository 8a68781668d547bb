"""Where a typed text lies on a finished map: amid its nearest texts."""

import numpy as np

PLACED_BY = 10


def placed(neighbors: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """The median place of each text's ten nearest texts that have one, not a number where none has.

    neighbors: (queries, k) rows, nearest first, -1 for none; coordinates: (texts, 2) -> (queries, 2)
    """
    places = np.full((len(neighbors), 2), np.nan)
    for query, rows in enumerate(neighbors):
        near = coordinates[rows[rows >= 0][:PLACED_BY]]
        near = near[np.isfinite(near).all(axis=1)]
        if len(near):
            places[query] = np.median(near, axis=0)
    return places
