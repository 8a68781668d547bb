"""What a run found by itself, read in the form of an evaluation."""

from math import sqrt

import pytest
from builders import both, judged, knn, leave_result, lines

from embedlab.measurement import Difference
from embedlab.runs.result import RunResult, as_measured, read_result
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
    assert list(euclidean) == list(cosine) == ["before", "after", "tfidf", "difference"]
    after = euclidean["after"]
    assert (after.value, cosine["after"].value, after.n) == (0.6, 0.75, 100)
    assert after.error == pytest.approx(sqrt(0.6 * 0.4 / 100))
    assert cosine["difference"] == Difference(0.25, 0.2, 0.3, 100) and cosine["tfidf"].value == 0.72


def test_of_a_stopped_run_the_encoder_that_is_opened_counts():
    assert as_measured(RunResult.model_validate({**RESULT, "stopped": True}), "euclidean")["after"].value == 0.7


def test_a_run_without_labels_has_nothing():
    assert as_measured(RunResult(), "cosine") == {} and as_measured(None, "cosine") == {}


def test_a_result_by_one_distance_alone_or_with_a_key_of_its_own_is_none(store):
    run = create_run("train", {})
    kept = leave_result(run, **RESULT).model_dump(mode="json", exclude_unset=True)
    assert read_result(run) == RunResult.model_validate(kept)
    for damaged in ({**kept, "accuracy": 1}, {**kept, "knn": kept["knn"] | {"after": {"euclidean": {"value": 0.6}}}}):
        write_json(run.result, damaged)
        assert read_result(run) is None
