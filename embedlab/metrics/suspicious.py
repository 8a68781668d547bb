"""Labels to look at again: texts whose nearest labelled texts agree on another label."""

from dataclasses import dataclass

import numpy as np

VOTES = 8  # of ten neighbors


@dataclass(frozen=True)
class Suspicions:
    """Positions of the texts, the most agreed upon first, and what speaks for the other label."""

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
) -> Suspicions:
    """Texts for which at least so many neighbors, by either encoder, carry one other label.  each: (n,)

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
    found = np.flatnonzero(was | now)
    order = np.lexsort((found, -for_after[found], -(for_before + for_after)[found]))
    found = found[order]
    return Suspicions(found, suggested[found], for_before[found], for_after[found], both[found])


def _agreed(labels: np.ndarray, predictions: np.ndarray, votes: np.ndarray, at_least: int) -> np.ndarray:
    """Whether enough neighbors name a label that is not the text's own.  each: (n,) -> (n,) bool"""
    named = np.array([prediction is not None for prediction in predictions], bool)
    return named & (predictions != labels) & (votes >= at_least)
