"""Where the browser draws each point: places rounded to sixteen bits, between two frames while a slider moves them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from embedlab.plane import from_sixteen_bits, sixteen_bits


@dataclass(frozen=True)
class Plane:
    """One frame as it is sent: whole numbers and the corners they span."""

    whole: np.ndarray  # (texts, 2) uint16
    low: np.ndarray  # (2,)
    high: np.ndarray

    @classmethod
    def of(cls, coordinates: np.ndarray) -> Self:
        """Rounded.  coordinates: (texts, 2)"""
        if not len(coordinates):
            return cls(np.zeros((0, 2), np.uint16), np.zeros(2), np.ones(2))
        return cls(*sixteen_bits(coordinates))

    def places(self) -> np.ndarray:
        """What is drawn.  -> (texts, 2)"""
        return from_sixteen_bits(self.whole, self.low, self.high)


def drawn_places(frames: Sequence[np.ndarray], at: float | None = None) -> np.ndarray:
    """Where the points are drawn with the slider at this place, bit for bit as in the browser.

    frames: each (texts, 2); at: 0 the first … frames−1 the last (the default) -> (texts, 2)
    """
    last = len(frames) - 1
    at = float(last) if at is None else min(max(float(at), 0.0), float(last))
    before = int(at)
    start = Plane.of(frames[before]).places()
    if at == before:
        return start
    return start + (Plane.of(frames[before + 1]).places() - start) * (at - before)
