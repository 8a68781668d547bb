"""No axis of a share runs beyond 100 %, however high the values, their errors and their words."""

from math import inf

import pytest
from builders import layer_value

from embedlab.figures.layers import layer_curves
from embedlab.figures.metric_bars import Bar, BarPanel, StepAccuracy, metric_bars, post_accuracies
from embedlab.figures.run_curves import overlaid_curves
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.drawn import Dot, DrawnPoint, DrawnStudy
from embedlab.measurement import CurvePoint, Measurement

POINTS = [CurvePoint(step, 0.9 + step / 100, step, step, 50) for step in (0, 10)]
STEPS = [
    StepAccuracy(title, "after", "cosine", Measurement(value=value, error=0.02))
    for title, value in (("Raw", 0.97), ("Centring", 0.99))
]
STUDY = DrawnStudy(
    id="abc123", title="Temperature", corpus="docs", encoder="token", seeds=1, axis="temperature", scale="log",
    series_setting="", series=(), measure="accuracy", measure_title="kNN accuracy (cosine)", unit="share",
    points=tuple(DrawnPoint(value, f"{value}", "", (Dot("seed 0", 0.99),), steps=10.0, usable_texts=10.0, height=0.99,
                            error=0.02, sd=None, test_texts=50) for value in (0.05, 0.5)),
    line=None, references={"tfidf": 0.9},
)  # fmt: skip


def bars(most: int | None) -> list[float]:
    cells = [Bar(0, "run", 95.1, 1.5), Bar(1, "run", 40.0, None)]
    panel = BarPanel("kNN accuracy (%)", 1, cells, inf if most is None else most)
    return list(metric_bars(["a", "b"], [panel]).layout.xaxis.range)


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
