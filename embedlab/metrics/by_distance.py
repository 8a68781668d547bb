"""A metric that is measured by both distances: its values and units as they would be had there been only one.

Such a metric says so once, by ``distances``. What it measures keeps Euclidean under the plain names (``value``,
``standard_error``, ``low``, ``high``; units ``correct``) and has the same by cosine beside them (``cosine``,
``cosine_standard_error`` …; units ``correct_cosine``).
"""

from collections.abc import Mapping
from math import isfinite

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.statistics.intervals import LEVEL, Difference, normal

_OF_COSINE = f"_{COSINE}"


def distances_of(metric) -> tuple[Distance, ...]:
    """By which distances it is measured; none, where distances between texts are not what it is about."""
    return getattr(metric, "distances", ())


def value_key(name: str, distance: Distance) -> str:
    """``low`` and ``cosine_low``; the value itself is ``cosine``."""
    if distance == EUCLIDEAN:
        return name
    return COSINE if name == "value" else f"{COSINE}_{name}"


def values_by(metric, values: Mapping, distance: Distance) -> dict:
    """A measurement by this distance alone, under plain names.

    A metric of no distance has its one value, whichever is asked.
    """
    if distance == EUCLIDEAN or distance not in distances_of(metric):
        return dict(values)
    prefix = f"{COSINE}_"
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    euclidean = {"value", "standard_error", "low", "high", "without_near_duplicates", COSINE}
    shared = {name: value for name, value in values.items() if name not in euclidean and not name.startswith(prefix)}
    shared |= {"distance": COSINE} if "distance" in shared else {}
    return {"value": values[COSINE], **shared, **own}


def units_by(metric, units: Mapping[str, np.ndarray], distance: Distance) -> dict[str, np.ndarray]:
    """The units by this distance alone, under plain names."""
    if distance not in distances_of(metric):
        return dict(units)
    own = {name.removesuffix(_OF_COSINE): array for name, array in units.items() if name.endswith(_OF_COSINE)}
    plain = {name: array for name, array in units.items() if not name.endswith(_OF_COSINE)}
    return plain | own if distance == COSINE else plain


def differences_by(metric, *, before: Mapping, after: Mapping, level: float = LEVEL) -> dict[Distance, Difference]:
    """After minus before by each of its distances; of a metric of none under Euclidean, which has the plain names."""
    found = {}
    for distance in distances_of(metric) or (EUCLIDEAN,):
        one, other = (units_by(metric, units, distance) for units in (before, after))
        found[distance] = metric.difference(before=one, after=other, level=level)
    return found


def differences_as_json(found: Mapping[Distance, Difference], name: str = "value") -> dict:
    """``{value, low, high, cosine, cosine_low, cosine_high, n}``; no number where a bound is not finite.

    Of another ``name``, as ``difference``: ``{difference, low, high, cosine_difference, …}``.
    """
    told: dict = {}
    for distance, each in found.items():
        numbers = {name: each.value, "low": each.low, "high": each.high}
        told |= {value_key(key, distance): number if isfinite(number) else None for key, number in numbers.items()}
    return told | {"n": next(iter(found.values())).n}


def with_interval(value: float, standard_error: float, distance: Distance) -> dict:
    """A share between 0 and 1 with its error and its interval at 95 %, value ± 1.96 errors, by this distance."""
    half = normal(LEVEL) * standard_error
    numbers = {"value": value, "standard_error": standard_error, "low": value - half, "high": value + half}
    return {value_key(name, distance): min(max(number, 0.0), 1.0) for name, number in numbers.items()}
