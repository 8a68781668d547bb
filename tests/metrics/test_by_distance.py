"""Metrics by both distances: values, intervals and units by hand, one distance read alone."""

import numpy as np
import pytest

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled
from embedlab.metrics.by_distance import (
    differences_as_json,
    differences_by,
    distances_of,
    units_by,
    values_by,
)
from embedlab.metrics.split import Split

KNN, FIVE = METRICS["knn"], METRICS["neighbors-5"]
# train: ten long vectors of class a to the right, ten short ones of class b upwards. A short vector to the right is
# near b by Euclidean distance and near a by cosine; one upwards is near b by both.
TRAIN = [(10.0 + step / 10, 0.0) for step in range(10)] + [(0.0, 1.0 + step / 10) for step in range(10)]
TESTED = [((1.0, 0.2), "a"), ((0.2, 1.0), "b"), ((1.0, 0.3), "a"), ((0.0, 2.0), "b"), ((1.0, 0.1), "b")]
RIGHT = {EUCLIDEAN: [False, True, False, True, True], COSINE: [True, True, True, True, False]}


def material(near: np.ndarray | None = None) -> Labelled:
    embeddings = np.array([*TRAIN, *(place for place, _ in TESTED)])
    labels = np.array([*"a" * 10, *"b" * 10, *(label for _, label in TESTED)], object)
    return Labelled(embeddings, labels, Split(np.arange(20), np.arange(20, 25)), near_duplicates=near)


def test_knn_has_both_distances_with_error_interval_and_units():
    found = KNN.measure(material())
    assert (found.value, found.facts["cosine"]) == (0.6, 0.8)
    error = {EUCLIDEAN: (0.6 * 0.4 / 5) ** 0.5, COSINE: (0.8 * 0.2 / 5) ** 0.5}
    assert found.facts["standard_error"] == pytest.approx(error[EUCLIDEAN])
    assert found.facts["cosine_standard_error"] == pytest.approx(error[COSINE])
    bounds = [found.facts[name] for name in ("low", "high", "cosine_low", "cosine_high")]
    half = {distance: 1.96 * each for distance, each in error.items()}
    assert bounds == pytest.approx([0.6 - half[EUCLIDEAN], 1.0, 0.8 - half[COSINE], 1.0])  # no share is above 1
    assert found.units["correct"].tolist() == RIGHT[EUCLIDEAN]
    assert found.units["correct_cosine"].tolist() == RIGHT[COSINE]
    assert found.units["predicted"].tolist() == list("bbbbb") and found.units["predicted_cosine"].tolist() == list(
        "ababa"
    )


def test_five_neighbors_have_both_too():
    found = FIVE.measure(material())
    assert (found.value, found.facts["cosine"]) == (0.6, 0.8)
    spread = [np.std(RIGHT[distance], ddof=1) / 5**0.5 for distance in (EUCLIDEAN, COSINE)]
    assert [found.facts["standard_error"], found.facts["cosine_standard_error"]] == pytest.approx(spread)
    assert found.facts["cosine_low"] == pytest.approx(0.8 - 1.96 * spread[1]) and found.facts["cosine_high"] == 1.0
    assert found.units["shares_cosine"].tolist() == [float(each) for each in RIGHT[COSINE]]


def test_near_copies_are_left_out_by_both():
    near = np.zeros(25, bool)
    near[20] = True
    facts = KNN.measure(material(near)).facts
    assert (facts["without_near_duplicates"], facts["cosine_without_near_duplicates"]) == (0.75, 0.75)
    by_cosine = values_by(KNN, {"value": 0.6, **facts}, COSINE)
    assert by_cosine["near_duplicates"] == 1 and by_cosine["without_near_duplicates"] == 0.75


def test_one_distance_alone_has_plain_names_and_nothing_of_the_other():
    found = KNN.measure(material())
    euclidean, cosine = (values_by(KNN, found.as_json(), distance) for distance in (EUCLIDEAN, COSINE))
    assert (cosine["value"], cosine["distance"], cosine["test_texts"]) == (0.8, COSINE, 5)
    assert cosine["low"] == found.facts["cosine_low"] and euclidean["value"] == 0.6
    assert not any(name.startswith("cosine") for name in cosine)
    assert units_by(KNN, found.units, COSINE)["correct"].tolist() == RIGHT[COSINE]
    assert set(units_by(KNN, found.units, EUCLIDEAN)) == {"rows", "correct", "predicted"}


def test_differences_are_of_each_distance_and_named_beside_each_other():
    after = KNN.measure(material()).units
    before = {**after, "correct": np.zeros(5, bool), "correct_cosine": np.array([True, False, True, True, False])}
    found = differences_by(KNN, before=before, after=after)
    assert found[EUCLIDEAN] == KNN.difference(before=before, after=after)
    p1, p2 = 2 / 7, 1 / 7  # by cosine one of five gained, none lost
    half = 1.96 * ((p1 + p2 - (p1 - p2) ** 2) / 7) ** 0.5
    told = differences_as_json(found, "difference")
    assert (told["difference"], told["cosine_difference"], told["n"]) == (pytest.approx(0.6), pytest.approx(0.2), 5)
    assert (told["cosine_low"], told["cosine_high"]) == pytest.approx((p1 - p2 - half, p1 - p2 + half))
    kept = differences_as_json(found)
    assert values_by(KNN, kept, COSINE) == {
        "value": kept["cosine"],
        "low": told["cosine_low"],
        "high": told["cosine_high"],
        "n": 5,
    }


def test_a_metric_of_no_distance_is_the_same_whichever_is_asked():
    for key in METRICS.keys():
        if key not in ("knn", "neighbors-5"):
            assert not distances_of(METRICS[key])
    assert values_by(METRICS["match-halves"], {"value": 30.0, "cosine": 20.0}, COSINE)["value"] == 30.0
