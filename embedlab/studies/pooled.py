"""Several seeds as one number: which test texts were right, text by text, and how the seeds differ (DEFINITIONS)."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

NORMAL = 1.96


@dataclass(frozen=True)
class Pooled:
    """A mean over seeds with its standard error and its 95 % interval; ``sd`` of the seeds is None for one seed."""

    value: float
    error: float
    low: float
    high: float
    sd: float | None
    seeds: int
    n: int


def pooled(units: np.ndarray) -> Pooled:
    """The mean of what each text gave in each run: D; V = sdᵢ(meanₛ)²/n + sdₛ(Dₛ)²/S; D ± t(ν)·√V.

    units: (seeds, n), 0 and 1 for an accuracy, −1, 0 and 1 for a difference. ν by Welch–Satterthwaite. One seed has no
    spread of seeds: √(p(1−p)/n) for an accuracy (its binomial standard error) and ±1.96 of it.
    """
    units = np.asarray(units, float)
    seeds, n = units.shape
    value = float(units.mean())
    if seeds == 1:
        error = sqrt(float(((units - value) ** 2).mean()) / n)
        return Pooled(value, error, value - NORMAL * error, value + NORMAL * error, None, 1, n)
    of_texts = float(units.mean(axis=0).var(ddof=1)) / n if n > 1 else 0.0
    sd = float(units.mean(axis=1).std(ddof=1))
    return _with_interval(value, of_texts, n, sd, seeds)


def pooled_shares(shares: list[float], n: int) -> Pooled:
    """The same where only each run's share of right texts is known: the texts' part is the binomial p(1−p)/n."""
    value = float(np.mean(shares))
    of_texts = value * (1 - value) / n if n else 0.0
    if len(shares) == 1:
        error = sqrt(of_texts)
        return Pooled(value, error, value - NORMAL * error, value + NORMAL * error, None, 1, n)
    return _with_interval(value, of_texts, n, float(np.std(shares, ddof=1)), len(shares))


def _with_interval(value: float, of_texts: float, n: int, sd: float, seeds: int) -> Pooled:
    from scipy.stats import t

    of_seeds = sd**2 / seeds
    variance = of_texts + of_seeds
    if variance == 0:
        return Pooled(value, 0.0, value, value, sd, seeds, n)
    freedom = variance**2 / (of_texts**2 / max(n - 1, 1) + of_seeds**2 / (seeds - 1))
    half = float(t.ppf(0.975, freedom)) * sqrt(variance)
    return Pooled(value, sqrt(variance), value - half, value + half, sd, seeds, n)
