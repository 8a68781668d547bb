"""Several seeds pooled: a change or an accuracy, treating both texts and seeds as samples."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import PAPER_SPLIT, Difference, texts_tested
from embedlab.statistics.intervals import LEVEL, counted_shares, normal

SEEDS_OF_A_RECIPE = 3  # fewer speak of their own runs


def pooled_seeds(changes: np.ndarray, *, level: float = LEVEL, widened: float = 1.0) -> Difference:
    """The mean change of a share over texts and seeds.  changes: (seeds, texts) of -1, 0, 1, each run against its own
    step 0

    With the mean D, V = w²·sdᵢ(meanₛ dᵢₛ)²/n + sdₛ(Dₛ)²/S and D ± t(ν)·√V, ν by Welch and Satterthwaite; w is
    ``widened``, above 1 for texts tested over ten folds, which are not independent. One seed, or
    seeds in which all texts change alike, leave no spread: then Bonett and Price's interval of the first run. With
    three seeds it covers 95 % and more while they differ by up to three points (sd), 92 to 93 % where by five or ten.
    """
    changes = np.asarray(changes, float)
    seeds, texts = changes.shape
    mean = pooled(changes, level=level, widened=widened) if seeds > 1 and texts else None
    if mean is None or mean.error == 0:
        first = changes[0]
        gained, lost = int((first > 0).sum()), int((first < 0).sum())
        return counted_shares(n=texts, gained=gained, lost=lost, level=level, widened=widened)
    return Difference(mean.value, max(mean.low, -1.0), min(mean.high, 1.0), texts)


def seeds_sentence(pooled: Difference, seeds: int, distance: Distance, protocol: str = PAPER_SPLIT) -> str:
    """What this many seeds show: about the recipe from three on, about these runs with two, about this run with one.

    In numbers alone, because the word is that of the run whose page has the sentence.
    """
    if seeds == 1:
        return "This is one seed. Train three to judge the recipe."
    which = "This recipe" if seeds >= SEEDS_OF_A_RECIPE else "These runs"
    by = f"with {DISTANCES[distance]}"
    return f"{which}, {seeds} seeds together: {pooled.points} {by} {texts_tested(protocol, pooled.n)}."


@dataclass(frozen=True)
class PooledMean:
    """A mean over seeds with its standard error and 95 % interval; ``sd`` over seeds is None for one seed."""

    value: float
    error: float
    low: float
    high: float
    sd: float | None
    seeds: int
    n: int


def pooled(units: np.ndarray, *, level: float = LEVEL, widened: float = 1.0) -> PooledMean:
    """The mean over texts and runs: D; V = w²·sdᵢ(meanₛ)²/n + sdₛ(Dₛ)²/S; D ± t(ν)·√V, where w is ``widened``.

    units: (seeds, n), 0 and 1 for an accuracy, −1, 0 and 1 for a difference. ν by Welch–Satterthwaite. One seed has no
    spread of seeds: √(p(1−p)/n) for an accuracy (its binomial standard error) and ±1.96 of it. Where nothing varies
    (all texts right in all seeds) √V is 0, but the accuracy of further texts is not certain: Wilson's interval of n.
    """
    units = np.asarray(units, float)
    seeds, n = units.shape
    value = float(units.mean())
    if seeds == 1:
        return _with_interval(value, widened**2 * float(((units - value) ** 2).mean()) / n, n, None, 1, level)
    of_texts = widened**2 * float(units.mean(axis=0).var(ddof=1)) / n if n > 1 else 0.0
    return _with_interval(value, of_texts, n, float(units.mean(axis=1).std(ddof=1)), seeds, level)


def pooled_shares(shares: list[float], n: int) -> PooledMean:
    """The same if only each run's share of right texts is known: the texts' variance is then binomial, p(1−p)/n."""
    value, seeds = float(np.mean(shares)), len(shares)
    sd = float(np.std(shares, ddof=1)) if seeds > 1 else None
    return _with_interval(value, value * (1 - value) / n if n else 0.0, n, sd, seeds, LEVEL)


def _with_interval(value: float, of_texts: float, n: int, sd: float | None, seeds: int, level: float) -> PooledMean:
    from scipy.special import stdtrit

    of_seeds = 0.0 if sd is None else sd**2 / seeds
    variance = of_texts + of_seeds
    if variance == 0:  # Wilson's bounds, which do not vary with seeds: from n/(n + z²) to 1 if all texts are right
        z = normal(level)
        middle, half = n * value + z**2 / 2, z * sqrt(max(n * value * (1 - value), 0.0) + z**2 / 4)
        return PooledMean(value, 0.0, (middle - half) / (n + z**2), (middle + half) / (n + z**2), sd, seeds, n)
    half = normal(level) * sqrt(variance)
    if sd is not None:
        freedom = variance**2 / (of_texts**2 / max(n - 1, 1) + of_seeds**2 / (seeds - 1))
        half = float(stdtrit(freedom, (1 + level) / 2)) * sqrt(variance)
    return PooledMean(value, sqrt(variance), value - half, value + half, sd, seeds, n)
