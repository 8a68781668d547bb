"""The live picture of a run compares like with like: one set of texts, chosen once, for the line and its references."""

import numpy as np
import pytest
import torch
from doing import do, result_of

from embedlab.corpora.base import open_corpus
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.measurement import from_row
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import development_split, paper_split
from embedlab.metrics.tfidf import svd_embeddings, tfidf_embeddings
from embedlab.progress import silent
from embedlab.runs.curve import live_facts
from embedlab.runs.store import read_rows
from embedlab.tasks.fine_tune.listeners import live_accuracy
from embedlab.tasks.fine_tune.listeners.live_accuracy import LiveChoice
from embedlab.tasks.fine_tune.opening import open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.measure.embedded import load_embeddings
from embedlab.training.live import LiveCurve


def live_rows(folder) -> list[dict]:
    return [row for row in read_rows(folder.metrics) if not row["full"]]


def test_a_whole_line_begins_and_ends_at_the_final_numbers_by_both_distances(token_run):
    result, line = result_of(token_run), live_rows(token_run)
    facts = live_facts(token_run)
    assert facts.is_whole and facts.test_texts == result["knn"]["test_texts"]
    for distance in DISTANCES:
        knn = result["knn"] if distance == EUCLIDEAN else result["knn"][COSINE]
        first, last = (from_row(row["knn"]).by(distance).value for row in (line[0], line[-1]))
        assert (first, last) == pytest.approx((knn["before"], knn["after"]))
        tfidf, svd = (facts.references[name].measured.by(distance).value for name in ("tfidf", "svd"))
        assert (tfidf, svd) == (result["references"]["tfidf"]["value"], result["references"]["svd"][COSINE])


def test_of_a_sample_the_references_are_measured_on_the_sample_too(tiny, monkeypatch):
    monkeypatch.setattr(LiveChoice, "fits_by_time", lambda choice, curve: False)  # as where a point takes long
    folder = do("train", {**tiny, "live_texts": 60})
    corpus, facts = open_corpus(tiny["corpus"]), live_facts(folder)
    assert not facts.is_whole and facts.neighbors + facts.test_texts == 60
    # as the run drew it: live.json says which kind, seed and size say which texts
    live = prepared(open_run(folder, settings_of(tiny, live_texts=60), corpus, silent)).live
    words = tfidf_embeddings(corpus.texts)
    for name, vectors in (("tfidf", words), ("svd", svd_embeddings(words))):
        for distance in DISTANCES:
            found = knn_accuracy(
                embeddings=vectors, labels=corpus.labels, split=live.tested(live.test), distance=distance
            )
            assert facts.references[name].measured.by(distance).value == pytest.approx(found.value)
    before = np.asarray(load_embeddings(folder, "before"))
    first = knn_accuracy(embeddings=before, labels=corpus.labels, split=live.tested(live.test), distance=COSINE)
    assert from_row(live_rows(folder)[0]["knn"]).cosine.value == pytest.approx(first.value)
    assert {row["test_texts"] for row in live_rows(folder)} == {len(live.test)}


def test_the_untouched_encoder_is_measured_once_though_a_point_is_timed_before_the_first_step(tiny, monkeypatch):
    measured, measure = [], LiveCurve.measure
    monkeypatch.setattr(live_accuracy, "fits_in_its_share", lambda of_point, of_training: True)
    monkeypatch.setattr(LiveCurve, "measure", lambda *given: measured.append(given) or measure(*given))
    line = live_rows(do("train", {**tiny, "live_texts": 60}))
    assert len(measured) == len(line) > 1
    assert line[0]["step"] == 0 and line[0]["spread"] != line[-1]["spread"]


def test_every_reference_has_one_value_for_both_distances_because_its_rows_have_length_one(toy_corpus):
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    words = tfidf_embeddings(toy_corpus.texts)
    for vectors in (words, svd_embeddings(words)):
        both = [
            knn_accuracy(embeddings=vectors, labels=toy_corpus.labels, split=split, distance=each) for each in DISTANCES
        ]
        assert both[0].correct.tolist() == both[1].correct.tolist()


def test_the_result_has_cosine_with_its_own_interval_beside_euclidean(token_run):
    result = result_of(token_run)
    knn, cosine = result["knn"], result["knn"][COSINE]
    assert {"before", "after", "best", "difference", "low", "high"} <= cosine.keys() and "verdict" not in cosine
    assert cosine["low"] <= cosine["difference"] <= cosine["high"]
    assert cosine["difference"] == pytest.approx(cosine["after"] - cosine["before"])
    assert knn["difference"] == pytest.approx(knn["after"] - knn["before"])
    assert result["difference"] == result["folds"][COSINE]["difference"]
    assert result["saw_labels"] is False and result["folds"][COSINE]["n"] == result["folds"]["n"]


def test_the_development_value_is_of_the_whole_part_and_the_encoder_that_is_opened(tiny):
    folder = do("train", {**tiny, "live_texts": 60})
    corpus, result = open_corpus(tiny["corpus"]), result_of(folder)
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    development = development_split(split, corpus.copies)
    after = np.asarray(load_embeddings(folder, "after"))
    found = knn_accuracy(embeddings=after, labels=corpus.labels, split=development, distance=COSINE)
    assert result["development"]["texts"] == len(development.test) > live_rows(folder)[0]["development_texts"] * 0.9
    assert result["development"][COSINE]["after"] == pytest.approx(found.value)


def test_trying_how_long_a_step_takes_changes_nothing_of_the_run(tiny):
    """A token layer is timed by a few real steps, which are undone."""
    corpus = open_corpus(tiny["corpus"])
    asked = {**tiny, "live_texts": 60}
    opened = open_run(do("train", asked), settings_of(asked), corpus, silent)
    encoder = opened.encoder
    weights = encoder.embedding.weight.detach().clone()
    training = prepared(opened)
    planned, optimiser = training.planned, training.optimiser
    random = torch.random.get_rng_state()
    assert training.trial_seconds_a_step() > 0
    assert torch.equal(encoder.embedding.weight, weights) and torch.equal(torch.random.get_rng_state(), random)
    assert training.planned == planned and training.optimiser is not optimiser
    assert training.optimiser.steps == planned and training.optimiser.rate(planned // 2) > 0


def settings_of(asked: dict, **more):
    from embedlab.config import validated
    from embedlab.training.settings import RunSettings

    return validated(RunSettings, {**asked, **more})
