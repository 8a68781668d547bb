"""What a run found by itself, read in the form of an evaluation."""

from math import sqrt

import pytest

from embedlab.metrics import METRICS
from embedlab.metrics.by_distance import is_whole, values_by
from embedlab.runs.result import RunResult, as_measured

RESULT = {
    "stopped": False,
    "knn": {
        "before": 0.4,
        "best": 0.7,
        "after": 0.6,
        "test_texts": 100,
        "cosine": {"before": 0.5, "best": 0.8, "after": 0.75, "difference": 0.25, "low": 0.2, "high": 0.3},
    },
    "difference": 0.2,
    "low": 0.1,
    "high": 0.3,
    "references": {"tfidf": {"value": 0.72, "standard_error": 0.04}},
}


def test_by_both_distances_under_the_names_of_an_evaluation():
    found = as_measured(RunResult.model_validate(RESULT))
    assert list(found) == ["before", "after", "tfidf", "difference"]
    after = found["after"]
    assert (after["value"], after["cosine"], after["test_texts"]) == (0.6, 0.75, 100)
    assert after["standard_error"] == pytest.approx(sqrt(0.6 * 0.4 / 100))
    assert values_by(METRICS["knn"], found["difference"], "cosine") == {"value": 0.25, "low": 0.2, "high": 0.3}
    assert values_by(METRICS["knn"], found["tfidf"], "cosine")["value"] == 0.72
    assert all(is_whole(METRICS["knn"], states) for states in found.values())  # so that it is not measured again


def test_of_a_stopped_run_the_encoder_that_is_opened_counts():
    assert as_measured(RunResult.model_validate({**RESULT, "stopped": True}))["after"]["value"] == 0.7


def test_an_old_run_has_one_distance_and_a_run_without_labels_nothing():
    old = {**RESULT, "knn": {name: RESULT["knn"][name] for name in ("before", "best", "after", "test_texts")}}
    assert "cosine" not in as_measured(RunResult.model_validate(old))["after"]
    assert as_measured(RunResult()) == {} and as_measured(None) == {}
