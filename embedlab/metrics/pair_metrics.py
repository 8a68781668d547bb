"""Metrics of pairs of texts: STS, as Spearman's correlation of the cosine, and paraphrases, as average precision."""

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import JudgedPairs, Metric, MetricResult, ScoredPairs, Units, paired
from embedlab.statistics.intervals import LEVEL, paired_bootstrap
from embedlab.vectors.exact import Matrix, is_sparse, numbers_per_row, unit_rows

FEWEST_PAIRS = 3


class STS(Metric):
    """Spearman's correlation of the cosine, never the best of several similarities."""

    key = "sts"
    title = "STS Spearman"
    sentence = "How well the cosine orders pairs of texts as people do."
    range = (-1.0, 1.0)
    paper = "simcse"
    reads = ScoredPairs

    @staticmethod
    def measure(material: ScoredPairs) -> MetricResult:
        """1 for people's order, -1 for the reverse, 0 for none, including a constant encoder.

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
        return MetricResult(value=value, n=len(scores), counts="pairs", facts=facts, units=units)

    @staticmethod
    def difference(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
        """The change of Spearman's correlation, by the paired bootstrap over the pairs."""
        scores, _ = paired(before, after, "scores")
        one, other = (Spearman(cosines, scores) for cosines in paired(before, after, "cosines"))

        def both(weights: np.ndarray) -> tuple[float, float]:
            return _or_zero(one.of(weights)), _or_zero(other.of(weights))

        return paired_bootstrap(both, len(scores), level=level)


class Spearman:
    """Values ranked once; ``of(weights)`` then costs a few passes, ties at their mean rank.

    ``scipy.stats.spearmanr`` gives the same values, but takes no weights: it would sort anew for each resample of the
    bootstrap, in nine times the time.
    """

    def __init__(self, one: np.ndarray, other: np.ndarray):
        self.one, self.other = (np.unique(values, return_inverse=True)[1] for values in (one, other))

    def of(self, weights: np.ndarray) -> float:
        """Unit i counted weights[i] times; NaN where one side is constant. weights: (n,)"""
        return weighted_pearson(weighted_ranks(self.one, weights), weighted_ranks(self.other, weights), weights)


def weighted_ranks(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean ranks from 1 of repeated values. codes: (n,) the values' sorted positions -> (n,)"""
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


class Paraphrase(Metric):
    """One threshold-free number for pairs that are paraphrases and pairs that are not."""

    key = "paraphrase"
    title = "Paraphrase average precision"
    sentence = "How well the cosine ranks paraphrases before other pairs."
    paper = "tsdae"
    reads = JudgedPairs

    @staticmethod
    def measure(material: JudgedPairs) -> MetricResult:
        """1 if all paraphrases come first, about their share by chance; pairs of zero vectors are never found."""
        same = np.asarray(material.same, bool)
        if same.all() or not same.any():
            raise CorpusError(
                "E-ONE-KIND",
                f"Average precision needs paraphrases and other pairs, but {int(same.sum()):,} of {len(same):,} "
                f"pairs are paraphrases. Add pairs of the other kind.",
            )
        cosines = pair_cosines(material.one, material.other)
        facts = {
            "roc_auc": area_under_curve(cosines, same),
            "positives": int(same.sum()),
            "zero_vectors": int((cosines == -np.inf).sum()),
        }
        value = AveragePrecision(similarities=cosines, positive=same).of()
        units = {"rows": np.arange(len(same)), "cosines": cosines, "same": same}
        return MetricResult(value=value, n=len(same), counts="pairs", facts=facts, units=units)

    @staticmethod
    def difference(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
        """The change of average precision, by the paired bootstrap over the pairs."""
        same, _ = paired(before, after, "same")
        one, other = (AveragePrecision(similarities=c, positive=same) for c in paired(before, after, "cosines"))
        return paired_bootstrap(lambda weights: (one.of(weights), other.of(weights)), len(same), level=level)


def area_under_curve(similarities: np.ndarray, positive: np.ndarray) -> float:
    """The probability that a positive scores above a negative, ties by half. 1 is perfect, 0.5 chance. each: (n,)"""
    from scipy.stats import rankdata

    count = int(positive.sum())
    above = rankdata(similarities)[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (len(positive) - count)))


class AveragePrecision:
    """Sorted once; ``of(weights)`` then costs one pass. similarities: (n,), -inf: never retrieved; positive: (n,) bool

    1 when every positive comes first, about the share of positives by chance, 0 when none is found. scikit-learn's
    ``average_precision_score`` gives the same values, but sorts anew for each resample of the bootstrap: 38 times the
    time for 1,000 pairs.
    """

    def __init__(self, *, similarities: np.ndarray, positive: np.ndarray):
        self.order = np.argsort(-similarities, kind="stable")
        falling = similarities[self.order]
        ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)[: len(falling)])
        self.ends = ends[falling[ends] > -np.inf]  # equal similarities count as one step
        self.positive = np.asarray(positive, bool)[self.order]

    def of(self, weights: np.ndarray | None = None) -> float:
        """Σ (Rₙ − Rₙ₋₁) Pₙ, unit i counted weights[i] times; NaN without a positive."""
        taken = np.ones(len(self.order)) if weights is None else weights[self.order]
        positives = (taken * self.positive).sum()
        if positives == 0:
            return float("nan")
        hits = np.cumsum(taken * self.positive)[self.ends]
        seen = np.cumsum(taken)[self.ends]
        return float((np.diff(hits, prepend=0) * hits / np.maximum(seen, 1)).sum() / positives)


CHUNK_NUMBERS = 2**22
DECIMALS = 12  # the digits after it are rounding errors: the cosines of a constant encoder are equal


def pair_cosines(one: Matrix, other: Matrix) -> np.ndarray:
    """Between -1 and 1; -inf where a vector is zero or not finite, so that such a pair is never retrieved.

    one, other: (pairs, dim), dense or sparse -> (pairs,)
    """
    all_cosines = np.full(one.shape[0], -np.inf)
    step = max(1, CHUNK_NUMBERS // max(numbers_per_row(one), 1))
    for start in range(0, len(all_cosines), step):
        u, v = unit_rows(one[start : start + step]), unit_rows(other[start : start + step])
        cosines = np.asarray(u.multiply(v).sum(axis=1)).ravel() if is_sparse(u) else np.einsum("ij,ij->i", u, v)
        cosines = np.round(np.clip(cosines, -1, 1), DECIMALS)
        all_cosines[start : start + step] = np.where(_has_direction(u) & _has_direction(v), cosines, -np.inf)
    return all_cosines


def _has_direction(units: Matrix) -> np.ndarray:
    return np.asarray((units != 0).sum(axis=1)).ravel() > 0
