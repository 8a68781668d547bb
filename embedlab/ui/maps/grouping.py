"""Values of a column as groups to colour by: categories by size, or numbers in readable ranges."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

OWN_GROUPS = 50  # categories with a colour of their own; the rest is one group
OWN_NUMBERS = 12  # up to so many different numbers each is its own group, as years are
RANGES = 7
CROWDED = 0.6  # ranges of equal width are kept unless one of them holds more than this share
DATE = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")  # ISO 8601, with or without a time after it
NOWHERE = -1  # the group of an empty cell
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # times a power of ten: the widths people read easily


@dataclass(frozen=True)
class Groups:
    """Which group each value is in, and the groups' names in order."""

    members: np.ndarray  # (values,) int, NOWHERE for an empty cell
    names: list[str]
    ordered: bool  # numbers: the order of the names means something
    different: int  # values that differ, before they were grouped


def grouped(values: Sequence) -> Groups:
    """Numbers (and the years of dates) in ranges, everything else by its words."""
    numbers = as_numbers(values)
    return _by_words(values) if numbers is None else grouped_numbers(numbers)


def grouped_numbers(numbers: np.ndarray) -> Groups:
    """Each number its own group where few differ, else readable ranges; not a number is in none.  (values,)"""
    known = numbers[np.isfinite(numbers)]
    different = np.unique(known)
    if len(different) <= OWN_NUMBERS:
        members = np.where(np.isfinite(numbers), np.searchsorted(different, numbers), NOWHERE)
        return Groups(members, [written(number) for number in different], True, len(different))
    edges = range_edges(known)
    members = np.where(np.isfinite(numbers), np.digitize(numbers, edges), NOWHERE)
    return Groups(members, range_names(edges), True, len(different))


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


def range_edges(numbers: np.ndarray) -> np.ndarray:
    """Edges between ranges: equally wide where that separates the numbers, else such that each holds about as many."""
    low, high = numbers.min(), numbers.max()
    step = _readable_step((high - low) / RANGES)
    edges = np.arange(math.floor(low / step) + 1, math.ceil(high / step)) * step
    if len(edges) and np.bincount(np.digitize(numbers, edges)).max() <= CROWDED * len(numbers):
        return np.round(edges, 12)
    shares = np.quantile(numbers, np.arange(1, RANGES) / RANGES)
    edges = np.unique([_two_digits(edge) for edge in shares])
    return edges[(edges > low) & (edges <= high)]


def range_names(edges: np.ndarray) -> list[str]:
    """``under 200``, ``200 to 400``, ``400 and more``"""
    if not len(edges):
        return ["all"]
    between = [f"{written(low)} to {written(high)}" for low, high in zip(edges, edges[1:], strict=False)]
    return [f"under {written(edges[0])}", *between, f"{written(edges[-1])} and more"]


def written(number: float) -> str:
    """``2021``, ``12,000``, ``0.25``"""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
    return f"{number:.6g}"


def _by_words(values: Sequence) -> Groups:
    words = [None if value is None or value == "" else str(value) for value in values]
    sizes = Counter(word for word in words if word is not None)
    ranked = sorted(sizes, key=lambda word: (-sizes[word], word))
    own = ranked if len(ranked) <= OWN_GROUPS else ranked[: OWN_GROUPS - 1]
    names = own if len(own) == len(ranked) else [*own, f"{len(ranked) - len(own):,} other values"]
    places = {word: min(position, len(names) - 1) for position, word in enumerate(ranked)}
    places[None] = NOWHERE
    return Groups(np.array([places[word] for word in words], dtype=np.int64), names, False, len(ranked))


def _readable_step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in STEPS if step * power >= width * (1 - 1e-9))


def _two_digits(number: float) -> float:
    return float(f"{number:.2g}")
