"""Successive halving, rung by rung: who goes on, how many may enter, who is chosen (Jamieson and Talwalkar 2016)."""

from collections.abc import Mapping

SHARES = (1 / 9, 1 / 3, 1.0)  # of a candidate's planned steps, at which each rung ends
KEPT = 3  # one of so many goes on
SEARCHED = 0.75  # of the budget; the rest is for the winner's training in full
FIRST = 0.5  # of the search is the first rung's; each further one costs less, because what is prepared is there
TIMED = 6  # candidates of the first rung before it is known how many may enter
MOST = 81


def promoted(values: Mapping[str, float]) -> list[str]:
    """The better third, one at least, best first; of equal values the earlier one.  values: of a rung, in its order"""
    ranked = sorted(values, key=lambda key: -values[key])
    return ranked[: max(1, len(ranked) // KEPT)] if ranked else []


def entrants(seconds_each: float, left: float) -> int:
    """How many may enter: the first rung takes its part of what is left, and no more than so many are ever tried.

    seconds_each: of one candidate in the first rung
    """
    return max(1, min(MOST, int(FIRST * left / max(seconds_each, 1e-9))))
