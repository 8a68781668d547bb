"""Which rows of a table are best: the best one, and all that cannot be told apart from it on the same units."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from embedlab.measurement import Difference
from embedlab.statistics.intervals import LEVEL

BEST, INSEPARABLE, WORSE, NOT_COMPARED = "best", "not separable", "worse", "not compared"
REFERENCE, ABOVE = "reference", "above the best"  # a row that is not in the contest; one that is clearly better
ERROR = 1 - LEVEL  # of all differences of one table together
UNITS = ("rows", "queries", "pairs", "texts")  # what names the units of a measurement, whichever it has
NO_UNITS = "its predictions were not stored"
OTHER_UNITS = "measured on other texts"
ALONE = "there is nothing to compare it with"

Units = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Standing:
    """``mark`` is one of six words; ``to_best`` is this row minus the best, ``why`` says why it is not compared."""

    mark: str
    to_best: Difference | None = None
    why: str = ""

    @property
    def is_marked(self) -> bool:
        """Whether it is the best or cannot be told apart from it."""
        return self.mark in (BEST, INSEPARABLE)


@dataclass(frozen=True)
class Comparison:
    """The standing of every row with a value; ``level`` of each of the ``compared`` − 1 intervals."""

    standings: dict[str, Standing]
    compared: int
    level: float | None

    @property
    def best(self) -> str | None:
        """The key of the best row, or None if fewer than two could be compared."""
        return next((key for key, standing in self.standings.items() if standing.mark == BEST), None)


def compared(
    *,
    values: Mapping[str, float],
    units: Mapping[str, Units | None],
    difference: Callable[..., Difference],
    higher_is_better: bool = True,
    fewest: int = 0,
    references: Collection[str] = (),
    left_out: Mapping[str, str] | None = None,
) -> Comparison:
    """Each row against the best one, paired, at level 1 − 5 %/(m − 1) for m rows (Bonferroni).

    ``difference(before=units, after=units, level=)`` is the metric's own. Compared is the largest group of rows that
    were measured on the very same units; the others are said not to be, as are those ``left_out`` with a reason. Over
    fewer than ``fewest`` units nothing is told apart. Of equal values the first row is the best. ``references`` are
    no candidates and not counted in m: each is set against the best row alone, at 95 %.
    """
    given = {**dict.fromkeys(references, ""), **(left_out or {})}
    groups: dict[str, list[str]] = {}
    for key in values:
        if key not in given and (of_row := units.get(key)):
            groups.setdefault(measured_on(of_row), []).append(key)
    contestants = max(groups.values(), key=len, default=[])  # of groups of equal size the first
    reasons = {key: given.get(key) or (OTHER_UNITS if units.get(key) else NO_UNITS) for key in values}
    standings = {key: Standing(NOT_COMPARED, why=reason) for key, reason in reasons.items()}
    level = 1 - ERROR / max(len(contestants) - 1, 1)
    if not contestants:
        return Comparison(standings | {k: Standing(REFERENCE) for k in references if k in values}, 0, None)
    best = max(contestants, key=lambda key: values[key] if higher_is_better else -values[key])
    units_of_best = units[best] or {}

    def against_best(key: str, at: float) -> tuple[Difference, bool, bool]:
        change = difference(before=units_of_best, after=units[key], level=at)
        low, high = (change.low, change.high) if higher_is_better else (-change.high, -change.low)
        return change, high < 0 and change.n >= fewest, low > 0 and change.n >= fewest

    for key in contestants:
        if key != best:
            change, is_worse, _ = against_best(key, level)
            standings[key] = Standing(WORSE if is_worse else INSEPARABLE, change)
    standings[best] = Standing(BEST) if len(contestants) > 1 else Standing(NOT_COMPARED, why=ALONE)
    for key in references:
        if key in values:
            standings[key] = Standing(REFERENCE)
            if (of_row := units.get(key)) and measured_on(of_row) == measured_on(units_of_best):
                change, _, is_better = against_best(key, LEVEL)
                standings[key] = Standing(ABOVE if is_better else REFERENCE, change)
    return Comparison(standings, len(contestants), level if len(contestants) > 1 else None)


def measured_on(units: Units) -> str:
    """A key shared by measurements on the same units, in any order; without names, their number."""
    named = next((np.sort(units[name]) for name in UNITS if name in units), None)
    if named is None:
        named = np.array([len(array) for array in units.values()][:1])
    return hashlib.blake2b(np.ascontiguousarray(named).tobytes(), digest_size=8).hexdigest()
