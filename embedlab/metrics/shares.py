"""Some texts of many, each class by its share of them."""

import numpy as np


def by_share(rows: np.ndarray, labels: np.ndarray | None, size: int, rng: np.random.Generator) -> np.ndarray:
    """``size`` of the rows, each class (and the texts without one) by largest remainder, ties to the larger class.

    rows: (rows,), labels: one str or None per corpus row -> (size,), in no order
    """
    size = min(size, len(rows))
    shuffled = rng.permutation(rows)
    if labels is None or not size:
        return shuffled[:size]
    names = ["" if label is None else f"+{label}" for label in labels[shuffled]]
    _, codes, sizes = np.unique(np.array(names), return_inverse=True, return_counts=True)
    wanted = sizes * size / len(rows)
    quota = largest_remainder(wanted, size, first=-sizes)
    place = np.empty(len(rows), int)  # of each text within its class
    order = np.argsort(codes, kind="stable")
    place[order] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return shuffled[place < quota[codes]]


def largest_remainder(wanted: np.ndarray, size: int, *, first: np.ndarray | None = None) -> np.ndarray:
    """Whole numbers near ``wanted`` that add up to ``size``; ties by ``first`` (smallest), then by place.

    wanted: (classes,) -> (classes,)
    """
    quota = np.floor(wanted).astype(int)
    ties = np.zeros(len(wanted)) if first is None else first
    quota[np.lexsort((ties, quota - wanted))[: size - quota.sum()]] += 1
    return quota
