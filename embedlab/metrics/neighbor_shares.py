"""Who neighbors whom: how often the nearest texts of one class are of another, and classes ordered by that."""

import numpy as np

_CHUNK_ROWS = 100_000


def class_links(nearest: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Neighbor pairs: entry (a, b) counts neighbors of class b around texts of class a.

    nearest: (texts, k), -1 where there is none; classes: (texts,) 0 … count−1 -> (count, count) int64
    """
    links = np.zeros(count * count, np.int64)
    for start in range(0, len(nearest), _CHUNK_ROWS):
        near = nearest[start : start + _CHUNK_ROWS]
        pairs = classes[start : start + _CHUNK_ROWS, None].astype(np.int64) * count + classes[near]
        links += np.bincount(pairs[near >= 0], minlength=count * count)
    return links.reshape(count, count)


def shares(links: np.ndarray) -> np.ndarray:
    """Each row as shares of its sum: 1 on the diagonal where all neighbors are of the own class.  (a, b) -> (a, b)"""
    total = links.sum(axis=1, keepdims=True)
    return np.divide(links, total, out=np.zeros(links.shape), where=total > 0)


def related_order(links: np.ndarray) -> np.ndarray:
    """An order of the classes in which those that neighbor each other are adjacent: average linkage, leaves turned so
    that nearness falls away from the diagonal.  (classes, classes) -> (classes,)
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(links) < 3:
        return np.arange(len(links))
    near = shares(links)
    near = (near + near.T) / 2
    apart = near.max() - near
    np.fill_diagonal(apart, 0)
    flat = squareform(apart, checks=False)
    return leaves_list(optimal_leaf_ordering(linkage(flat, "average"), flat))


def classes_that_matter(before: np.ndarray, after: np.ndarray, most: int, always: tuple[int, ...] = ()) -> np.ndarray:
    """The classes whose texts got, or became, most neighbors of other classes, in the order that they have.

    before, after: links (classes, classes); ``always``: these are among them.  -> (at most ``most``,)
    """
    change = np.abs(after - before)
    np.fill_diagonal(change, 0)
    moved = (change.sum(axis=0) + change.sum(axis=1)).astype(float)
    moved[list(always)] = np.inf
    return np.sort(np.argsort(-moved, kind="stable")[:most])


def largest_changes(before: np.ndarray, after: np.ndarray, most: int = 100) -> list[tuple[int, int]]:
    """The pairs of different classes whose share changed most, the largest first.  before, after: (classes, classes)"""
    change = np.abs(after - before)
    np.fill_diagonal(change, 0)
    order = np.argsort(-change.ravel(), kind="stable")[:most]
    return [divmod(int(position), len(change)) for position in order if change.flat[position] > 0]
