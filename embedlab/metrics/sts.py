"""STS: Spearman correlation of the cosine of two texts with how similar people found them (SimCSE, Table 5).

``scipy.stats.spearmanr`` gives the same values, but takes no weights: it would sort anew for each resample of the
bootstrap, in nine times the time.
"""

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import Measured, ScoredPairs, paired
from embedlab.metrics.pair_scores import pair_cosines
from embedlab.statistics.intervals import LEVEL, paired_bootstrap

FEWEST_PAIRS = 3


class STS:
    """Always of the cosine, never the best of several similarities."""

    key = "sts"
    title = "STS Spearman"
    sentence = "How well the cosine orders pairs of texts as people do."
    range = (-1.0, 1.0)
    higher_is_better = True
    paper = "simcse"
    reads = ScoredPairs

    @staticmethod
    def measure(material: ScoredPairs) -> Measured:
        """1 is people's order, -1 the reversed one, 0 none, also that of a constant encoder.

        A pair with a zero or non-finite vector is the least similar of all; Pearson takes its cosine as -1.
        """
        scores = _judged(material.scores)
        cosines = pair_cosines(material.one, material.other)
        every = np.ones(len(scores))
        facts = {
            "pearson": _or_zero(weighted_pearson(np.maximum(cosines, -1.0), scores, every)),
            "zero_vectors": int((cosines == -np.inf).sum()),
        }
        units = {"rows": np.arange(len(scores)), "cosines": cosines, "scores": scores}
        value = _or_zero(Spearman(cosines, scores).of(every))
        return Measured(value=value, n=len(scores), counts="pairs", facts=facts, units=units)

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of Spearman's correlation, by the paired bootstrap over the pairs."""
        scores, _ = paired(before, after, "scores")
        one, other = (Spearman(cosines, scores) for cosines in paired(before, after, "cosines"))

        def both(weights: np.ndarray) -> tuple[float, float]:
            return _or_zero(one.of(weights)), _or_zero(other.of(weights))

        return paired_bootstrap(both, len(scores), level=level)


class Spearman:
    """Values coded once; ``of(weights)`` then costs a few passes, tied values at their mean rank."""

    def __init__(self, one: np.ndarray, other: np.ndarray):
        self.codes = [np.unique(values, return_inverse=True)[1] for values in (one, other)]

    def of(self, weights: np.ndarray) -> float:
        """Unit i taken weights[i] times; NaN where one side is constant.  weights: (n,)"""
        return weighted_pearson(*(weighted_ranks(codes, weights) for codes in self.codes), weights)


def weighted_ranks(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean ranks from 1 of values that are taken several times.  codes: (n,) the values' places when sorted -> (n,)"""
    counts = np.bincount(codes, weights=weights)
    return (np.cumsum(counts) - (counts - 1) / 2)[codes]


def weighted_pearson(one: np.ndarray, other: np.ndarray, weights: np.ndarray) -> float:
    """Between -1 and 1; NaN where one side is constant.  each: (n,)"""
    count = weights.sum()
    one, other = one - (weights @ one) / count, other - (weights @ other) / count
    squares = (weights @ one**2) * (weights @ other**2)
    return float(np.clip((weights * one) @ other / np.sqrt(squares), -1, 1)) if squares > 1e-20 else float("nan")


def _judged(scores: np.ndarray) -> np.ndarray:
    scores = np.asarray(scores, float)
    if len(scores) < FEWEST_PAIRS:
        raise CorpusError(
            "E-FEW-PAIRS",
            f"A correlation needs at least {FEWEST_PAIRS} pairs, but there are {len(scores)}. Add scored pairs.",
        )
    if not np.isfinite(scores).all():
        raise CorpusError(
            "E-SCORES",
            f"Each pair needs a score, but {int((~np.isfinite(scores)).sum()):,} of {len(scores):,} pairs have none."
            " Leave those pairs out.",
        )
    if (scores == scores[0]).all():
        raise CorpusError(
            "E-SCORES",
            f"A correlation needs different scores, but all {len(scores):,} pairs have {scores[0]:g}."
            " Choose the column that says how similar two texts are.",
        )
    return scores


def _or_zero(correlation: float) -> float:
    return correlation if np.isfinite(correlation) else 0.0
