"""Ten folds over all labeled texts: what a run keeps of them, the graph they read, a job, limits, Stop."""

import dataclasses
import os
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from builders import change_result
from doing import do, result_of
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.distance import DISTANCES
from embedlab.errors import CorpusError, RunError, StopRequested
from embedlab.metrics.tfidf import reference_lines, reference_vectors
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.progress import silent
from embedlab.runs.predictions import folds_of
from embedlab.runs.store import create_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.draw.drawing import graph_of
from embedlab.tasks.fine_tune.results import EncoderAccuracies, predict
from embedlab.tasks.measure import corpus_cache
from embedlab.tasks.measure.embedded import load_embeddings, measure, split_of


def a_table(folder) -> dict:
    """``predictions_folds.parquet`` as columns, what is said by Euclidean distance without its name."""
    table = pq.ParquetFile(folder.predictions_by_folds).read().to_pydict()
    return {name.removesuffix("_euclidean"): column for name, column in table.items()}


def by_sklearn(embeddings: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The predictions of a classifier of another make by the same shuffled folds."""
    said = np.empty(len(labels), object)
    for train, test in StratifiedKFold(10, shuffle=True, random_state=42).split(embeddings, labels):
        judge = KNeighborsClassifier(10, algorithm="brute").fit(embeddings[train].astype(float), labels[train])
        said[test] = judge.predict(embeddings[test].astype(float))
    return said


@pytest.fixture
def gappy(toy_corpus) -> str:
    """The toy corpus with two empty rows in front and every seventh label missing."""
    labels = [None if row % 7 == 3 else label for row, label in enumerate(toy_corpus.labels)]
    texts = ["", *toy_corpus.texts[:50], "   ", *toy_corpus.texts[50:]]
    labels = ["law", *labels[:50], "law", *labels[50:]]
    return store_corpus(Draft(name="gappy", source="toy", texts=texts, labels=labels)).fingerprint


def test_every_labelled_text_is_predicted_as_scikit_learn_does_also_behind_empty_rows(tiny, gappy):
    folder = do("train", {**tiny, "corpus": gappy})
    corpus, table = open_corpus(gappy), a_table(folder)
    assert table["row"] == corpus.labelled.tolist() and 0 not in table["row"] and 51 not in table["row"]
    labels = corpus.labels[corpus.labelled].astype(str)
    assert table["label"] == labels.tolist()
    for name in ("before", "after"):
        assert table[name] == by_sklearn(np.asarray(load_embeddings(folder, name))[corpus.labelled], labels).tolist()
        assert 1 <= min(table[f"{name}_votes"]) and max(table[f"{name}_votes"]) <= 10
    for fold, (_, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=42).split(labels, labels)):
        assert np.flatnonzero(np.array(table["fold"]) == fold).tolist() == test.tolist()


def test_the_result_has_the_verdict_against_the_references_and_over_all_labelled_texts(token_run):
    result, table = result_of(token_run), a_table(token_run)
    assert "against TF-IDF " in result["verdict"] and "against TF-IDF → SVD-100 " in result["verdict"]
    assert set(result["against"]) == {"tfidf", "svd"} and set(result["against"]["svd"]) == {"difference", "low", "high"}
    folds, labels = result["folds"], np.array(table["label"])
    assert folds["n"] == 120 and set(folds["against"]) == {"tfidf", "svd"}
    assert folds["after"] == (np.array(table["after"]) == labels).mean()
    change = (np.array(table["after"]) == labels) * 1.0 - (np.array(table["before"]) == labels)
    assert folds["difference"] == pytest.approx(change.mean())
    assert folds["low"] < folds["difference"] < folds["high"]
    to_tfidf = folds["after"] - np.mean(table["tfidf"])
    assert folds["against"]["tfidf"]["difference"] == pytest.approx(to_tfidf)
    assert folds["sentence"].startswith("Over all 120 labeled texts over ten folds: kNN accuracy ")
    assert "folds" not in result["references"]["tfidf"] and "correct_rows" not in result["references"]["tfidf"]


def test_a_run_that_changes_nothing_has_an_interval_around_nought(tiny):
    result = result_of(do("train", {**tiny, "learning_rate": 1e-9}))
    assert result["verdict"].startswith("Too few test texts: ")
    assert result["low"] < result["difference"] < result["high"]
    assert result["folds"]["low"] < 0 < result["folds"]["high"]


def test_untouched_is_predicted_too_but_has_no_change(tiny):
    folder = do("train", {**tiny, "recipe": "untouched"})
    table, folds = a_table(folder), result_of(folder)["folds"]
    assert table["before"] == table["after"] and folds["before"] == folds["after"]
    assert "difference" not in folds and "sentence" not in folds


def test_the_map_that_follows_reads_the_same_graphs(token_run):
    files = [token_run.neighbors(name, "euclidean") / "graph.json" for name in ("before", "after")]
    made = [file.stat().st_mtime_ns for file in files]
    do("map", {"run": token_run.id, "method": "pca"})
    assert [file.stat().st_mtime_ns for file in files] == made


def test_a_graph_older_than_its_embeddings_is_computed_anew(token_run):
    path = token_run.neighbors("after", "euclidean")
    stale = NeighborGraph.load(path)
    other = np.random.default_rng(0).normal(size=(120, 5)).astype(np.float32)
    np.save(token_run.embeddings("after"), other)
    later = (path / "graph.json").stat().st_mtime_ns + 1_000_000
    os.utime(token_run.embeddings("after"), ns=(later, later))
    again = graph_of(token_run, "after", other, lambda *said: None)
    assert (again.indices == neighbor_graph(other).indices).all() and not (again.indices == stale.indices).all()


def test_the_reference_lines_are_fitted_once_for_the_verdict_and_the_folds(toy_corpus, monkeypatch):
    fitted = []

    def counting(texts):
        fitted.append(len(texts))
        return reference_vectors(texts)

    monkeypatch.setattr(corpus_cache, "reference_vectors", counting)
    with corpus_cache.reference_lines_aside(toy_corpus, silent) as lines_of:
        pass
    folds = corpus_cache.reference_folds_of(toy_corpus, silent)
    assert len(fitted) == 1 and set(lines_of()) == set(folds) == {"tfidf", "svd"}
    split, _ = split_of(toy_corpus)
    alone = reference_lines(toy_corpus.texts, toy_corpus.labels, split, protocol="folds")
    assert all(np.array_equal(folds[key], alone[key].correct) for key in folds)


def test_a_references_file_without_folds_gets_them_and_keeps_its_lines(tiny):
    do("train", tiny)
    file = open_corpus(tiny["corpus"]).folder / "references-3.json"
    whole = read_json(file)
    write_json(file, {name: {k: v for k, v in line.items() if k != "folds"} for name, line in whole.items()})
    folder = do("train", tiny)
    assert read_json(file) == whole
    right = np.array(a_table(folder)["row"])[a_table(folder)["tfidf"]]
    assert right.tolist() == whole["tfidf"]["folds"]["correct_rows"]


def test_a_run_that_was_stopped_before_its_folds_gets_them_by_a_job(token_run):
    result, table = result_of(token_run), a_table(token_run)
    token_run.predictions_by_folds.unlink()
    change_result(token_run, folds=None)
    do("folds", {"run": token_run.id})
    assert a_table(token_run) == table and result_of(token_run) == result


def test_a_run_without_embeddings_is_refused_with_what_to_do(tiny):
    with pytest.raises(RunError, match="Choose one that is finished"):
        do("folds", {"run": create_run("train", tiny).id})


def test_too_many_labelled_texts_leave_the_second_line_out_and_say_so(tiny, monkeypatch):
    from embedlab.tasks.measure import folds

    monkeypatch.setattr(folds, "LIMITS", dataclasses.replace(folds.LIMITS, fold_texts=119))
    folder = do("train", tiny)
    result = result_of(folder)
    assert result["folds"] is None and not folder.predictions_by_folds.exists() and result["verdict"]
    (said,) = [warning["message"] for warning in result["warnings"] if warning["code"] == "W-NO-FOLDS"]
    assert "there are 120" in said and "limit of 119" in said
    with pytest.raises(CorpusError, match="skipped"):
        do("folds", {"run": folder.id})


def test_without_labels_there_are_no_folds(tiny):
    bare = store_corpus(Draft(name="bare", source="x", texts=open_corpus(tiny["corpus"]).texts)).fingerprint
    folder = do("train", {**tiny, "corpus": bare})
    assert result_of(folder)["folds"] is None and not folder.predictions_by_folds.exists()
    with pytest.raises(CorpusError, match="needs labels"):
        do("folds", {"run": folder.id})


def test_stop_while_the_folds_are_computed_keeps_the_result(tiny, monkeypatch):
    def stops(*asked, **named):
        raise StopRequested

    monkeypatch.setattr("embedlab.tasks.fine_tune.train.folds_of", stops)
    result = result_of(do("train", tiny))
    assert result["verdict"] and result["folds"] is None


@pytest.mark.parametrize("keeps_best", [True, False])
def test_a_run_that_ended_early_predicts_by_the_encoder_it_keeps(tiny, keeps_best):
    folder, corpus = create_run("train", tiny), open_corpus(tiny["corpus"])
    split, _ = split_of(corpus)
    rng = np.random.default_rng(0)
    encoders = {name: rng.normal(size=(corpus.info.rows, 3)).astype(np.float32) for name in ("before", "after", "best")}
    measured = {name: measure(embeddings, corpus, split) for name, embeddings in encoders.items()}
    predict(folder, corpus, EncoderAccuracies(**measured), SimpleNamespace(keeps_best=keeps_best))
    kept, other = ("best", "after") if keeps_best else ("after", "best")
    for distance in DISTANCES:
        said = folds_of(folder, distance, only_test_texts=True)
        assert said.before.tolist() == measured["before"].by(distance).predictions.tolist()
        assert said.after.tolist() == measured[kept].by(distance).predictions.tolist()
        assert said.after.tolist() != measured[other].by(distance).predictions.tolist()
