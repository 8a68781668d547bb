"""STS and paraphrases: values on paper, what vectors may be, what is refused, how sure a difference is."""

import numpy as np
import pytest

from embedlab.errors import CorpusError
from embedlab.metrics import METRICS
from embedlab.metrics.base import JudgedPairs, ScoredPairs
from embedlab.metrics.pair_metrics import AveragePrecision, Spearman, pair_cosines

STS, PARAPHRASE = METRICS["sts"], METRICS["paraphrase"]


def with_cosines(cosines: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of vectors with these cosines, of different lengths."""
    angles = np.arccos(cosines)
    lengths = np.arange(1.0, len(cosines) + 1)[:, None]
    return np.tile([2.0, 0.0], (len(cosines), 1)), lengths * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_spearman_on_paper():
    # ranks 1 2 3 4 against 2 1 3 4: 1 - 6 (1 + 1) / (4 · 15)
    found = STS.measure(ScoredPairs(*with_cosines([0.1, 0.2, 0.3, 0.9]), np.array([2, 1, 3, 4])))
    assert found.value == pytest.approx(0.8) and found.n == 4
    # scores tie in the middle: ranks 1 2.5 2.5 4; covariance 4.5, variances 5 and 4.5
    found = STS.measure(ScoredPairs(*with_cosines([0.1, 0.2, 0.3, 0.9]), np.array([0, 2, 2, 5])))
    assert found.value == pytest.approx(4.5 / np.sqrt(5 * 4.5))


def test_it_turns_with_the_scores_and_not_with_their_scale():
    rng = np.random.default_rng(0)
    one, other, scores = *rng.normal(size=(2, 50, 4)), rng.random(50)
    value = STS.measure(ScoredPairs(one, other, scores)).value
    assert STS.measure(ScoredPairs(one, other, -scores)).value == pytest.approx(-value)
    assert STS.measure(ScoredPairs(7 * one, other, scores**3)).value == pytest.approx(value)
    assert STS.measure(ScoredPairs(other, one, scores)).value == pytest.approx(value)


def test_a_constant_encoder_has_no_order():
    scores = np.arange(30.0)
    rng = np.random.default_rng(0)
    lengths, direction, other = rng.uniform(0.1, 10, (30, 1)), rng.normal(size=40), rng.normal(size=40)
    assert STS.measure(ScoredPairs(lengths * direction, np.tile(other, (30, 1)), scores)).value == 0.0


@pytest.mark.parametrize(
    ("scores", "code", "said"),
    [
        ([1, 2], "E-FEW-PAIRS", "at least 3"),
        ([4, 4, 4], "E-SCORES", "all 3 pairs have 4"),
        ([1, np.nan, 2], "E-SCORES", "1 of 3"),
    ],
)
def test_scores_that_allow_no_correlation_are_refused(scores, code, said):
    with pytest.raises(CorpusError, match=said) as found:
        STS.measure(ScoredPairs(np.ones((len(scores), 2)), np.ones((len(scores), 2)), np.array(scores, float)))
    assert found.value.code == code


def test_a_pair_with_a_zero_vector_is_the_least_similar():
    one, other = with_cosines([0.1, 0.5, -0.9])
    one[1], other[0, 0] = 0, np.nan
    assert pair_cosines(one, other) == pytest.approx([-np.inf, -np.inf, -0.9])
    found = STS.measure(ScoredPairs(one, other, np.array([1.0, 2.0, 3.0])))
    assert found.facts["zero_vectors"] == 2 and found.value == pytest.approx(np.sqrt(3) / 2)


def test_average_precision_on_paper():
    # positives at ranks 1 and 3 of 4: (1 + 2/3) / 2
    found = PARAPHRASE.measure(JudgedPairs(*with_cosines([0.9, 0.5, 0.3, 0.1]), np.array([1, 0, 1, 0], bool)))
    assert found.value == pytest.approx(5 / 6) and found.facts["roc_auc"] == pytest.approx(3 / 4)
    # the two in the middle tie and count as one step: 1/2 · 1 + 1/2 · 2/3
    assert AveragePrecision(
        similarities=np.array([0.9, 0.5, 0.5, 0.1]), positive=np.array([1, 0, 1, 0], bool)
    ).of() == pytest.approx(5 / 6)
    assert AveragePrecision(similarities=np.full(8, 0.3), positive=np.arange(8) < 2).of() == pytest.approx(1 / 4)


def test_a_paraphrase_with_a_zero_vector_is_never_found():
    one, other = with_cosines([0.9, 0.5, 0.3, 0.1])
    one[0] = 0
    found = PARAPHRASE.measure(JudgedPairs(one, other, np.array([1, 0, 1, 0], bool)))
    assert found.value == pytest.approx(1 / 2 * 1 / 2) and found.facts["zero_vectors"] == 1


@pytest.mark.parametrize("same", [np.ones(5, bool), np.zeros(5, bool)])
def test_pairs_of_one_kind_are_refused(same):
    with pytest.raises(CorpusError, match="of 5 pairs are paraphrases") as found:
        PARAPHRASE.measure(JudgedPairs(np.ones((5, 2)), np.ones((5, 2)), same))
    assert found.value.code == "E-ONE-KIND"


def test_without_a_positive_there_is_no_average_precision():
    judge = AveragePrecision(similarities=np.array([0.3, 0.2]), positive=np.array([True, False]))
    assert np.isnan(judge.of(np.array([0, 2])))
    assert np.isnan(Spearman(np.arange(3.0), np.arange(3.0)).of(np.array([3, 0, 0])))


def test_a_difference_is_as_sure_as_many_other_draws_of_pairs_agree():
    rng = np.random.default_rng(1)
    count = 400

    def drawn() -> list[np.ndarray]:
        meaning = rng.normal(size=count)
        return [meaning, *(np.tanh(meaning + noise * rng.normal(size=count)) for noise in (2.0, 1.0))]

    spread = np.std([_rise(*drawn()) for _ in range(300)])
    scores, before, after = drawn()
    before, after = ({"rows": np.arange(count), "cosines": cosines, "scores": scores} for cosines in (before, after))
    found = STS.difference(before=before, after=after)
    assert found.is_clear and found.high - found.low == pytest.approx(2 * 1.96 * spread, rel=0.25)


def _rise(scores: np.ndarray, before: np.ndarray, after: np.ndarray) -> float:
    every = np.ones(len(scores))
    return Spearman(after, scores).of(every) - Spearman(before, scores).of(every)
