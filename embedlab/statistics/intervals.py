"""The uncertainty of a difference between two encoders: 95 % intervals for the same units measured twice.

``scipy.stats.bootstrap`` resamples the data themselves; weights let a metric sort or count its units once, and a
resample without a value is left out here, where scipy's interval is lost by it.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np

from embedlab.measurement import Difference

RESAMPLES = 2000
SEED = 42
LEVEL = 0.95


def paired_shares(*, before: np.ndarray, after: np.ndarray, level: float = LEVEL, widened: float = 1.0) -> Difference:
    """The change of a share over the same texts (Bonett and Price 2012).  each: (n,) bool

    From -1 to 1, never of width 0; without a text from -1 to 1 whatever the level.
    """
    before, after = np.asarray(before, bool), np.asarray(after, bool)
    if before.shape != after.shape:
        raise ValueError(f"Two encoders are compared on the same texts, but found {len(before)} and {len(after)}.")
    gained, lost = int((~before & after).sum()), int((before & ~after).sum())
    return counted_shares(n=len(after), gained=gained, lost=lost, level=level, widened=widened)


def counted_shares(*, n: int, gained: int, lost: int, level: float = LEVEL, widened: float = 1.0) -> Difference:
    """The same from counts: b texts turned right and c turned wrong.

    p1 = (b+1)/(n+2), p2 = (c+1)/(n+2), d = p1 − p2, d ± z √((p1 + p2 − d²)/(n + 2)); the value itself is (b − c)/n.
    ``widened`` multiplies the half-width, where the texts are not independent.
    """
    p1, p2 = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    d = p1 - p2
    half = widened * normal(level) * sqrt((p1 + p2 - d**2) / (n + 2))
    return Difference((gained - lost) / max(n, 1), max(d - half, -1.0), min(d + half, 1.0), n)


def paired_means(*, before: np.ndarray, after: np.ndarray, level: float = LEVEL) -> Difference:
    """The change of a mean over the same queries, by Student's t. each: (n,); units that are NaN are left out"""
    from scipy.stats import t

    d = np.asarray(after, float) - np.asarray(before, float)
    d = d[np.isfinite(d)]
    n = len(d)
    if n < 2:
        return Difference(float(d.mean()) if n else 0.0, -np.inf, np.inf, n)
    half = float(t.ppf((1 + level) / 2, n - 1)) * float(d.std(ddof=1)) / sqrt(n)
    return Difference(float(d.mean()), float(d.mean()) - half, float(d.mean()) + half, n)


def paired_bootstrap(
    statistic: Callable[[np.ndarray], tuple[float, float]],
    n: int,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    """The change of any statistic by the percentile bootstrap over ``n`` units, both sides resampled alike.

    ``statistic(weights)`` gives the values before and after when unit i is taken weights[i] times.  weights: (n,) int
    """
    before, after = statistic(np.ones(n, np.int64))
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples if n > 1 else 0):
        one, other = statistic(np.bincount(rng.integers(0, n, n), minlength=n))
        drawn.append(other - one)
    drawn = [value for value in drawn if np.isfinite(value)]  # one without positives or without spread has no value
    if not drawn:
        return Difference(after - before, -np.inf, np.inf, n)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Difference(after - before, float(low), float(high), n)


def normal(level: float) -> float:
    """The two-sided quantile of the normal distribution: 1.96 at 95 %."""
    from statistics import NormalDist

    return 1.96 if level == LEVEL else NormalDist().inv_cdf((1 + level) / 2)


def interval_of_share(value: float, error: float) -> dict[str, float]:
    """``{low, high}`` of a share between 0 and 1 with this standard error at 95 %: value ± 1.96 errors."""
    half = normal(LEVEL) * error
    return {"low": max(value - half, 0.0), "high": min(value + half, 1.0)}
