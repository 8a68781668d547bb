"""What a run found by itself, read in the form of an evaluation."""

from math import sqrt

import pytest
from builders import both, folds, judged, knn, leave_result, lines

from embedlab.measurement import Difference
from embedlab.runs.result import (
    RunResult,
    accuracy_of,
    as_measured,
    awaits_folds,
    read_result,
    references_of,
    split_accuracy_of,
)
from embedlab.runs.state import State
from embedlab.runs.store import create_run
from embedlab.store_root import write_json

RESULT = {
    "stopped": False,
    "knn": knn((0.4, 0.6, 0.7), (0.5, 0.75, 0.8), n=100),
    "judged": both(judged((0.2, 0.1, 0.3)), judged((0.25, 0.2, 0.3))),
    "references": lines(n=100, tfidf=0.72),
}


def test_by_both_distances_under_the_names_of_an_evaluation():
    euclidean, cosine = (as_measured(RunResult.model_validate(RESULT), each) for each in ("euclidean", "cosine"))
    assert list(euclidean) == list(cosine) == ["knn"]
    euclidean, cosine = euclidean["knn"], cosine["knn"]
    assert list(euclidean) == list(cosine) == ["before", "after", "tfidf", "difference"]
    after = euclidean["after"]
    assert (after.value, cosine["after"].value, after.n) == (0.6, 0.75, 100)
    assert after.error == pytest.approx(sqrt(0.6 * 0.4 / 100))
    assert cosine["difference"] == Difference(0.25, 0.2, 0.3, 100) and cosine["tfidf"].value == 0.72


def test_the_accuracy_of_a_run_is_that_of_its_ten_folds_and_the_papers_split_has_its_own_name():
    """Of 400 texts 40 % before and 45 % after; TF-IDF 1 point below that."""
    tenfold = folds(0.4, 0.45, n=400, change_=(0.05, 0.01, 0.09), against={"tfidf": (0.01, -0.1, 0.1)})
    result = RunResult.model_validate({**RESULT, "folds": tenfold})
    accuracy, split = accuracy_of(result, "cosine"), split_accuracy_of(result, "cosine")
    assert (accuracy.after, accuracy.test_texts, accuracy.protocol) == (0.45, 400, "folds")
    assert (split.after, split.test_texts, split.protocol) == (0.75, 100, "paper")
    assert accuracy.standard_error == pytest.approx(sqrt(0.45 * 0.55 / 400)) and accuracy.change.low == 0.01
    assert references_of(result, "cosine")["tfidf"].value == pytest.approx(0.44)
    measured = as_measured(result, "cosine")
    assert list(measured) == ["knn/folds", "knn"] and measured["knn/folds"]["after"].value == 0.45
    assert accuracy_of(RunResult.model_validate(RESULT), "cosine").after == 0.75


@pytest.mark.parametrize(("state", "facts", "awaits"), [
    ("running", {}, True), ("finished", {}, False), ("stopped", {}, False), ("running", {"saw_labels": True}, False),
    ("running", {"knn": None}, False), ("running", {"warnings": [{"code": "W-NO-FOLDS", "message": ""}]}, False),
])  # fmt: skip
def test_there_is_no_word_while_ten_folds_are_predicted(state, facts, awaits):
    assert awaits_folds(RunResult.model_validate({**RESULT, **facts}), State(state)) == awaits


def test_what_changes_nothing_is_a_remark_and_what_does_is_none():
    codes = ("W-VECTORS", "I-VECTORS", "W-ENCODER-SIMILARITY", "I-ENCODER-POOLING", "W-COPIES")
    result = RunResult.model_validate({"warnings": [{"code": code, "message": code} for code in codes]})
    assert result.remarks(but={"W-COPIES"}) == ["I-VECTORS", "I-ENCODER-POOLING"]
    assert result.vector_faults == ["W-VECTORS"] and result.not_done == ["W-ENCODER-SIMILARITY"]


def test_of_a_stopped_run_the_encoder_that_is_opened_counts():
    assert as_measured(RunResult.model_validate({**RESULT, "stopped": True}), "euclidean")["knn"]["after"].value == 0.7


def test_a_run_without_labels_has_nothing():
    assert as_measured(RunResult(), "cosine") == {} and as_measured(None, "cosine") == {}


def test_a_result_by_one_distance_alone_or_with_a_key_of_its_own_is_none(store):
    run = create_run("train", {})
    kept = leave_result(run, **RESULT).model_dump(mode="json", exclude_unset=True)
    assert read_result(run) == RunResult.model_validate(kept)
    for damaged in ({**kept, "accuracy": 1}, {**kept, "knn": kept["knn"] | {"after": {"euclidean": {"value": 0.6}}}}):
        write_json(run.result, damaged)
        assert read_result(run) is None
