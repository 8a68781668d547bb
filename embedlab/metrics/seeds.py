"""Several seeds of one recipe pooled: how much it changes, counting that both texts and seeds are samples."""

from math import sqrt

import numpy as np

from embedlab.metrics.distance import DISTANCES, Distance
from embedlab.metrics.intervals import LEVEL, Difference, counted_shares
from embedlab.metrics.verdict import OPENINGS, outcome_of, told

SEEDS_OF_A_RECIPE = 3  # fewer speak of their own runs


def pooled_seeds(changes: np.ndarray, *, level: float = LEVEL) -> Difference:
    """The mean change of a share over texts and seeds.  changes: (seeds, texts) of -1, 0, 1, each run against its own
    step 0

    With the mean D, V = sdᵢ(meanₛ dᵢₛ)²/n + sdₛ(Dₛ)²/S and D ± t(ν)·√V, ν by Welch and Satterthwaite. One seed, or
    seeds in which all texts change alike, leave no spread: then Bonett and Price's interval of the first run. With
    three seeds it covers 95 % and more while they differ by up to three points (sd), 92 to 93 % where by five or ten.
    """
    changes = np.asarray(changes, float)
    seeds, texts = changes.shape
    value = float(changes.mean()) if changes.size else 0.0
    of_texts = float(changes.mean(axis=0).var(ddof=1)) / texts if texts > 1 else 0.0
    of_seeds = float(changes.mean(axis=1).var(ddof=1)) / seeds if seeds > 1 else 0.0
    variance = of_texts + of_seeds
    if seeds < 2 or variance == 0:
        first = changes[0]
        return counted_shares(n=texts, gained=int((first > 0).sum()), lost=int((first < 0).sum()), level=level)
    freedom = variance**2 / (of_texts**2 / max(texts - 1, 1) + of_seeds**2 / (seeds - 1))
    half = _t_quantile((1 + level) / 2, freedom) * sqrt(variance)
    return Difference(value, max(value - half, -1.0), min(value + half, 1.0), texts)


def seeds_sentence(pooled: Difference, seeds: int, distance: Distance) -> str:
    """What so many seeds together say: of this recipe from three on, of these runs with two, of this run with one."""
    if seeds == 1:
        return "One seed: the verdict is about this run; three seeds make it about the recipe."
    which = "This recipe" if seeds >= SEEDS_OF_A_RECIPE else "These runs"
    outcome = OPENINGS[outcome_of(pooled)].lower()
    by = f"by {DISTANCES[distance]}"
    return f"{which}, {seeds} seeds together: {outcome}, {told(pooled)} {by} on {pooled.n:,} test texts."


def _t_quantile(share: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))
