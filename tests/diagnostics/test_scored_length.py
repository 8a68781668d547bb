"""Spearman under the length attack: by hand, against scipy, and an encoder that length does not touch."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from test_diagnostics import WORDS, TwoLayers, a_token_layer

from embedlab.diagnostics import length
from embedlab.diagnostics.length import elongated, scored_attack
from embedlab.encoders.embed import embed
from embedlab.metrics.length_results import CopiesRead, ScoredLength
from embedlab.report.verdict_words import scored_pairs_sentence
from embedlab.statistics.geometry import cosines


def some_pairs(count: int = 40):
    rng = np.random.default_rng(0)
    first, second = ([" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(count)] for _ in range(2))
    return first, second, rng.integers(0, 6, count).astype(float)


def test_spearman_is_scipys_with_no_text_one_and_both_repeated():
    first, second, scores = some_pairs()
    encoder = TwoLayers()  # 40 tokens, two of them special
    found, _ = scored_attack(encoder, first=first, second=second, scores=scores, copies=5)
    words = [max(len(a.split()), len(b.split())) for a, b in zip(first, second, strict=True)]
    times = [min(38 // longest, 5) for longest in words]
    longer = [[elongated(text, m) for text, m in zip(side, times, strict=True)] for side in (first, second)]
    for name, one, other in (("none", first, second), ("first", longer[0], second), ("both", *longer)):
        expected = spearmanr(cosines(embed(encoder, one), embed(encoder, other)), scores).statistic
        assert getattr(found, name).value == pytest.approx(expected, abs=1e-6)
    assert found.effective_copies == CopiesRead(mean=np.mean(times), min=min(times), max=5) and found.pairs == 40
    change = found.first.change
    assert change.value == pytest.approx(found.first.value - found.none.value)
    assert change.low < change.value < change.high


class ByLength(TwoLayers):
    """A text is an angle: its words times five degrees, in the first two of eight numbers."""

    def forward(self, tokens):
        words = tokens["attention_mask"].sum(dim=1) - 2
        angle = (5 * words).deg2rad()
        vectors = self.groups.new_zeros(len(words), 8)
        vectors[:, 0], vectors[:, 1] = angle.cos(), angle.sin()
        return vectors


def test_by_hand_repeating_one_text_turns_the_order_round():
    # words 1 1, 1 2, 1 4: 0, 5 and 15 degrees apart; the first twice: 5, 0 and 10; both twice: 0, 10, 30
    first, second = ["a", "a", "a"], ["a", "a a", "a a a a"]
    found, cosines_of = scored_attack(
        ByLength(), first=first, second=second, scores=np.array([5.0, 3.0, 0.0]), copies=2
    )
    # ranks of scores 3 2 1 against 3 2 1, against 2 3 1: 1 − 6 (1 + 1) / (3 · 8), against 3 2 1
    assert [each.value for each in (found.none, found.first, found.both)] == pytest.approx([1, 0.5, 1])
    assert cosines_of.before == pytest.approx(np.cos(np.deg2rad([0, 5, 15])))
    assert cosines_of.after == pytest.approx(np.cos(np.deg2rad([0, 10, 30])))  # both repeated
    assert cosines_of.effective_copies.tolist() == [2, 2, 2]
    assert found.first.change.value == pytest.approx(-0.5) and found.both.change.value == 0


def test_the_token_layer_keeps_its_order_exactly():
    first, second, scores = some_pairs()
    found, _ = scored_attack(a_token_layer(), first=first, second=second, scores=scores, copies=100)
    assert found.first.value == found.both.value == found.none.value
    assert "changes nothing" in found.flat_because


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(-0.08, -0.042, "falls when one text"), (-0.08, 0.02, "survives within the error"), (0.01, 0.02, "rises when")],
)
def test_the_sentence_says_whether_the_order_survives(low, high, said):
    change = {"value": -0.061, "low": low, "high": high, "n": 40}
    first = {"value": 0.651, "change": change}
    facts = {"pairs": 40, "effective_copies": {"mean": 8.0, "min": 6, "max": 20}, "zero_vectors": 0}
    tuned = facts | {"flat_because": None, "none": {"value": 0.712}, "first": first, "both": first}
    told = scored_pairs_sentence(ScoredLength(set="mine", fingerprint="f", copies=100, tuned=tuned))
    assert said in told and "Spearman fine-tuned 0.712 → 0.651, −0.061 (95 %: " in told


@pytest.mark.parametrize(("copies", "flat", "cut"), [([2, 4], "why", None), ([2, 5], None, 5)])
def test_as_many_copies_as_fit_are_all_read(monkeypatch, copies, flat, cut):
    read = []
    monkeypatch.setattr(length, "copies_that_fit", lambda *_: np.array([4.0, 6.0]))
    monkeypatch.setattr(length, "repeats_change_nothing", lambda _: "why")
    monkeypatch.setattr(length, "embed", lambda _, texts, device: read.extend(texts) or np.zeros((len(texts), 2)))
    embeddings, fit = length.repeated(None, ["a", "b"], copies)
    assert embeddings.shape == (2, 2, 2) and fit.flat_because == flat and fit.truncated_from == cut
    assert fit.effective_copies == [2, 4] and read[1] == ("a" if flat else "a a a a a")
