"""Defaults of an instrument are lowered to about a minute for long contexts, and only there."""

from types import SimpleNamespace

import numpy as np
import pytest

from embedlab.config import Config
from embedlab.diagnostics.attention_gain import MOST_BYTES, tokens_that_fit
from embedlab.diagnostics.length import LengthConfig, attack
from embedlab.diagnostics.pairs import Pairs
from embedlab.progress import silent
from embedlab.tasks.measure import time_fit
from embedlab.tasks.measure.diagnose import diagnosed_by
from embedlab.tasks.measure.length import scored
from embedlab.tasks.measure.time_fit import Pace, Work, fitted, fitted_attack, has_long_context, pace_of, work_of_attack
from tests.diagnostics.test_diagnostics import TwoLayers, a_corpus, look

SLOW = Pace(linear=1e-3)


class Reading(Config):
    texts: int = 1000
    copies: int = 100


def of_ten_tokens(lowest: dict) -> Work:
    return Work(lowest, lambda config: np.full(config.texts, 10 * config.copies))


def test_settings_are_lowered_in_order_until_a_minute_is_enough():
    """1,000 texts of 1,000 tokens take 1,000 s at a millisecond a token, 60 texts a minute."""
    config, sentence = fitted(Reading(), of_ten_tokens({"texts": 50, "copies": 20}), SLOW)
    assert config == Reading(texts=60)
    assert sentence == "With 1,000 texts this would take about 17 min here, so it uses 60 texts (about 60 s)."
    config, sentence = fitted(Reading(), of_ten_tokens({"texts": 200, "copies": 20}), SLOW, encoders=2)
    assert config == Reading(texts=200, copies=20), "the lowest values, although they take longer"
    assert "1,000 texts and 100 copies" in sentence and sentence.endswith("200 texts and 20 copies (about 80 s).")


def test_what_is_given_or_soon_enough_stays():
    work = of_ten_tokens({"texts": 50, "copies": 10})
    assert fitted(Reading(texts=1000), work, SLOW)[0] == Reading(copies=10), "texts were given"
    assert fitted(Reading(texts=1000, copies=100), work, SLOW) == (Reading(), None)
    assert fitted(Reading(), work, Pace(1e-6)) == (Reading(), None)


def test_the_pace_is_linear_and_quadratic(monkeypatch):
    monkeypatch.setattr(
        time_fit, "_seconds_to_read", lambda encoder, tokens, *_, texts: 2e-5 * tokens + 1e-8 * tokens**2
    )
    pace = pace_of(TwoLayers(max_length=4096), "cpu")
    assert (pace.linear, pace.quadratic) == pytest.approx((2e-5, 1e-8))
    assert pace.seconds(np.array([100, 1000])) == pytest.approx(0.002 + 0.0001 + 0.02 + 0.01)


def test_the_pace_of_a_short_context_is_that_of_a_batch_of_its_longest_texts(monkeypatch):
    monkeypatch.setattr(time_fit, "_seconds_to_read", lambda encoder, tokens, *_, texts: 0.001 * tokens * texts)
    assert pace_of(TwoLayers(max_length=128), "cpu") == Pace(pytest.approx(0.001))


@pytest.mark.parametrize("truncate", [False, True])
def test_the_foretold_tokens_are_those_that_the_attack_reads(truncate):
    encoder, read = TwoLayers(max_length=600), []
    texts = [" ".join(["apple1"] * words) for words in (3, 5, 8, 20)]
    pairs = Pairs(texts, np.arange(4), "titles", np.array([[0, 1], [1, 3]]), np.array([[2, 3]]))
    forward = TwoLayers.forward
    encoder.forward = lambda tokens: (read.append(int(tokens["attention_mask"].sum())), forward(encoder, tokens))[1]
    config = LengthConfig(copies=50, truncate=truncate)
    attack(encoder, pairs, copies=50, truncate=truncate)
    foretold = work_of_attack(encoder, pairs).tokens(config).sum()
    assert foretold == pytest.approx(sum(read), rel=0.05)


def test_an_encoder_of_512_tokens_keeps_its_defaults(monkeypatch):
    monkeypatch.setattr(time_fit, "pace_of", lambda *_: Pace(1.0))
    texts, labels = a_corpus()
    assert has_long_context(TwoLayers(513)) and not has_long_context(TwoLayers(512))
    measured = diagnosed_by("isotropy", {"before": look(TwoLayers(512), texts, labels)}, {})
    assert not measured.fitted and measured.settings["pairs"] == 1000
    pairs = Pairs(texts[:2], np.arange(2), "given", np.array([[0, 1]]), np.empty((0, 2), int))
    assert fitted_attack(LengthConfig(), TwoLayers(512), pairs, encoders=1, device="cpu") == (LengthConfig(), None)


def test_a_long_context_says_what_it_lowered_and_keeps_it(monkeypatch):
    monkeypatch.setattr(time_fit, "pace_of", lambda *_: Pace(1e-3))
    texts, labels = a_corpus()
    first = look(TwoLayers(2000), texts, labels)
    views = {"before": first, "after": look(TwoLayers(2000), texts, labels, untouched=first)}
    measured = {key: diagnosed_by(key, views, {}) for key in ("length", "isotropy", "cosines")}
    assert measured["length"].settings == measured["isotropy"].settings
    assert measured["length"].settings["pairs"] < 1000 and "so it uses" in measured["length"].fitted
    assert measured["length"].after["copies"] == measured["length"].settings["copies"]
    assert not measured["cosines"].fitted, "its vectors are there"
    given = diagnosed_by("length", views, {"pairs": 1000, "copies": 100})
    assert not given.fitted and given.settings["copies"] == 100


def test_scored_pairs_are_repeated_as_often_as_fits_a_minute(monkeypatch):
    """Twenty texts of 6 tokens, once and m times: 120 · 41 tokens take 59 s at 12 ms each, 120 · 51 take 73 s."""
    columns = {"sentence1": ["apple1 " * 6] * 10, "sentence2": ["pear2 " * 6] * 10, "score": [0.0, 5.0] * 5}
    pairs = SimpleNamespace(
        name="scored", fingerprint="abc", info=SimpleNamespace(serves=("sts",)), column=columns.__getitem__
    )
    monkeypatch.setattr(time_fit, "pace_of", lambda *_: Pace(1e-3))
    assert scored({"tuned": TwoLayers(2000)}, pairs, LengthConfig(), silent).fitted is None
    monkeypatch.setattr(time_fit, "pace_of", lambda *_: Pace(0.012))
    measured = scored({"tuned": TwoLayers(2000)}, pairs, LengthConfig(), silent)
    assert measured.copies == 40 and measured.fitted.startswith("With 100 copies this would take about")
    assert measured.tuned.effective_copies.max == 40
    assert scored({"tuned": TwoLayers(2000)}, pairs, LengthConfig(copies=100), silent).copies == 100


def test_attention_of_a_long_context_fits_into_memory():
    encoder = TwoLayers(8192)
    encoder.layers, encoder.model = 22, type("Model", (), {"config": type("Config", (), {"num_attention_heads": 12})})
    tokens = tokens_that_fit(encoder)
    assert 4 * 22 * 12 * tokens**2 <= MOST_BYTES < 4 * 22 * 12 * (tokens + 1) ** 2
    encoder.layers = 24 * 4  # the largest of 512 tokens are read as before
    assert tokens_that_fit(encoder) == 512
