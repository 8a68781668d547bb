"""No axis of a share runs beyond 100 %, however high the values, their errors and their words."""

import pytest
from builders import layer_value

from embedlab.figures.layers import layer_curves
from embedlab.figures.metric_bars import StepAccuracy, metric_bars, post_accuracies
from embedlab.figures.run_curves import overlaid_curves
from embedlab.figures.studies.curve import study_curve
from embedlab.measurement import CurvePoint, Measurement

POINTS = [CurvePoint(step, 0.9 + step / 100, step, step, 50) for step in (0, 10)]
STEPS = [
    StepAccuracy(title, "after", "cosine", Measurement(value=value, error=0.02))
    for title, value in (("Raw", 0.97), ("Centring", 0.99))
]
STUDY = {
    "study": "abc123", "kind": "temperature", "title": "Temperature", "axis": "temperature", "scale": "log",
    "corpus": {"name": "docs"}, "encoder": "token", "seeds": [0], "line": None, "by": "(cosine)",
    "references": {"tfidf": 0.9}, "series": None,
    "measure": {"key": "accuracy", "title": "kNN accuracy (cosine)", "unit": "share"},
    "points": [{"value": value, "name": f"{value}", "accuracy": 0.99, "error": 0.02, "sd": None, "before": 0.9,
                "height": 0.99, "height_error": 0.02, "height_sd": None, "series_name": "",
                "steps": 10.0, "usable_texts": 10.0, "test_texts": 50, "beside": None,
                "seeds": [{"seed": 0, "state": "finished", "accuracy": 0.99, "height": 0.99}]}
               for value in (0.05, 0.5)],
}  # fmt: skip


def bars(most: int | None) -> list[float]:
    cells = {"a": {"value": 95.1, "error": 1.5}, "b": {"value": 40.0, "error": None}}
    panel = {"title": "kNN accuracy (%)", "digits": 1, "cells": cells} | ({} if most is None else {"most": most})
    rows = [{"key": key, "name": key, "kind": "run"} for key in cells]
    return list(metric_bars(rows, [panel]).layout.xaxis.range)


SHARES = {
    "curves": lambda: overlaid_curves([("a", POINTS, [])], references={}).layout.yaxis.range,
    "layers": lambda: layer_curves([layer_value(0, "mean", 0.9, 1.0)]).layout.yaxis.range,
    "post": lambda: post_accuracies(STEPS, first_distance="cosine").layout.xaxis.range,
    "study": lambda: study_curve(STUDY).layout.yaxis.range,
    "bars": lambda: [each / 100 for each in bars(100)],
}


@pytest.mark.parametrize("name", SHARES)
def test_an_axis_of_shares_ends_at_100_percent(name):
    low, high = SHARES[name]()
    assert 0 <= low < high <= 1


def test_an_axis_of_ranks_goes_on():
    assert bars(None)[1] > 120
