"""Accuracy of the last layer is the result's: its vectors, its texts, its folds, by both distances."""

from dataclasses import replace

import numpy as np
import pytest
from doing import do

from embedlab.corpora.base import open_corpus
from embedlab.diagnostics.layerwise import LayerwiseConfig
from embedlab.distance import DISTANCES
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.metrics.knn import knn_by_both
from embedlab.metrics.split import sampled_splits
from embedlab.progress import silent
from embedlab.runs.evaluations import read_diagnosed, read_layers
from embedlab.runs.label_lineage import labels_read_of_both
from embedlab.runs.predictions import folds_of
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of
from embedlab.tasks.measure import folds
from embedlab.tasks.measure.diagnose import encoder_loaders, looked_at
from embedlab.tasks.measure.layers import layers_of_run

TINY = {"encoder": "scratch:bert-tiny", "recipe": "simcse", "vocabulary_size": 300, "max_steps": 2, "batch_size": 8,
        "maps": False, "live_texts": 0}  # fmt: skip


def accuracies(result, distance) -> list[float]:
    """Before and after, by ten folds where the result has them, else on the test texts."""
    measured = result.folds or result.knn
    return [side.by(distance).value for side in (measured.before, measured.after)]


def of_last_layer(curves, distance) -> list[float]:
    """Before and after, by the encoder's own pooling."""
    rows = [row for row in curves.layers if row.pooling == curves.pooling]
    last = max(rows, key=lambda row: row.layer)
    return [last.before.knn.by(distance).value, last.after.knn.by(distance).value]


@pytest.mark.parametrize("pooling", ["mean", "cls", "mean+max"])
def test_the_last_layer_has_the_accuracy_of_the_result(toy_corpus, pooling):
    run = do("train", {**TINY, "corpus": toy_corpus.fingerprint, "pooling": pooling})
    curves, result = layers_of_run(run, silent), read_result(run)
    assert curves.model_dump() == read_layers(run).model_dump()
    assert (curves.protocol, curves.sampled) == ("folds", False)
    assert result.folds is not None and curves.test_texts == result.folds.after.either.n
    for distance in DISTANCES:
        assert of_last_layer(curves, distance) == pytest.approx(accuracies(result, distance), abs=1e-12)


def test_the_diagnostic_agrees_with_the_page(layered_run):
    curves = layers_of_run(layered_run, silent)
    do("diagnose", {"run": layered_run.id, "keys": ["layers"]})
    stored = read_diagnosed(layered_run, "layers")
    for state in ("before", "after"):
        found = [
            (row["layer"], row["pooling"], row["knn"]["cosine"]["value"]) for row in getattr(stored, state)["rows"]
        ]
        assert found == [(row.layer, row.pooling, getattr(row, state).knn.cosine.value) for row in curves.layers]


def test_the_stored_vectors_are_read_and_not_made_again(layered_run):
    """Three times as long, they are told from those that the encoder makes."""
    corpus = open_corpus(fingerprint_of(layered_run))
    load, stored = encoder_loaders(layered_run)["after"]
    view = looked_at({"after": (load, lambda: 3 * stored())}, corpus, silent, of=layered_run)["after"]
    made = view.embed([corpus.texts[row] for row in corpus.kept])
    layers = view.layers(corpus.kept, ["mean", "cls"])
    np.testing.assert_allclose(layers["mean"][-1], 3 * made, atol=1e-5)
    as_stored = looked_at({"after": (load, stored)}, corpus, silent, of=layered_run)["after"]
    by_another_pooling = as_stored.layers(corpus.kept, ["cls"])["cls"][-1]
    assert view.encoder.pooling == "mean"
    np.testing.assert_allclose(layers["cls"][-1], by_another_pooling, atol=1e-5)


def test_each_text_is_predicted_as_in_the_result(layered_run):
    corpus = open_corpus(fingerprint_of(layered_run))
    for state, view in looked_at(encoder_loaders(layered_run), corpus, silent, of=layered_run).items():
        vectors = view.layers(np.arange(corpus.info.rows), ["mean"])["mean"][-1]
        found = knn_by_both(embeddings=vectors, labels=corpus.labels, splits=view.folds)
        for distance in DISTANCES:
            predicted = folds_of(layered_run, distance)
            assert found.by(distance).test_rows.tolist() == predicted.rows.tolist()
            assert found.by(distance).predictions.tolist() == getattr(predicted, state).tolist()


def test_of_an_encoder_that_read_labels_the_test_texts_are_measured(toy_corpus):
    run = do("train", {**TINY, "corpus": toy_corpus.fingerprint, "recipe": "supervised"})
    curves, result = layers_of_run(run, silent), read_result(run)
    assert curves.protocol == "paper" and result.folds is None and labels_read_of_both(run).saw_labels
    assert curves.test_texts == result.knn.test_texts
    for distance in DISTANCES:
        assert of_last_layer(curves, distance) == pytest.approx(accuracies(result, distance), abs=1e-12)


def test_a_result_without_folds_is_met_on_its_test_texts(toy_corpus, monkeypatch):
    monkeypatch.setattr(folds, "LIMITS", replace(LIMITS, fold_texts=100))
    run = do("train", {**TINY, "corpus": toy_corpus.fingerprint})
    monkeypatch.setattr(folds, "LIMITS", LIMITS)
    curves, result = layers_of_run(run, silent), read_result(run)
    assert result.folds is None and curves.protocol == "paper" and curves.test_texts == result.knn.test_texts
    assert of_last_layer(curves, "cosine") == pytest.approx(accuracies(result, "cosine"), abs=1e-12)


def test_a_sample_keeps_the_fold_of_each_text(layered_run):
    curves = layers_of_run(layered_run, silent, config=LayerwiseConfig(at_most=60))
    assert curves.sampled and (curves.texts, curves.of) == (60, 120)
    corpus = open_corpus(fingerprint_of(layered_run))
    splits = looked_at(encoder_loaders(layered_run), corpus, silent, of=layered_run)["before"].folds
    sampled = sampled_splits(splits, corpus.labels, size=60, seed=0)
    of_text = {row: number for number, fold in enumerate(splits) for row in fold.test.tolist()}
    for part in sampled:
        (fold,) = {of_text[row] for row in part.test.tolist()}
        assert all(of_text.get(row) != fold for row in part.train.tolist())
    assert curves.test_texts == sum(len(part.test) for part in sampled) > 45


def test_a_corpus_without_labels_is_refused(toy_corpus, store):
    from embedlab.corpora.base import Draft, store_corpus

    bare = store_corpus(Draft(name="bare", source="test", texts=toy_corpus.texts))
    run = do("train", {**TINY, "corpus": bare.fingerprint})
    with pytest.raises(CorpusError):
        layers_of_run(run, silent)
