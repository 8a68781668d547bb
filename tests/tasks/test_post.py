"""The task evaluate with post-processing steps: numbers of both embeddings beside the raw ones, kept in the run."""

import numpy as np
import pytest
from doing import do, result_of

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import CorpusError
from embedlab.postprocessing import POSTPROCESSING
from embedlab.store_root import read_json
from embedlab.tasks.measure.embedded import load_embeddings, measure, save_embeddings, split_of
from embedlab.tasks.measure.evaluate import measured_post


def test_each_step_is_measured_before_and_after_and_kept_beside_other_metrics(tiny, token_run):
    do("evaluate", {"run": token_run.id, "metrics": ["knn"]})
    do("evaluate", {"run": token_run.id, "post": ["whiten"]})
    do("evaluate", {"run": token_run.id, "post": ["centre"]})
    found = read_json(token_run.evaluations)
    assert set(found) == {"metrics", "post"} and set(found["post"]) == {"raw", "whiten", "centre"}
    knn, raw = result_of(token_run)["knn"], found["post"]["raw"]
    for distance, told in (("euclidean", knn), ("cosine", knn["cosine"])):
        values = [raw[name]["knn"][distance]["value"] for name in ("before", "after")]
        assert values == pytest.approx([told["before"], told["after"]])
    corpus = open_corpus(tiny["corpus"])
    for key in ("whiten", "centre"):
        for name in ("before", "after"):
            step = POSTPROCESSING[key]
            vectors = step.fit_transform(load_embeddings(token_run, name), corpus.kept, step.config_class()).embeddings
            expected = measure(vectors, corpus, split_of(corpus)[0])
            row = found["post"][key][name]
            for distance in ("euclidean", "cosine"):
                value, against = row["knn"][distance]["value"], row["against_raw"][distance]
                assert value == expected.by(distance).value and row["knn"][distance]["n"] == 12
                assert against["difference"] == pytest.approx(value - raw[name]["knn"][distance]["value"])
                assert against["low"] <= against["difference"] <= against["high"]
            assert row["texts"] == 120 and row["protocol"] == "paper"
    assert found["post"]["centre"]["before"]["knn"]["euclidean"] == raw["before"]["knn"]["euclidean"]


def test_bert_flow_reports_its_bits_per_dimension(token_run):
    do("evaluate", {"run": token_run.id, "post": ["flow"]})
    row = read_json(token_run.evaluations)["post"]["flow"]["after"]
    assert row["bits_per_dimension"] < row["bits_per_dimension_start"]
    assert 0 <= row["knn"]["cosine"]["value"] <= 1


def test_collapsed_embeddings_are_told_and_the_others_are_measured(token_run, tiny):
    corpus = open_corpus(tiny["corpus"])
    save_embeddings(token_run, "after", np.ones((corpus.info.rows, 6), np.float32))
    do("evaluate", {"run": token_run.id, "post": ["centre"]})
    row = read_json(token_run.evaluations)["post"]["centre"]
    assert "all 120 have the same vector" in row["after"]["refused"]
    assert 0 <= row["before"]["knn"]["euclidean"]["value"] <= 1


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


def test_every_step_has_a_card():
    assert all(step.title and step.sentence and step.formula and step.paper for step in POSTPROCESSING)
    assert POSTPROCESSING["flow"].config_class().learning_rate == 1e-3
