"""What a longer run takes is read from little: memory from a few timed steps, embedding from a few texts."""

import math
from types import SimpleNamespace

import pytest

from embedlab.tasks.fine_tune import estimate
from embedlab.tasks.fine_tune.estimate import growth

GROWS = [(1, 900), *((step, round(1000 + 100 * math.log2(step))) for step in range(2, 17))]  # 100 with each doubling


def test_as_many_doublings_as_are_still_to_come():
    assert growth(GROWS, 64) == pytest.approx(200, abs=1)
    assert growth(GROWS, 512) == pytest.approx(500, abs=1)
    assert growth(GROWS, 10**6) == growth(GROWS, 1000)  # every shape was met by then


def test_nothing_is_added_where_nothing_grew_or_too_little_was_seen():
    assert growth([(step, 1000) for step in range(1, 20)], 500) == 0
    assert growth([(step, 1000 - step) for step in range(1, 20)], 500) == 0
    assert growth(GROWS[:3], 500) == 0 and growth([], 500) == 0
    assert growth(GROWS, 16) == 0


@pytest.mark.parametrize(("pace", "sizes"), [(1e-6, [8, 16, 64, 200]), (1e-2, [8, 16])])
def test_the_slower_an_encoder_the_fewer_texts_are_embedded_to_time_it(monkeypatch, pace, sizes):
    """Texts of 1 to 200 words have 20,100 words, 1.3 tokens each; the time is in proportion to them."""
    texts, read = ["word " * words for words in range(1, 201)], []
    monkeypatch.setattr(estimate, "embed", lambda encoder, drawn, device: read.append(drawn))
    monkeypatch.setattr(
        estimate, "_seconds", lambda work: (work(), pace * 1.3 * sum(len(text.split()) for text in read[-1]))[1]
    )
    corpus = SimpleNamespace(texts=SimpleNamespace(at=lambda rows: texts), kept=None)
    seconds = estimate._seconds_to_embed(SimpleNamespace(max_length=8192), corpus, "cpu")
    assert seconds == pytest.approx(pace * 1.3 * 20_100) and [len(each) for each in read] == sizes


@pytest.mark.parametrize(
    ("device", "adapter", "passes", "expected"),
    [("cpu", None, 1, 1_100), ("cpu", None, 2, 1_110), ("cpu", "lora", 2, 1_160), ("cuda", None, 2, 1_160)],
)
def test_what_is_written_counts_where_it_is_no_memory_that_trains(monkeypatch, device, adapter, passes, expected):
    """1,000 timed and 100 grown; 10 of the best step where live points may choose one; 50 written."""
    monkeypatch.setattr(estimate, "_neighbors_bytes", lambda training: 0)
    monkeypatch.setattr(estimate, "peak_bytes", lambda: 1_000)
    trained, whole = ({"weights": SimpleNamespace(nbytes=size)} for size in (10, 50))
    encoder = SimpleNamespace(adapter=adapter, trained_state=lambda: trained, weights=lambda: whole)
    training = SimpleNamespace(encoder=encoder, device=device)
    assert estimate._peak_bytes(training, 0, passes, 100, has_no_folds=False) == expected
