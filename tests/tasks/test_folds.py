"""Ten folds over the labeled texts that choose nothing: what a run keeps of them, their graph, a job, limits, Stop."""

import dataclasses
import os
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from builders import change_result
from doing import do, result_of
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from embedlab.copies import normalised
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
from embedlab.tasks.measure.line_texts import LineTexts


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


def rows_that_choose_nothing(corpus) -> np.ndarray:
    """The labelled rows that are no development text: scikit-learn's split of the train part, and no copy of one."""
    split, _ = split_of(corpus)
    _, chosen = train_test_split(split.train, test_size=0.1, random_state=43)
    choosing = {normalised(corpus.texts[row]) for row in chosen}
    return np.array([row for row in corpus.labelled if normalised(corpus.texts[row]) not in choosing])


@pytest.fixture
def gappy(toy_corpus) -> str:
    """The toy corpus with two empty rows in front and every seventh label missing."""
    labels = [None if row % 7 == 3 else label for row, label in enumerate(toy_corpus.labels)]
    texts = ["", *toy_corpus.texts[:50], "   ", *toy_corpus.texts[50:]]
    labels = ["law", *labels[:50], "law", *labels[50:]]
    return store_corpus(Draft(name="gappy", source="toy", texts=texts, labels=labels)).fingerprint


def test_every_text_that_chooses_nothing_is_predicted_as_scikit_learn_does_also_behind_empty_rows(tiny, gappy):
    folder = do("train", {**tiny, "corpus": gappy})
    corpus, table = open_corpus(gappy), a_table(folder)
    tested = rows_that_choose_nothing(corpus)
    assert table["row"] == tested.tolist() and 0 not in table["row"] and 51 not in table["row"]
    labels, is_tested = corpus.labels[corpus.labelled].astype(str), np.isin(corpus.labelled, tested)
    assert table["label"] == labels[is_tested].tolist()
    for name in ("before", "after"):
        said = by_sklearn(np.asarray(load_embeddings(folder, name))[corpus.labelled], labels)
        assert table[name] == said[is_tested].tolist()
        assert 1 <= min(table[f"{name}_votes"]) and max(table[f"{name}_votes"]) <= 10
    folds = np.empty(len(labels), int)
    for fold, (_, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=42).split(labels, labels)):
        folds[test] = fold
    assert table["fold"] == folds[is_tested].tolist()


def test_a_copy_of_a_text_that_chooses_is_not_tested_either(tiny, toy_corpus):
    texts, labels = list(toy_corpus.texts), list(toy_corpus.labels)
    split, _ = split_of(toy_corpus)
    _, chosen = train_test_split(split.train, test_size=0.1, random_state=43)
    copied = store_corpus(Draft(
        name="copied", source="toy", texts=[*texts, texts[chosen[0]].upper()], labels=[*labels, labels[chosen[0]]]
    )).fingerprint  # fmt: skip
    folder = do("train", {**tiny, "corpus": copied})
    corpus, rows = open_corpus(copied), a_table(folder)["row"]
    assert rows == rows_that_choose_nothing(corpus).tolist()
    numbers = corpus.copies
    tested, left_out = set(numbers[rows]), set(numbers[np.setdiff1d(corpus.labelled, rows)])
    assert not tested & left_out and result_of(folder)["folds"]["untested"] == len(corpus.labelled) - len(rows)


def test_the_verdict_is_that_of_ten_folds_by_cosine(token_run):
    result = result_of(token_run)
    folds, by_cosine = result["folds"], result["folds"]["cosine"]
    assert result["decided_by"] == {"distance": "cosine", "protocol": "folds", "n": folds["n"]}
    assert [result[key] for key in ("difference", "low", "high")] == [
        by_cosine[key] for key in ("difference", "low", "high")
    ]
    table = pq.ParquetFile(token_run.predictions_by_folds).read().to_pydict()
    labels = np.array(table["label"])
    after, before = (np.array(table[f"{side}_cosine"]) == labels for side in ("after", "before"))
    changes = after.astype(float) - before
    assert result["difference"] == pytest.approx(changes.mean())
    outcome = "unclear" if result["low"] <= 0 <= result["high"] else "helped" if result["low"] > 0 else "hurt"
    assert result["outcome"] == outcome


def test_the_result_has_the_verdict_against_the_references_and_over_ten_folds(token_run):
    result, table = result_of(token_run), a_table(token_run)
    assert "against TF-IDF " in result["verdict"] and "against TF-IDF → SVD-100 " in result["verdict"]
    assert set(result["against"]) == {"tfidf", "svd"} and set(result["against"]["svd"]) == {"difference", "low", "high"}
    folds, labels = result["folds"], np.array(table["label"])
    assert folds["n"] == 109 and folds["untested"] == 11 and set(folds["against"]) == {"tfidf", "svd"}
    assert folds["after"] == (np.array(table["after"]) == labels).mean()
    change = (np.array(table["after"]) == labels) * 1.0 - (np.array(table["before"]) == labels)
    assert folds["difference"] == pytest.approx(change.mean())
    assert folds["low"] < folds["difference"] < folds["high"]
    to_tfidf = folds["after"] - np.mean(table["tfidf"])
    assert folds["against"]["tfidf"]["difference"] == pytest.approx(to_tfidf)
    assert folds["sentence"].startswith("Over ten folds of 109 labeled texts: kNN accuracy ")
    assert "folds" not in result["references"]["tfidf"] and "correct_rows" not in result["references"]["tfidf"]


def test_a_run_that_changes_nothing_has_an_interval_around_nought(tiny):
    result = result_of(do("train", {**tiny, "learning_rate": 1e-9}))
    assert result["outcome"] == "unclear"
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
    with corpus_cache.reference_lines_aside(LineTexts.whole(toy_corpus), silent) as lines_of:
        pass
    folds = corpus_cache.reference_folds_of(LineTexts.whole(toy_corpus), silent)
    assert len(fitted) == 1 and set(lines_of()) == set(folds) == {"tfidf", "svd"}
    split, _ = split_of(toy_corpus)
    alone = reference_lines(toy_corpus.texts, toy_corpus.labels, split, protocol="folds")
    right = {key: each.test_rows[each.correct] for key, each in alone.items()}
    assert all(np.array_equal(folds[key].correct_rows, right[key]) for key in folds)


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


def test_with_too_many_labelled_texts_the_verdict_is_of_the_test_texts_and_says_so(tiny, monkeypatch):
    from embedlab.tasks.measure import folds

    monkeypatch.setattr(folds, "LIMITS", dataclasses.replace(folds.LIMITS, fold_texts=119))
    folder = do("train", tiny)
    result = result_of(folder)
    assert result["folds"] is None and not folder.predictions_by_folds.exists()
    assert result["decided_by"] == {"distance": "cosine", "protocol": "paper", "n": result["knn"]["test_texts"]}
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
