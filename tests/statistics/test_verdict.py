"""The verdict: Bonett–Price by hand, its sentence, its coverage by simulation."""

import numpy as np
import pytest

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.numbers import in_points
from embedlab.statistics.intervals import paired_shares
from embedlab.statistics.verdict import PairedCorrectness, outcome_of
from embedlab.statistics.verdict import verdict as verdict_of


def paired(n: int, gained: int, lost: int) -> dict:
    before, after = np.zeros(n, bool), np.zeros(n, bool)
    after[:gained] = True
    before[gained : gained + lost] = True
    return {"before": before, "after": after}


def verdict(*, before, after, baseline_name="the untouched encoder", protocol="paper", **references):
    return verdict_of(
        PairedCorrectness(before, after, references), EUCLIDEAN, baseline_name=baseline_name, protocol=protocol
    )


def test_one_sentence_says_distance_and_texts():
    assert verdict_of(PairedCorrectness(**paired(1000, 300, 20)), COSINE).sentence == (
        "Helped: kNN accuracy (cosine) +28.0 points (95 %: 24.9 … 31.0) against the untouched encoder, on 1,000 test "
        "texts; with 1,000 texts, differences under about 3.1 points cannot be detected."
    )
    folds = verdict(**paired(5000, 0, 0), protocol="folds").sentence
    assert folds.endswith("against the untouched encoder, over ten folds of 5,000 labeled texts.")
    published = verdict(**paired(5000, 0, 0), protocol="cv10").sentence
    assert "published folds, file order" in published


def test_the_interval_by_hand():
    # n = 98, b = 19, c = 4: p1 = .20, p2 = .05, d = .15, half = 1.96 √((.25 - .0225)/100) = .09349
    found = paired_shares(**paired(98, 19, 4))
    assert found.value == pytest.approx(15 / 98) and found.n == 98
    assert found.low == pytest.approx(0.15 - 0.093485, abs=1e-5)
    assert found.high == pytest.approx(0.15 + 0.093485, abs=1e-5)


def test_before_and_after_swapped_change_the_sign():
    one, other = paired_shares(**paired(200, 30, 10)), paired_shares(**paired(200, 10, 30))
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def test_sentences_begin_with_their_outcome():
    assert verdict(**paired(422, 100, 9)).sentence.startswith(
        "Helped: kNN accuracy (Euclidean distance) +21.6 points (95 %: "
    )
    assert verdict(**paired(422, 9, 100)).sentence.startswith(
        "Hurt: kNN accuracy (Euclidean distance) −21.6 points (95 %: −"
    )
    assert verdict(**paired(422, 20, 20)).sentence.startswith(
        "No clear change: kNN accuracy (Euclidean distance) 0.0 points (95 %: −"
    )


def test_below_fifty_texts_no_change_is_clear():
    assert verdict(**paired(49, 49, 0)).outcome == "few"
    assert verdict(**paired(50, 50, 0)).outcome == "helped"
    assert outcome_of(paired_shares(**paired(49, 0, 49))) == "few"
    assert outcome_of(paired_shares(**paired(50, 0, 50))) == "hurt"


def test_a_wide_interval_says_what_can_be_seen_and_a_narrow_one_does_not():
    assert "differences under about" in verdict(**paired(422, 40, 40)).sentence
    assert "only changes" not in verdict(**paired(20000, 40, 40)).sentence


def test_the_same_sentence_carries_the_difference_to_tfidf_and_svd():
    arrays = paired(422, 100, 9)
    found = verdict(**arrays, tfidf=arrays["after"], svd=arrays["before"])
    assert "; against TF-IDF 0.0 points (95 %: −0.7 … 0.7); against TF-IDF → SVD-100 +21.6 points (" in found.sentence
    right = PairedCorrectness(**arrays, references={"tfidf": arrays["after"], "svd": arrays["before"]})
    assert right.against["tfidf"].value == 0 and right.against["svd"].low == right.change.low
    assert verdict(**arrays).against == () and "TF-IDF" not in verdict(**arrays).sentence


def test_any_two_encoders_can_be_judged():
    found = verdict(**paired(422, 100, 9), baseline_name="MiniLM")
    assert found.sentence.startswith("Helped: kNN accuracy (Euclidean distance) +21.6 points (95 %: 17.") and (
        " against MiniLM, on 422 test texts; with 422 texts" in found.sentence
    )
    assert " against the untouched encoder, on 422 test texts" in verdict(**paired(422, 100, 9)).sentence


def test_nothing_changed_has_an_interval_that_is_not_of_width_0():
    found = verdict(**paired(422, 0, 0))
    assert found.sentence.startswith("No clear change: kNN accuracy (Euclidean distance) 0.0 points (95 %: −0.7 … 0.7)")
    change = PairedCorrectness(**paired(422, 0, 0)).change
    assert change.low < 0 < change.high


def test_numbers_look_as_everywhere():
    assert in_points(0.215, 0.189, 0.24) == "+21.5 points (95 %: 18.9 … 24.0)"
    assert in_points(-0.02, -0.05, 0.01) == "−2.0 points (95 %: −5.0 … 1.0)"


@pytest.mark.parametrize(
    ("n", "p1", "p2", "low", "high"),
    [(422, 0.12, 0.05, 0.935, 0.965), (1300, 0.25, 0.05, 0.935, 0.965), (2850, 0.20, 0.18, 0.935, 0.965),
     (422, 0.003, 0.003, 0.94, 1), (100, 0.02, 0.02, 0.94, 1), (40, 0.1, 0.05, 0.94, 1)],
)  # fmt: skip
def test_the_interval_covers_as_often_as_it_says(n, p1, p2, low, high):
    rng = np.random.default_rng(7)
    counts = rng.multinomial(n, [p1, p2, 1 - p1 - p2], size=4000)
    covered = []
    for gained, lost, _ in counts:
        found = paired_shares(**paired(n, gained, lost))
        covered.append(found.low <= p1 - p2 <= found.high)
    assert low <= np.mean(covered) <= high


def test_below_fifty_texts_the_sentence_says_that_alone():
    sentence = verdict(**paired(49, 49, 0)).sentence
    assert sentence.startswith("Too few test texts: kNN accuracy (Euclidean distance) +100.0 points")
    assert "at least 50 are needed to call a change clear" in sentence and "No clear change" not in sentence
    assert "cannot be detected" not in sentence
