"""Values of a column as groups to colour by: categories by size, or few numbers each by itself."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

OWN_GROUPS = 50  # categories with a colour of their own; the rest is one group
OWN_NUMBERS = 12  # up to so many different numbers each is its own group, as years are
DATE = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")  # ISO 8601, with or without a time after it
NOWHERE = -1  # the group of an empty cell


@dataclass(frozen=True)
class Groups:
    """Which group each value is in, and the groups' names in order."""

    members: np.ndarray  # (values,) int, NOWHERE for an empty cell
    names: list[str]
    different: int  # values that differ, before they were grouped


def grouped_numbers(numbers: np.ndarray) -> Groups:
    """Each number its own group, for numbers few of which differ; not a number is in none.  (values,)"""
    different = np.unique(numbers[np.isfinite(numbers)])
    members = np.where(np.isfinite(numbers), np.searchsorted(different, numbers), NOWHERE)
    return Groups(members, [written(number) for number in different], len(different))


def grouped(values: Sequence) -> Groups:
    """By their words, the most frequent first; of many the rare ones are one group."""
    words = [None if value is None or value == "" else str(value) for value in values]
    sizes = Counter(word for word in words if word is not None)
    ranked = sorted(sizes, key=lambda word: (-sizes[word], word))
    own = ranked if len(ranked) <= OWN_GROUPS else ranked[: OWN_GROUPS - 1]
    names = own if len(own) == len(ranked) else [*own, f"{len(ranked) - len(own):,} other values"]
    places = {word: min(position, len(names) - 1) for position, word in enumerate(ranked)}
    places[None] = NOWHERE
    return Groups(np.array([places[word] for word in words], dtype=np.int64), names, len(ranked))


def as_numbers(values: Sequence) -> np.ndarray | None:
    """(values,) floats, of dates their years, nan for an empty cell; None when any cell holds something else or all are
    empty.
    """
    numbers = np.full(len(values), np.nan)
    for position, value in enumerate(values):
        if value is None or value == "":
            continue
        if isinstance(value, bool):
            return None
        try:
            numbers[position] = float(getattr(value, "year", value))
        except (TypeError, ValueError):
            if not (isinstance(value, str) and DATE.match(value)):
                return None
            numbers[position] = float(value[:4])
    return numbers if np.isfinite(numbers).any() else None


def written(number: float) -> str:
    """``2021``, ``12,000``, ``0.25``"""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
    return f"{number:.6g}"
