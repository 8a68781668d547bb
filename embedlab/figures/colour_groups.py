"""Values of a column as groups, as a continuous scale to colour by, or as the bins of a histogram."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedlab.palette import Shades

OWN_GROUPS = 50  # categories with a colour of their own; the rest is one group
OWN_NUMBERS = 12  # up to so many different numbers each is its own group, as years are
DATE = re.compile(r"\d{4}-\d{2}(-\d{2}|$)")  # ISO 8601, with or without a time after it
NOWHERE = -1  # the group of an empty cell


@dataclass(frozen=True)
class Groups:
    """The group of each value, and the groups' names in order."""

    members: np.ndarray  # (values,) int, NOWHERE for an empty cell
    names: list[str]
    different: int  # values that differ, before they were grouped


def grouped_numbers(numbers: np.ndarray) -> Groups:
    """Each distinct number a group, if there are few; NaN belongs to none. (values,)"""
    different = np.unique(numbers[np.isfinite(numbers)])
    members = np.where(np.isfinite(numbers), np.searchsorted(different, numbers), NOWHERE)
    return Groups(members, [written(number) for number in different], len(different))


def grouped(values: Sequence) -> Groups:
    """By text, the most frequent first; if there are many, rare ones form one group."""
    words = [None if value is None or value == "" else str(value) for value in values]
    sizes = Counter(word for word in words if word is not None)
    ranked = sorted(sizes, key=lambda word: (-sizes[word], word))
    frequent = ranked if len(ranked) <= OWN_GROUPS else ranked[: OWN_GROUPS - 1]
    names = frequent if len(frequent) == len(ranked) else [*frequent, f"{len(ranked) - len(frequent):,} other values"]
    places: dict[str | None, int] = {word: min(position, len(names) - 1) for position, word in enumerate(ranked)}
    places[None] = NOWHERE
    return Groups(np.array([places[word] for word in words], dtype=np.int64), names, len(ranked))


def as_numbers(values: Sequence) -> np.ndarray | None:
    """(values,) floats, years for dates, NaN for an empty cell; None if any cell is something else or all are empty."""
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


STEPS = 64
TAILS = (0.005, 0.995)  # beyond these quantiles all numbers have the last colour, where they lie far out
SKEWED = 0.15  # a median below this share of the bar, and the bar is logarithmic
TICKS_APART = 0.22  # of the bar
Tick = tuple[float, str]


class ColourBar(NamedTuple):
    """Its title, and its ticks: each with its place on the bar, 0 … 1, and its number."""

    title: str
    ticks: list[Tick]


def scaled(numbers: np.ndarray, title: str) -> tuple[np.ndarray, list[str], ColourBar]:
    """The step of each number, the contents of each step in words, and the colour bar; NaN is NOWHERE.

    numbers: (values,), two or more of them different -> (values,), (STEPS,)
    """
    finite = numbers[np.isfinite(numbers)].astype(np.float64)
    low, high = _ends(finite)
    unit = max(float(np.median(finite)), (high - low) / 1000) / 4
    is_log = bool(finite.min() >= 0 and np.median(finite) - low < SKEWED * (high - low))

    def bent(values: float | np.ndarray) -> np.ndarray:
        return np.log1p(np.asarray(values, float) / unit) if is_log else np.asarray(values, float)

    start, end = float(bent(low)), float(bent(high))
    edges = np.linspace(start, end, STEPS + 1)
    if is_log:
        edges = unit * np.expm1(edges)
    positions = np.clip((bent(np.where(np.isfinite(numbers), numbers, low)) - start) / (end - start), 0, 1)
    members = np.where(np.isfinite(numbers), np.minimum((positions * STEPS).astype(int), STEPS - 1), NOWHERE)
    names = [
        f"{written(_short(one))} to {written(_short(other))}" for one, other in zip(edges, edges[1:], strict=False)
    ]
    below, above = "≤ " if finite.min() < low else "", "≥ " if finite.max() > high else ""
    ticks = [(0.0, f"{below}{written(_short(low))}")]
    for tick in _ticks(low, high, is_log):
        position = float((bent(tick) - start) / (end - start))
        if position - ticks[-1][0] >= TICKS_APART and 1 - position >= TICKS_APART:
            ticks.append((position, written(tick)))
    ticks.append((1.0, f"{above}{written(_short(high))}"))
    return members, names, ColourBar(f"{title} (log scale)" if is_log else title, ticks)


def _ends(finite: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest number, or quantiles if a few lie far out."""
    least, most = float(finite.min()), float(finite.max())
    low, high = np.quantile(finite, TAILS)
    if not high > low:
        return least, most
    low = least if low - least <= high - low else float(low)
    high = most if most - high <= high - low else float(high)
    return low, high


def _ticks(low: float, high: float, is_log: bool) -> list[float]:
    """Round numbers between the ends."""
    if is_log:
        first, last = math.floor(math.log10(max(low, high / 1e6))), math.ceil(math.log10(high))
        return [10.0**power for power in range(first, last + 1) if low < 10.0**power < high]
    step = _round_step((high - low) / 4)
    return [round(number * step, 12) for number in range(math.floor(low / step) + 1, math.ceil(high / step))]


def _short(number: float) -> float:
    """Three digits."""
    return float(f"{number:.3g}")


STEPS_AT_MOST = 48
NO_BIN = 255  # a row without a value


@dataclass(frozen=True)
class Steps:
    """The bin of each row, and the bins' edges."""

    of: np.ndarray  # (rows,) uint8, NO_BIN without a value
    edges: np.ndarray  # (steps + 1,)
    is_open: bool  # the last step also holds what is larger than its edge

    @property
    def counts(self) -> np.ndarray:
        """(bins,) the number of rows in each"""
        return np.bincount(self.of[self.of != NO_BIN], minlength=len(self.edges) - 1)


def steps_of(values: np.ndarray) -> Steps:
    """Equal bins of 1, 2 or 5 times a power of ten. values: (rows,), NaN for none"""
    values = np.asarray(values, dtype=np.float64)
    there = np.isfinite(values)
    if not there.any():
        return Steps(np.full(len(values), NO_BIN, np.uint8), np.array([0.0, 1.0]), False)
    low, high = values[there].min(), values[there].max()
    most = np.quantile(values[there], 0.995)
    is_open = bool(high - low > 2 * (most - low) > 0)  # a long tail would squeeze all others into a few steps
    last = most if is_open else high
    width = _round_step((last - low) / (STEPS_AT_MOST - 1) or 1.0)
    if (values[there] == np.rint(values[there])).all():
        width = max(width, 1.0)
    first = np.floor(low / width)
    steps = int(np.floor(last / width) - first) + 1
    of = np.full(len(values), NO_BIN, np.uint8)
    of[there] = np.clip(np.floor(values[there] / width) - first, 0, steps - 1)
    return Steps(of, (first + np.arange(steps + 1)) * width, is_open)


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is no smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= least)


@dataclass(frozen=True)
class Colouring:
    """The group of every corpus row, and the groups' names and colours."""

    categories: np.ndarray  # (rows,) uint16, NO_CLASS where there is none
    names: list[str]
    colours: list[Shades]
    names_on_map: bool
    without: str  # what the legend calls the rest
    note: str = ""
    bar: ColourBar | None = None  # of numbers
    left: np.ndarray | None = None  # (rows,) the groups on the map before, where they are not those on the map after

    def on(self, side: str) -> np.ndarray:
        """The group of every corpus row on the map ``before`` or ``after``.  -> (rows,) uint16"""
        return self.left if side == "before" and self.left is not None else self.categories
