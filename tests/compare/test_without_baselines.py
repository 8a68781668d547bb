"""Where TF-IDF does not stand beside the runs of a comparison, the comparison says why."""

import shutil

import pytest
from builders import leave_result, leave_state

from embedlab.comparison.rows import compared_rows
from embedlab.comparison.sheet import comparison_sheet, why_no_baselines
from embedlab.runs.evaluations import baseline_folder
from embedlab.runs.store import create_run
from embedlab.store_root import store_root, write_json


@pytest.fixture
def run(toy_corpus):
    run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    leave_state(run, corpus=toy_corpus)
    return run


def test_a_run_of_labels_that_give_no_accuracy_says_which(run, toy_corpus):
    message = "kNN accuracy needs two classes, but all 48 labeled texts are 'a'; training and maps work without it."
    leave_result(run, toy_corpus, warnings=[{"code": "W-ONE-CLASS", "message": message}])
    assert why_no_baselines(compared_rows([run])) == [f"TF-IDF is missing on toy: {message}"]


def test_a_corpus_that_is_gone_is_the_reason_and_a_measured_baseline_needs_none(run, toy_corpus):
    leave_result(run, toy_corpus)
    rows = compared_rows([run])
    assert why_no_baselines(rows) == ["TF-IDF is missing on toy: it was not measured yet. Evaluate measures baselines."]
    assert why_no_baselines(rows)[0] in comparison_sheet(rows, {}).notes
    folder = baseline_folder(toy_corpus.fingerprint, "corpus", "tfidf")
    folder.mkdir(parents=True)
    write_json(folder / "evaluations.json", {"metrics": {}})
    assert why_no_baselines(compared_rows([run])) == []
    shutil.rmtree(store_root() / "corpora" / toy_corpus.fingerprint)
    (said,) = why_no_baselines(compared_rows([run]))
    assert said.startswith("TF-IDF is missing on toy: the corpus is no longer in the store")
    assert "was not measured on this set" in why_no_baselines(compared_rows([run], source="f"), "f")[0]
