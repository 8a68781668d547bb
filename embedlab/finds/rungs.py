"""Successive halving, rung by rung: who goes on, who may still enter, who is chosen (Jamieson and Talwalkar 2016)."""

from collections.abc import Mapping

SHARES = (1 / 9, 1 / 3, 1.0)  # of the length that fits the texts, at which each rung ends; the rate falls in the last
KEPT = 3  # one of so many goes on
SEARCHED = 0.75  # of the budget; the rest is for the winner's training in full
FIRST = 0.45  # of the search is the first rung's; the two further ones take two thirds of that each
BLOCK = 6  # settings are drawn at once, by what those before them gave: the same however many are worked on at a time
MOST = 81
LENGTHS = (2.0, 0.5, 4.0)  # times the length that fits, tried with the best settings where the budget allows


def promoted(values: Mapping[str, float]) -> list[str]:
    """The better third, one at least, best first; of equal values the earlier one.  values: of a rung, in its order"""
    ranked = sorted(values, key=lambda key: -values[key])
    return ranked[: max(1, len(ranked) // KEPT)] if ranked else []


def more_entrants(seconds_each: float, left: float) -> int:
    """How many more fit into what is left of the first rung, to the nearest one.

    seconds_each: of one candidate in the first rung
    """
    return min(MOST, max(0, round(left / max(seconds_each, 1e-9))))


def end_of(rung: int, fitting: int, planned: int) -> int:
    """Steps behind a candidate when its rung ends.  fitting: the steps that fit the texts, planned: its own"""
    return planned if rung == len(SHARES) - 1 else min(planned, max(1, round(fitting * SHARES[rung])))
