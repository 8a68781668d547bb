"""Stratified subsets: some of many texts, each class in proportion."""

import numpy as np


def by_share(rows: np.ndarray, labels: np.ndarray | None, size: int, rng: np.random.Generator) -> np.ndarray:
    """``size`` of the rows, stratified by class (and texts without one), largest remainders, ties to the larger class.

    rows: (rows,), labels: one str or None per corpus row -> (size,), in no order
    """
    size = min(size, len(rows))
    shuffled = rng.permutation(rows)
    if labels is None or not size:
        return shuffled[:size]
    names = ["" if label is None else f"+{label}" for label in labels[shuffled]]
    _, codes, sizes = np.unique(np.array(names), return_inverse=True, return_counts=True)
    quota = largest_remainder(sizes * size / len(rows), size, first=-sizes)
    within = np.empty(len(rows), int)  # of each text within its class
    order = np.argsort(codes, kind="stable")
    within[order] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return shuffled[within < quota[codes]]


def largest_remainder(exact: np.ndarray, size: int, *, first: np.ndarray | None = None) -> np.ndarray:
    """Whole numbers close to ``exact`` that sum to ``size``; ties by ``first`` (smallest), then by position.

    exact: (classes,) -> (classes,)
    """
    quota = np.floor(exact).astype(int)
    ties = np.zeros(len(exact)) if first is None else first
    quota[np.lexsort((ties, quota - exact))[: size - quota.sum()]] += 1
    return quota


def shown_first(classes: np.ndarray | None, *, texts: int, most: int, seed: int = 0) -> np.ndarray:
    """The texts that a map shows if it cannot show all: ``most`` of them, stratified by class, in order.

    Each class has one text at least, the rest are in proportion by largest remainders.

    classes: (texts,) numbers, equal for texts of one class, or None -> (at most max(most, classes),), increasing
    """
    if texts <= most:
        return np.arange(texts)
    rng = np.random.default_rng(seed)
    if classes is None:
        return np.sort(rng.choice(texts, most, replace=False))
    _, class_of, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    spare = max(most - len(sizes), 0)
    share = spare * (sizes - 1) / max((sizes - 1).sum(), 1)
    quota = np.minimum(1 + largest_remainder(share, spare), sizes)
    order = np.lexsort((rng.random(texts), class_of))  # each class shuffled, one class after the other
    within = np.arange(texts) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[within < np.repeat(quota, sizes)])
