"""Smoothed lines: the running mean by hand, gaps counted, the measured line kept faint behind."""

import numpy as np
import pytest

from embedlab.figures.curves import diagnostic_curve, knn_curve, loss_curve
from embedlab.figures.frame import smoothed
from embedlab.figures.run_curves import overlaid_curves
from embedlab.measurement import CurvePoint

ROWS = [
    {
        "step": step,
        "texts": 64 * step,
        "seconds": step / 10,
        "knn": knn,
        "loss": 1 - knn,
        "test_texts": 100,
        "rank": knn,
    }
    for step, knn in ((0, 0.3), (10, 0.5), (20, 0.4), (30, 0.6))
]
POINTS = [CurvePoint(row["step"], row["knn"], row["texts"], row["seconds"], row["test_texts"]) for row in ROWS]


def test_a_loss_of_one_step_is_a_point():
    (point,) = loss_curve([{"step": 1, "texts": 2, "seconds": 1, "loss": 0.5}]).data
    assert point.mode == "markers" and list(point.y) == [0.5]


def test_the_mean_runs_back_with_falling_weight():
    assert smoothed([0, 1, 2], [0.0, 1.0, 0.0], 0.5) == pytest.approx([0, 1 / 1.5, 0.5 / 1.75])
    assert smoothed([0, 1, 2], [4.0, 4.0, 4.0], 0.9) == pytest.approx([4, 4, 4])  # no bias to 0


def test_a_gap_counts_as_long_as_it_is():
    # steps 0, 1, 2 and then 4: the last distance is two usual ones
    weights = np.array([0.5**4, 0.5**3, 0.5**2, 1])
    assert smoothed([0, 1, 2, 4], [1.0, 2.0, 3.0, 5.0], 0.5)[-1] == pytest.approx(
        weights @ [1, 2, 3, 5] / weights.sum()
    )


@pytest.mark.parametrize("x, y", [([], []), ([3], [1.0]), ([5, 5], [1.0, 3.0])])
def test_few_points_and_equal_places_are_no_fault(x, y):
    assert len(smoothed(x, y, 0.9)) == len(y) and np.isfinite(smoothed(x, y, 0.9)).all()


def test_every_curve_is_smoothed_over_its_measured_line():
    runs = [("a", POINTS, []), ("b", POINTS, [])]
    for drawn, name in (
        (lambda weight: knn_curve(POINTS, smoothing=weight), "knn"),
        (lambda weight: loss_curve(ROWS, smoothing=weight), "loss"),
        (lambda weight: diagnostic_curve(ROWS, "rank", "Rank", smoothing=weight), "rank"),
        (lambda weight: overlaid_curves(runs, smoothing=weight), "knn"),
    ):
        measured, over = [row[name] for row in ROWS], smoothed([0, 10, 20, 30], [row[name] for row in ROWS], 0.85)
        plain, figure = drawn(0.0), drawn(0.85)
        assert len(figure.data) > len(plain.data)
        lines = [trace for trace in figure.data if trace.y is not None and trace.line.color and len(trace.y) == 4]
        faint = [trace for trace in lines if trace.line.color.startswith("rgba") and list(trace.y) == measured]
        strong = [trace for trace in lines if np.allclose(trace.y, over) and not trace.line.color.startswith("rgba")]
        assert len(faint) == len(strong) >= 1
        assert figure.layout.uirevision == plain.layout.uirevision  # the zoom stays
        assert figure.layout.meta["alt"] == plain.layout.meta["alt"]  # which tells what was measured


def test_the_end_of_the_line_says_what_was_measured_last():
    figure = knn_curve(POINTS, smoothing=0.97)
    assert "60.0" in figure.layout.annotations[0].text


def test_points_at_one_place_are_no_distance():
    many = smoothed([0, 0, 0, 1, 2], [0.0, 0.0, 0.0, 1.0, 1.0], 0.5)
    assert many[3] == pytest.approx(1 / (1 + 0.5 * 3))  # a usual step is 1, not the median with the places shared
    assert smoothed([3, 3, 3], [0.0, 1.0, 2.0], 0.5).tolist() == [0, 0.5, 1]  # no distance: the mean of all so far
