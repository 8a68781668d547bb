"""Live points: the same queries and neighbors from first to last, development texts of their own, and their cost."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from embedlab.copies import numbered_copies
from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.measurement import from_row
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import development_split, live_texts, paper_split
from embedlab.runs.curve import LIVE_DIAGNOSTICS
from embedlab.statistics.geometry import hubness, mean_cosine, uniformity
from embedlab.tasks.fine_tune.listeners.base import LiveMoment
from embedlab.tasks.fine_tune.listeners.best_step import BestStep
from embedlab.training.live import LEAST_POINTS, LEAST_TEXTS, LiveCurve, fits_in_its_share, texts_in_their_share
from embedlab.training.loop import TrainingStep


class Lookup:
    """An "encoder" whose vectors are given: tokens of a text are its number."""

    dim, layers, training = 4, 0, False

    def __init__(self, vectors: np.ndarray):
        self.vectors = vectors

    def state_dict(self) -> dict:
        return {"vectors": torch.from_numpy(self.vectors.copy())}

    copied_state = state_dict


@pytest.fixture
def corpus():
    texts = [f"text {number}" for number in range(400)]
    texts[7] = texts[3]  # a copy
    labels = np.array([f"class {number % 4}" for number in range(400)], object)
    return SimpleNamespace(texts=texts, labels=labels, kept=np.arange(400), copies=numbered_copies(texts))


@pytest.fixture
def embedded(monkeypatch):
    monkeypatch.setattr("embedlab.training.live.tokenize", lambda encoder, texts: texts)
    monkeypatch.setattr(
        "embedlab.training.live.embed_tokens",
        lambda encoder, tokens, **how: encoder.vectors[[int(text.split()[1]) for text in tokens]],
    )


def vectors_of(corpus, noise: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    classes = np.array([int(label.split()[1]) for label in corpus.labels])
    return (np.eye(4)[classes] + noise * rng.normal(size=(400, 4))).astype(np.float32)


def test_a_live_point_of_the_whole_protocol_is_the_final_protocols_value(corpus, embedded):
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    live = live_texts(split, development_split(split, corpus.copies), corpus.labels)
    vectors = vectors_of(corpus, 0.5)
    point = LiveCurve(corpus=corpus, texts=live, device="cpu").measure(Lookup(vectors))
    given = {"embeddings": vectors, "labels": corpus.labels}
    for distance in (COSINE, EUCLIDEAN):
        tested = knn_accuracy(**given, split=split, distance=distance)
        chosen = knn_accuracy(**given, split=development_split(split, corpus.copies), distance=distance)
        for measured, found in ((point.test, tested), (point.development, chosen)):
            own = measured.by(distance)
            assert (own.value, own.error) == pytest.approx((found.value, found.standard_error))
    assert point.score == point.development.cosine.value and point.test.cosine != point.test.euclidean
    row = point.as_row()
    assert from_row(row["knn"]) == point.test and from_row(row["development_knn"]) == point.development
    assert row["development_texts"] == 36 and row["test_texts"] == len(split.test)


def test_a_live_point_has_the_cheap_diagnostics_of_the_same_few_texts(corpus, embedded, monkeypatch):
    monkeypatch.setattr(
        "embedlab.training.live.crops", lambda text, config: [text, f"text {int(text.split()[1]) // 2}"]
    )
    vectors = vectors_of(corpus, 0.5)
    curve = LiveCurve(corpus=corpus, texts=None, device="cpu")
    row = curve.measure(Lookup(vectors)).as_row()
    watched = vectors[[int(curve.texts[place].split()[1]) for place in curve.watched]]
    assert row["uniformity"] == pytest.approx(uniformity(watched), abs=1e-4)
    assert row["mean_cosine"] == pytest.approx(mean_cosine(watched), abs=1e-4)
    assert row["hubness"] == pytest.approx(hubness(watched), abs=1e-3) and 0 < row["alignment"] < 4
    assert set(LIVE_DIAGNOSTICS) <= set(row)
    assert row["alignment"] == curve.measure(Lookup(vectors)).as_row()["alignment"]  # the same crops every time


def test_development_texts_are_never_their_own_neighbors(corpus, embedded):
    """With vectors that say nothing a text that found itself would still be right by one vote more than chance."""
    corpus.labels = np.array([f"own {number // 2}" for number in range(400)], object)  # two texts a class
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    live = live_texts(split, development_split(split, corpus.copies), corpus.labels)
    noise = np.random.default_rng(1).normal(size=(400, 4)).astype(np.float32)
    point = LiveCurve(corpus=corpus, texts=live, device="cpu").measure(Lookup(noise))
    assert point.development.euclidean.value < 0.1


def test_the_best_step_follows_development_texts_whatever_the_test_texts_say(corpus, embedded):
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    live = live_texts(split, development_split(split, corpus.copies), corpus.labels)
    curve = LiveCurve(corpus=corpus, texts=live, device="cpu")
    good_on_development, good_on_test = vectors_of(corpus, 0.3), vectors_of(corpus, 0.3)
    good_on_development[live.test] = np.roll(good_on_development[live.test], 1, axis=1)
    good_on_test[live.development] = np.roll(good_on_test[live.development], 1, axis=1)
    training = SimpleNamespace(encoder=None)
    best = BestStep(training)
    for steps, vectors in ((1, good_on_test), (2, good_on_development), (3, good_on_test)):
        training.encoder = Lookup(vectors)
        step = TrainingStep(steps, texts=0, seconds=0.0, learning_rate=0.0, terms={})
        best.at_live_point(LiveMoment(step, point=curve.measure(training.encoder)))
    assert best.steps == 2 and best.points_since == 1
    assert np.array_equal(best.weights["vectors"], good_on_development)


def test_a_curve_may_take_a_fifth_of_the_time():
    # eight points of one second in 40 seconds: 32 s of training pay for 8
    assert fits_in_its_share(of_point=1.0, of_training=4 * LEAST_POINTS)
    assert not fits_in_its_share(of_point=1.0, of_training=4 * LEAST_POINTS - 0.1)
    # 96,000 tokens of training pay for 24,000: 300 texts of ten tokens at each of eight points
    assert texts_in_their_share(of_text=10.0, of_training=96_000.0) == 300
    assert texts_in_their_share(of_text=10.0, of_training=1.0) == LEAST_TEXTS
