"""Metrics by both distances: values, intervals and units by hand, and the keys in which they are printed."""

import numpy as np
import pytest

from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.measurement import ByDistance
from embedlab.metrics import METRICS
from embedlab.metrics.base import Labelled, MetricResult, changes
from embedlab.metrics.split import Split
from embedlab.report.contract import printed_change, printed_value
from embedlab.tasks.measure.embedded import measured_on

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
    assert (found.euclidean.value, found.cosine.value) == (0.6, 0.8)
    for distance in DISTANCES:
        each, value = found.by(distance), found.by(distance).value
        error = (value * (1 - value) / 5) ** 0.5
        bounds = (value - 1.96 * error, 1.0)  # no share is above 1
        assert each.error == pytest.approx(error) and each.facts["distance"] == distance
        assert (each.facts["low"], each.facts["high"]) == pytest.approx(bounds)
        assert each.units["correct"].tolist() == RIGHT[distance] and each.units["rows"].tolist() == [*range(20, 25)]
    predicted = [found.by(distance).units["predicted"].tolist() for distance in (EUCLIDEAN, COSINE)]
    assert predicted == [list("bbbbb"), list("ababa")]


def test_five_neighbors_have_both_too():
    found = FIVE.measure(material())
    assert (found.euclidean.value, found.cosine.value) == (0.6, 0.8)
    for distance in DISTANCES:
        each = found.by(distance)
        assert each.error == pytest.approx(np.std(RIGHT[distance], ddof=1) / 5**0.5)
        assert each.units["shares"].tolist() == [float(right) for right in RIGHT[distance]]
    low = 0.8 - 1.96 * found.cosine.error
    assert (found.cosine.facts["low"], found.cosine.facts["high"]) == (pytest.approx(low), 1.0)


def test_near_copies_are_left_out_by_both():
    near = np.zeros(25, bool)
    near[20] = True
    for each in vars(KNN.measure(material(near))).values():
        assert (each.facts["near_duplicates"], each.facts["without_near_duplicates"]) == (1, 0.75)


def test_printed_euclidean_has_the_plain_names_and_cosine_its_own():
    found = KNN.measure(material())
    told, cosine = printed_value(found), found.cosine.facts
    assert (told["value"], told["cosine"], told["distance"], told["test_texts"]) == (0.6, 0.8, EUCLIDEAN, 5)
    names = {"cosine", "cosine_standard_error", "cosine_low", "cosine_high"}
    assert set(told) == {"value", "standard_error", "test_texts", *found.euclidean.facts, *names}
    assert [told[f"cosine_{name}"] for name in ("low", "high")] == [cosine["low"], cosine["high"]]
    of_no_distance = MetricResult(value=30.0, facts={"cosine": 20.0})
    assert printed_value(of_no_distance) == {"value": 30.0, "cosine": 20.0}


def test_changes_are_of_each_distance_and_printed_beside_each_other():
    after = KNN.measure(material())
    cosine = np.array([True, False, True, True, False])
    before = ByDistance(
        *(
            MetricResult(value=0.0, units={**after.euclidean.units, "correct": each})
            for each in (np.zeros(5, bool), cosine)
        )
    )
    found = changes(KNN, before=before, after=after)
    assert found.euclidean == KNN.difference(before=before.euclidean.units, after=after.euclidean.units)
    p1, p2 = 2 / 7, 1 / 7  # by cosine one of five gained, none lost
    half = 1.96 * ((p1 + p2 - (p1 - p2) ** 2) / 7) ** 0.5
    told = printed_change(found)
    assert (told["difference"], told["cosine_difference"], told["n"]) == (pytest.approx(0.6), pytest.approx(0.2), 5)
    assert (told["cosine_low"], told["cosine_high"]) == pytest.approx((p1 - p2 - half, p1 - p2 + half))
    assert set(told) == {"difference", "low", "high", "n", "cosine_difference", "cosine_low", "cosine_high"}


def test_only_the_metrics_of_neighbors_are_by_both():
    assert [metric.key for metric in METRICS if metric.by_both] == ["knn", "neighbors-5"]


def test_an_encoder_is_measured_by_both_and_vectors_of_length_one_once():
    given = material()
    found = measured_on(given.embeddings, given.labels, given.split)
    for distance in DISTANCES:
        assert found.by(distance).distance == distance and found.by(distance).correct.tolist() == RIGHT[distance]
    rows = np.random.default_rng(0).standard_normal((25, 5))
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    alike = measured_on(unit, given.labels, given.split)
    assert (alike.euclidean.distance, alike.cosine.distance) == (EUCLIDEAN, COSINE)
    assert (alike.euclidean.correct == alike.cosine.correct).all() and alike.either is alike.euclidean
