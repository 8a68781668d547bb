"""The task evaluate with post-processing steps: numbers of both embeddings beside the raw ones, kept in the run."""

import numpy as np
import pytest
from doing import do, result_of

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import CorpusError
from embedlab.postprocessing import POSTPROCESSING
from embedlab.store_root import read_json
from embedlab.tasks.measure.embedded import load_embeddings, measure, save_embeddings, split_of
from embedlab.tasks.measure.post import measured_post


def test_each_step_is_measured_before_and_after_and_kept_beside_other_metrics(tiny, token_run):
    do("evaluate", {"run": token_run.id, "metrics": ["knn"]})
    do("evaluate", {"run": token_run.id, "post": ["whiten"]})
    do("evaluate", {"run": token_run.id, "post": ["centre"]})
    found = read_json(token_run.evaluations)
    assert set(found) == {"metrics", "post"} and set(found["post"]) == {"raw", "whiten", "centre"}
    knn, raw = result_of(token_run)["knn"], found["post"]["raw"]
    assert [raw[name]["value"] for name in ("before", "after")] == pytest.approx([knn["before"], knn["after"]])
    assert [raw[name]["cosine"] for name in ("before", "after")] == pytest.approx(
        [knn["cosine"]["before"], knn["cosine"]["after"]]
    )
    corpus = open_corpus(tiny["corpus"])
    for key in ("whiten", "centre"):
        for name in ("before", "after"):
            step = POSTPROCESSING[key]
            vectors = step.fit_transform(load_embeddings(token_run, name), corpus.kept, step.config_class()).embeddings
            expected = measure(vectors, corpus, split_of(corpus)[0])
            row = found["post"][key][name]
            assert (row["value"], row["cosine"]) == (expected.euclidean.value, expected.cosine.value)
            against = row["against_raw"]["euclidean"]
            assert against["difference"] == pytest.approx(row["value"] - raw[name]["value"])
            assert against["low"] <= against["difference"] <= against["high"]
            cosine = row["against_raw"]["cosine"]["difference"]
            assert cosine == pytest.approx(row["cosine"] - raw[name]["cosine"])
            assert row["texts"] == 120 and row["test_texts"] == 12 and row["protocol"] == "paper"
    assert found["post"]["centre"]["before"]["value"] == raw["before"]["value"]


def test_bert_flow_reports_its_bits_per_dimension(token_run):
    do("evaluate", {"run": token_run.id, "post": ["flow"]})
    row = read_json(token_run.evaluations)["post"]["flow"]["after"]
    assert row["bits_per_dimension"] < row["bits_per_dimension_start"] and 0 <= row["cosine"] <= 1


def test_collapsed_embeddings_are_told_and_the_others_are_measured(token_run, tiny):
    corpus = open_corpus(tiny["corpus"])
    save_embeddings(token_run, "after", np.ones((corpus.info.rows, 6), np.float32))
    do("evaluate", {"run": token_run.id, "post": ["centre"]})
    row = read_json(token_run.evaluations)["post"]["centre"]
    assert "all 120 have the same vector" in row["after"]["refused"] and 0 <= row["before"]["value"] <= 1


def test_what_was_not_trained_is_fitted_once(tiny, token_run):
    corpus = open_corpus(tiny["corpus"])
    vectors, seen = np.asarray(load_embeddings(token_run, "before")), []
    found = measured_post(
        ["whiten"],
        {"before": vectors, "after": vectors},
        corpus,
        split_of(corpus)[0],
        lambda stage, done=0, total=0: seen.append(stage),
    )
    assert found["whiten"]["before"] == found["whiten"]["after"] and seen == ["Whitening 120 texts, before"]


def test_without_labels_it_says_so(tiny, toy_corpus):
    bare = store_corpus(Draft(name="bare", source="bare", texts=toy_corpus.texts))
    run = do("train", {**tiny, "corpus": bare.info.fingerprint})
    with pytest.raises(CorpusError, match="needs labels"):
        do("evaluate", {"run": run.id, "post": ["centre"]})


def test_the_parts_file_has_a_card_of_every_step(store):
    from embedlab.jobs.parts_file import read_parts

    do("parts", {})
    cards = read_parts()["postprocessing"]
    assert [card["key"] for card in cards] == POSTPROCESSING.keys()
    assert all(card["title"] and card["sentence"] and card["formula"] and card["paper"] for card in cards)
    assert cards[2]["schema"]["properties"]["learning_rate"]["default"] == 1e-3
