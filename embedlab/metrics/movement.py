"""What moved: how many of a text's nearest texts changed, and how many of each class are near before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

NO_CLASS = -1
LEAST_TEXTS = 10  # of a group that is ranked
FLOOR_QUANTILE = 0.95
_CHUNK_ROWS = 50_000


def movement(*, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """1 − |A∩B| / |A∪B| of the nearest texts before (A) and after (B): 0 if none changed, 1 if all did.

    before, after: (texts, 10), -1 where there is none -> (texts,) float32, not a number where both lists are empty
    """
    shared = np.empty(len(before), np.int64)
    for start in range(0, len(before), _CHUNK_ROWS):
        chunk = slice(start, start + _CHUNK_ROWS)
        same = before[chunk, :, None] == after[chunk, None, :]
        shared[chunk] = (same & (before[chunk] >= 0)[:, :, None]).sum(axis=(1, 2))
    union = (before >= 0).sum(axis=1) + (after >= 0).sum(axis=1) - shared
    share = np.full(len(before), np.nan, np.float32)
    return np.divide(union - shared, union, out=share, where=union > 0, casting="unsafe")


def same_class(nearest: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """How many of a text's nearest texts share its class. (texts, 10), (texts,) -> (texts,) int8

    0 … 10; -1 for a text without a class.
    """
    near = np.where(nearest >= 0, classes[nearest], NO_CLASS)
    counts = (near == classes[:, None]).sum(axis=1).astype(np.int8)
    counts[classes == NO_CLASS] = -1
    return counts


def class_effect(*, same_before: np.ndarray, same_after: np.ndarray) -> np.ndarray:
    """(same-class neighbors after − before) / 10: from -1 to 1, above 0 where the move helped.

    same_before, same_after: (texts,) as ``same_class`` counts -> (texts,) float32, not a number without a class
    """
    effect = (same_after.astype(np.float32) - same_before.astype(np.float32)) / NEAREST
    effect[same_before < 0] = np.nan
    return effect


def noise_floor(moved: np.ndarray) -> float:
    """The 95 % quantile of movement caused by noise alone. (texts,) -> ()"""
    finite = moved[np.isfinite(moved)]
    return float(np.quantile(finite, FLOOR_QUANTILE, method="inverted_cdf")) if len(finite) else 0.0


def above(moved: np.ndarray, floor: float | None) -> np.ndarray:
    """Texts that moved by more than the floor, or, without one, at all. (texts,) -> (texts,) bool"""
    with np.errstate(invalid="ignore"):
        return np.asarray(moved, np.float32) > np.float32(0.0 if floor is None else floor)


class Interval(NamedTuple):
    """A mean and its 95 % interval by Student's t."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class GroupMoves:
    """One group of texts: mean movement and class effect over its texts."""

    name: str | int  # of a class, or the number of a cluster
    texts: int
    above: int  # texts that moved by more than the floor
    movement: Interval
    effect: Interval | None  # None where fewer than two of its texts have a class


def group_moves(
    *,
    moved: np.ndarray,
    effect: np.ndarray,
    is_above: np.ndarray,
    groups: np.ndarray,
    names: Sequence[str] | None = None,
    least: int = LEAST_TEXTS,
) -> list[GroupMoves]:
    """Groups of at least ten texts, sorted by movement; called by their ``names``, where these are given.

    moved, effect: (texts,), not a number where unknown; groups: (texts,) int, below 0 for none
    """
    used = (groups >= 0) & np.isfinite(moved)
    count = int(groups.max(initial=-1)) + 1
    sizes, means, halves = _by_group(moved[used], groups[used], count)
    effective = used & np.isfinite(effect)
    effect_sizes, effect_means, effect_halves = _by_group(effect[effective], groups[effective], count)
    raised = np.bincount(groups[used], is_above[used], minlength=count).astype(int)
    moves = [
        GroupMoves(
            int(group) if names is None else names[int(group)],
            int(sizes[group]),
            int(raised[group]),
            _interval(means[group], halves[group], lowest=0.0),
            _interval(effect_means[group], effect_halves[group]) if effect_sizes[group] > 1 else None,
        )
        for group in np.flatnonzero(sizes >= least)
    ]
    return sorted(moves, key=lambda each: (-each.movement.mean, -each.texts))


def _by_group(values: np.ndarray, groups: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Size, mean and half-width of the 95 % interval of each group. -> 3 x (count,)"""
    from scipy.stats import t

    sizes = np.bincount(groups, minlength=count)
    some, several = np.maximum(sizes, 1), np.maximum(sizes - 1, 1)
    means = np.bincount(groups, values.astype(float), minlength=count) / some
    squares = np.bincount(groups, (values - means[groups]) ** 2, minlength=count)
    halves = t.ppf(0.975, several) * np.sqrt(squares / several / some)
    return sizes, means, halves


def _interval(mean: float, half: float, lowest: float = -1.0) -> Interval:
    return Interval(float(mean), float(max(mean - half, lowest)), float(min(mean + half, 1.0)))


NEAREST = 10
_COPIED_ROWS = 20_000


def nearest_others(
    indices: np.ndarray, copies: np.ndarray, *, text_of_list: np.ndarray | None = None, k: int = NEAREST
) -> np.ndarray:
    """The first ``k`` entries of each list that are not copies of its text.

    indices: (lists, neighbors) of texts, -1 where there is none; copies: (texts,); own: (lists,), the text of each
    list, by default 0 … lists−1 -> (lists, k) int32, -1 where the list has no more
    """
    text_of_list = np.arange(len(indices)) if text_of_list is None else text_of_list
    others = np.full((len(indices), k), -1, np.int32)
    for start in range(0, len(indices), _COPIED_ROWS):
        chunk = slice(start, start + _COPIED_ROWS)
        near = np.asarray(indices[chunk])
        good = (near >= 0) & (copies[near] != copies[text_of_list[chunk]][:, None])  # a text is its own copy
        rank = good.cumsum(axis=1) - 1
        good &= rank < k
        at, _ = np.nonzero(good)
        others[start + at, rank[good]] = near[good]
    return others


_LINK_ROWS = 100_000


def class_links(nearest: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Neighbor pairs: entry (a, b) counts neighbors of class b around texts of class a.

    nearest: (texts, k), -1 where there is none; classes: (texts,) 0 … count−1 -> (count, count) int64
    """
    links = np.zeros(count * count, np.int64)
    for start in range(0, len(nearest), _LINK_ROWS):
        near = nearest[start : start + _LINK_ROWS]
        pairs = classes[start : start + _LINK_ROWS, None].astype(np.int64) * count + classes[near]
        links += np.bincount(pairs[near >= 0], minlength=count * count)
    return links.reshape(count, count)


def shares(links: np.ndarray) -> np.ndarray:
    """Each row normalised to sum 1: 1 on the diagonal if all neighbors share the class. (a, b) -> (a, b)"""
    total = links.sum(axis=1, keepdims=True)
    return np.divide(links, total, out=np.zeros(links.shape), where=total > 0)


def related_order(links: np.ndarray) -> np.ndarray:
    """An order of the classes that puts those that neighbor each other side by side: average linkage, leaves turned so
    that similarity falls away from the diagonal. (classes, classes) -> (classes,)
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
    """The classes whose texts have, or are, the most neighbors across classes, in their original order.

    before, after: links (classes, classes); ``always``: these are among them.  -> (at most ``most``,)
    """
    change = np.abs(after - before)
    np.fill_diagonal(change, 0)
    moved = (change.sum(axis=0) + change.sum(axis=1)).astype(float)
    moved[list(always)] = np.inf
    return np.sort(np.argsort(-moved, kind="stable")[:most])


def largest_changes(before: np.ndarray, after: np.ndarray, most: int = 100) -> list[tuple[int, int]]:
    """The pairs of different classes whose share changed most, largest first. before, after: (classes, classes)"""
    change = np.abs(after - before)
    np.fill_diagonal(change, 0)
    order = np.argsort(-change.ravel(), kind="stable")[:most]
    return [divmod(int(position), len(change)) for position in order if change.flat[position] > 0]
