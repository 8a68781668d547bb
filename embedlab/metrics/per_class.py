"""Changes by class, texts gained and lost, and suspicious labels."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from embedlab.measurement import ClassChange, Difference
from embedlab.metrics.ten_fold import FACTOR
from embedlab.statistics.intervals import counted_shares, paired_shares


@dataclass(frozen=True)
class Confusion:
    """Texts of one class predicted as another, counted before and after; the change is a share of the class."""

    label: str
    taken_for: str
    texts: int  # of the class
    before: int
    after: int
    difference: Difference


def per_class(
    *, labels: np.ndarray, before: np.ndarray, after: np.ndarray, widened: float = FACTOR
) -> list[ClassChange]:
    """One entry per class, largest first, then by name. labels, before, after (predictions): (n,) of str

    The interval is Bonett and Price's, widened for ten folds (1 for one split); of twenty unchanged classes it misses
    one.
    """
    right_before, right_after = labels == before, labels == after
    changes = []
    for label, rows in _rows_of(labels).items():
        was, now = right_before[rows], right_after[rows]
        gained, lost = int((~was & now).sum()), int((was & ~now).sum())
        difference = counted_shares(n=len(rows), gained=gained, lost=lost, widened=widened)
        changes.append(ClassChange(label, len(rows), float(was.mean()), float(now.mean()), gained, lost, difference))
    return sorted(changes, key=lambda each: (-each.texts, each.label))


def confusions(
    *, labels: np.ndarray, before: np.ndarray, after: np.ndarray, most: int = 200, widened: float = FACTOR
) -> list[Confusion]:
    """The most frequent mistakes of either encoder, ignoring texts without a prediction. each: (n,) of str"""
    counted = {}
    for name, predictions in (("before", before), ("after", after)):
        wrong = [pair for pair in zip(labels, predictions, strict=True) if pair[1] is not None and pair[0] != pair[1]]
        counted[name] = Counter(wrong)
    pairs = set(counted["before"]) | set(counted["after"])
    largest = sorted(pairs, key=lambda pair: (-max(count[pair] for count in counted.values()), pair))[:most]
    rows_of, confusions_of_pairs = _rows_of(labels), []
    for label, taken_for in largest:
        rows = rows_of[label]
        was, now = before[rows] == taken_for, after[rows] == taken_for
        difference = paired_shares(before=was, after=now, widened=widened)
        counts = {name: count[label, taken_for] for name, count in counted.items()}
        confusions_of_pairs.append(Confusion(label, taken_for, len(rows), **counts, difference=difference))
    return confusions_of_pairs


def gained(*, labels: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Positions of the texts that are wrong before and right after.  each: (n,) of str -> (gained,)"""
    return np.flatnonzero((labels != before) & (labels == after))


def lost(*, labels: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Positions of the texts that are right before and wrong after.  each: (n,) of str -> (lost,)"""
    return np.flatnonzero((labels == before) & (labels != after))


def _rows_of(labels: np.ndarray) -> dict[str, np.ndarray]:
    """The positions of each class's texts."""
    names, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])
    return dict(zip(names, parts, strict=True))


VOTES = 8  # of ten neighbors


@dataclass(frozen=True)
class SuspectedLabels:
    """Positions of suspicious texts, the most agreed upon first, with the evidence for the other label."""

    positions: np.ndarray  # (found,)
    suggested: np.ndarray  # (found,) of str, never the text's own label
    before_votes: np.ndarray  # (found,) neighbors before with the suggested label, 0 where another one won
    after_votes: np.ndarray  # (found,) the same after
    both: np.ndarray  # (found,) bool: each encoder by itself would have named it


def suspicious(
    *,
    labels: np.ndarray,
    before: np.ndarray,
    before_votes: np.ndarray,
    after: np.ndarray,
    after_votes: np.ndarray,
    at_least: int = VOTES,
) -> SuspectedLabels:
    """Texts for which at least this many neighbors, by either encoder, carry one other label. each: (n,)

    ``before`` and ``after`` are predictions by ten folds with their votes. Both encoders' votes are added up for the
    order; where the two suggest different labels, the one with more votes counts, of equal ones that after.
    """
    was = _agreed(labels, before, before_votes, at_least)
    now = _agreed(labels, after, after_votes, at_least)
    takes_before = was & (~now | (before_votes > after_votes))
    suggested = np.where(takes_before, before, after)
    for_before = np.where(before == suggested, before_votes, 0)
    for_after = np.where(after == suggested, after_votes, 0)
    both = was & now & (before == after)
    positions = np.flatnonzero(was | now)
    order = np.lexsort((positions, -for_after[positions], -(for_before + for_after)[positions]))
    positions = positions[order]
    return SuspectedLabels(
        positions, suggested[positions], for_before[positions], for_after[positions], both[positions]
    )


def _agreed(labels: np.ndarray, predictions: np.ndarray, votes: np.ndarray, at_least: int) -> np.ndarray:
    """Whether enough neighbors name a label that is not the text's own.  each: (n,) -> (n,) bool"""
    named = np.array([prediction is not None for prediction in predictions], bool)
    return named & (predictions != labels) & (votes >= at_least)
