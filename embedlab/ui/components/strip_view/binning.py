"""Numbers put into equal steps for a strip: edges a reader would choose, rare large values in the last step."""

from dataclasses import dataclass

import numpy as np

STEPS_AT_MOST = 48
NOWHERE = 255  # a row without a value


@dataclass(frozen=True)
class Steps:
    """Which step each row is in, and the steps' edges."""

    of: np.ndarray  # (rows,) uint8, NOWHERE without a value
    edges: np.ndarray  # (steps + 1,)
    is_open: bool  # the last step also holds what is larger than its edge

    @property
    def counts(self) -> np.ndarray:
        """(steps,) how many rows are in each"""
        return np.bincount(self.of[self.of != NOWHERE], minlength=len(self.edges) - 1)


def steps_of(values: np.ndarray) -> Steps:
    """Equal steps of 1, 2 or 5 times a power of ten.  values: (rows,), NaN where there is none"""
    values = np.asarray(values, dtype=np.float64)
    there = np.isfinite(values)
    if not there.any():
        return Steps(np.full(len(values), NOWHERE, np.uint8), np.array([0.0, 1.0]), False)
    low, high = values[there].min(), values[there].max()
    most = np.quantile(values[there], 0.995)
    is_open = bool(high - low > 2 * (most - low) > 0)  # a long tail would squeeze all others into a few steps
    width = _nice((most if is_open else high) - low, whole=bool((values[there] == np.rint(values[there])).all()))
    first = np.floor(low / width)
    steps = int(np.floor((most if is_open else high) / width) - first) + 1
    of = np.full(len(values), NOWHERE, np.uint8)
    of[there] = np.clip(np.floor(values[there] / width) - first, 0, steps - 1)
    return Steps(of, (first + np.arange(steps + 1)) * width, is_open)


def _nice(span: float, *, whole: bool) -> float:
    """The smallest of 1, 2, 5 times a power of ten with which the span needs at most so many steps."""
    least = span / (STEPS_AT_MOST - 1) or 1.0
    power = 10.0 ** np.floor(np.log10(least))
    width = next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= least)
    return max(width, 1.0) if whole else width
