"""What lies between two texts: similarity, the rank of each in the other's list, and the neighbors they share."""

import numpy as np

from embedlab.distance import EUCLIDEAN, Distance
from embedlab.runs.vectors import StoredVectors, nearest_by

NEIGHBORS = 10
NUMBERS_AT_ONCE = 2**24  # embeddings of so many numbers are read twice in well under 0.3 s


def between(vectors: StoredVectors, first: int, second: int, distance: Distance = EUCLIDEAN) -> dict:
    """Exact, by one pass over all texts; every value but ``shared`` is None where one of the two has no vector.

    ``cosine``: −1 … 1; ``of_first``: the place of the second text among all others by this distance to the first (1:
    the nearest), ``of_second`` the other way round; ``shared``: rows among the ten nearest of both; ``others``: how
    many texts have a place in such a list.
    """
    rows = np.array([first, second])
    others = int((vectors.lengths > 0).sum()) - 1
    if (vectors.lengths[rows] == 0).any():
        return {"cosine": None, "of_first": None, "of_second": None, "shared": [], "others": others}
    own = np.asarray(vectors.embeddings[rows], np.float64)
    cosine = float(own[0] @ own[1] / vectors.lengths[rows].prod())
    apart = vectors.distances(vectors.embeddings[rows], distance)  # (2, rows)
    near = [nearest_by(apart[each], NEIGHBORS, without=rows[each]) for each in range(2)]
    return {
        "cosine": min(max(cosine, -1.0), 1.0),
        "of_first": rank(apart[0], second, without=first),
        "of_second": rank(apart[1], first, without=second),
        "shared": np.intersect1d(*near).tolist(),
        "others": others,
    }


def rank(distances: np.ndarray, row: int, *, without: int) -> int:
    """The place of a row by distance, from 1, equal distances in file order.  distances: (rows,)"""
    nearer = distances < distances[row]
    nearer[:row] |= distances[:row] == distances[row]
    nearer[without] = False
    return int(nearer.sum()) + 1


def is_quick(embeddings: np.ndarray) -> bool:
    """Whether a page may pass over them all itself instead of asking the resident process.  (rows, dim)"""
    return embeddings.size <= NUMBERS_AT_ONCE
