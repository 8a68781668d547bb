"""Paraphrase detection: average precision of the cosine (TSDAE's TwitterPara, USEB)."""

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import JudgedPairs, Measured, paired
from embedlab.metrics.pair_scores import AveragePrecision, pair_cosines
from embedlab.statistics.intervals import LEVEL, paired_bootstrap


class Paraphrase:
    """One threshold-free number for pairs that say the same and pairs that do not."""

    key = "paraphrase"
    title = "Paraphrase average precision"
    sentence = "How well the cosine ranks paraphrases before other pairs."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = "tsdae"
    reads = JudgedPairs

    @staticmethod
    def measure(material: JudgedPairs) -> Measured:
        """1 when all paraphrases come first, about their share by chance; a zero vector's pair is never found."""
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
        return Measured(value=value, n=len(same), counts="pairs", facts=facts, units=units)

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of average precision, by the paired bootstrap over the pairs."""
        same, _ = paired(before, after, "same")
        one, other = (AveragePrecision(similarities=c, positive=same) for c in paired(before, after, "cosines"))
        return paired_bootstrap(lambda weights: (one.of(weights), other.of(weights)), len(same), level=level)


def area_under_curve(similarities: np.ndarray, positive: np.ndarray) -> float:
    """How often a positive lies above a negative, equal ones half.  1 is perfect, 0.5 chance.  each: (n,)"""
    from scipy.stats import rankdata

    count = int(positive.sum())
    above = rankdata(similarities)[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (len(positive) - count)))
