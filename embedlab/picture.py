"""A picture of a diagnostic as plain values; a page draws it and merges those of several encoders."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["lines", "bars", "points", "words", "heat"]


@dataclass(frozen=True)
class Series:
    """One line, group of bars, scatter or row of words; unknown values are None."""

    name: str  # empty where a picture has only one
    x: Sequence[Any]
    y: Sequence[Any]


@dataclass(frozen=True)
class Picture:
    """Axes with their units and the data; ``marks`` are named points, such as where a text is truncated."""

    kind: Kind
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    marks: tuple[tuple[str, float], ...] = ()  # name, x


def density(name: str, values: np.ndarray) -> Series:
    """A histogram density of ``values`` between their smallest and largest, at bin centres."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return Series(name, [], [])
    low, high = float(finite.min()), float(finite.max())
    low, high = (low, high) if high - low > 1e-6 else (low - 0.01, high + 0.01)
    heights, edges = np.histogram(finite, bins=min(50, max(5, len(finite) // 10)), range=(low, high))
    share = heights / heights.sum() * len(heights) / (high - low)
    return Series(name, rounded((edges[1:] + edges[:-1]) / 2), rounded(share))


def rounded(values: Iterable[float], digits: int = 5) -> list[float | None]:
    """Rounded for a file; non-finite values become None."""
    return [None if not np.isfinite(value) else round(float(value), digits) for value in values]
