"""The probe of a live map: out of what is embedded anyway, each class by its share, filled up where that is few."""

from types import SimpleNamespace

import numpy as np

from embedlab.metrics.shares import by_share
from embedlab.training.live import LiveCurve, probe_rows


def corpus_of(labels) -> SimpleNamespace:
    labels = None if labels is None else np.array(labels, dtype=object)
    count = 3000 if labels is None else len(labels)
    texts = [f"text {row}" for row in range(count)]
    return SimpleNamespace(labels=labels, kept=np.arange(count), texts=texts, info=SimpleNamespace(rows=count))


def test_each_class_has_its_share_and_the_largest_remainders_the_rest():
    labels = np.array(["a"] * 50 + ["b"] * 30 + [None] * 20, dtype=object)
    drawn = by_share(np.arange(100), labels, 7, np.random.default_rng(0))  # 3.5, 2.1, 1.4 -> 4, 2, 1
    assert len(set(drawn.tolist())) == 7
    assert [sum(labels[drawn] == each) for each in ("a", "b", None)] == [4, 2, 1]


def test_the_probe_comes_from_the_sample_where_that_is_large_enough():
    corpus = corpus_of(["a", "b", "c"] * 1000)
    sampled = np.arange(0, 3000, 2)
    rows = probe_rows(corpus, sampled, size=600, seed=0)
    assert len(rows) == 600 and set(rows) <= set(sampled) and (np.diff(rows) > 0).all()
    assert np.unique(corpus.labels[rows].astype(str), return_counts=True)[1].tolist() == [200, 200, 200]
    assert np.array_equal(rows, probe_rows(corpus, sampled, size=600, seed=0))
    assert not np.array_equal(rows, probe_rows(corpus, sampled, size=600, seed=1))


def test_a_small_sample_is_filled_up_and_a_small_corpus_is_all_there_is():
    rows = probe_rows(corpus_of(None), np.arange(100), size=500, seed=0)
    assert len(np.unique(rows)) == 500 and set(range(100)) <= set(rows)
    assert probe_rows(corpus_of(["a", "b"] * 20), np.arange(10), size=500, seed=0).tolist() == list(range(40))


def test_nothing_is_embedded_twice_and_each_probe_text_has_its_own_vector(monkeypatch):
    asked = []

    def embed(encoder, tokens, **how):
        asked.extend(tokens)
        return np.array([[float(text.split()[1]), 1.0] for text in tokens], np.float32)

    monkeypatch.setattr("embedlab.training.live.tokenize", lambda encoder, texts: texts)
    monkeypatch.setattr("embedlab.training.live.embed_tokens", embed)
    curve = LiveCurve(corpus=corpus_of(None), texts=None, device="cpu", probe=(1000, 0))
    curve.measure(None)
    assert len(asked) == len(set(asked)) == 1000
    assert curve.probe_embeddings[:, 0].tolist() == curve.probe.tolist()
