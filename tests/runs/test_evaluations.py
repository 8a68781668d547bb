"""What was measured is read as it was kept: values with their errors by distance, and differences with bounds."""

import numpy as np
from builders import both

from embedlab.measurement import Difference
from embedlab.metrics.base import MetricResult
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.store_root import read_json, write_json

UNITS = {"rows": np.arange(3), "correct": np.array([True, False, True])}


def test_a_measurement_is_read_as_it_was_kept(store):
    kept, units = Evaluations(store / "runs" / "a"), {"units": UNITS}
    euclidean = MetricResult(value=0.5, error=0.1, n=3, facts={"protocol": "paper"}, **units)
    cosine = MetricResult(value=0.7, error=0.2, n=3, facts={"protocol": "paper"}, **units)
    pairs = MetricResult(value=0.3, n=40, counts="pairs", **units)
    kept.keep(CORPUS, "knn", "after", both(euclidean, cosine))
    kept.keep(CORPUS, "sts", "after", pairs)
    for distance, found in (("euclidean", euclidean), ("cosine", cosine)):
        read = kept.values(distance=distance)
        assert read["knn"]["after"].model_dump() == found.model_dump()
        assert read["sts"]["after"].as_json() == {"value": 0.3, "pairs": 40}
        assert kept.units(CORPUS, "knn", "after", distance)["correct"].tolist() == [True, False, True]


def test_a_difference_without_bounds_is_read_as_one_that_shows_nothing(store):
    kept = Evaluations(store / "runs" / "a")
    kept.keep_difference(CORPUS, "sts", Difference(0.25, -np.inf, np.inf, 1))
    assert "Infinity" not in kept.file.read_text(encoding="utf-8")
    assert kept.values()["sts"]["difference"] == Difference(0.25, -np.inf, np.inf, 1)


def test_what_cannot_be_read_counts_as_not_measured(store):
    kept = Evaluations(store / "runs" / "a")
    kept.keep(CORPUS, "sts", "after", MetricResult(value=0.3, n=40, units=UNITS))
    found = read_json(kept.file)
    found["metrics"][CORPUS] |= {"linear": {"after": {"value": "much"}, "difference": {}}, "knn": {"after": None}}
    found["metrics"][CORPUS]["own/cv10"] = found["metrics"][CORPUS]["sts"]  # of a part that was taken out since
    write_json(kept.file, found)
    assert set(kept.values()) == {"sts"}
