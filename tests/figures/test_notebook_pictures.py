"""Pictures for a notebook: every point where it belongs, few enough of them, names escaped."""

import re

import numpy as np
import pytest

from embedlab.figures.notebook import LEGEND_CLASSES, STILL_POINTS, MapPanel, maps_figure, still_curve, still_maps
from embedlab.palette import NO_CLASS


def panel(count: int, classes: int, texts=()) -> MapPanel:
    """A map of so many texts, their classes in turns."""
    places = np.random.default_rng(0).normal(size=(count, 2))
    categories = np.arange(count) % classes if classes else np.full(count, NO_CLASS)
    return MapPanel("Map", places, categories, texts)


def test_the_highest_value_of_a_curve_is_drawn_highest():
    svg = still_curve([(0, 0.2), (5, 0.8), (10, 0.5)], "kNN <b>")
    (line,) = re.findall(r'points="([^"]+)"', svg)
    (x0, y0), (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in line.split())
    assert x0 < x1 < x2 and x1 - x0 == pytest.approx(x2 - x1, abs=0.2)  # steps are to scale
    assert y1 < y2 < y0 and y0 - y2 == pytest.approx(y2 - y1, abs=0.2)  # 0.5 lies halfway; up is more
    assert "kNN &lt;b&gt;" in svg and "step 10" in svg


def test_a_curve_of_one_point_and_a_flat_one_are_drawn():
    assert "<polyline" in still_curve([(0, 0.5)], "kNN")
    assert "nan" not in still_curve([(step, 2.0) for step in range(3)], "Loss", are_shares=False)


def test_both_axes_of_a_still_map_have_one_scale_and_up_is_larger():
    places = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    svg = still_maps([MapPanel("Map", places, np.zeros(3, int))], ["a"])
    points = [tuple(map(float, each)) for each in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]
    wide, high = points[1][0] - points[0][0], points[0][1] - points[2][1]
    assert wide == pytest.approx(2 * high, abs=0.2) and high > 0


@pytest.mark.parametrize(("texts", "points"), [(0, 0), (1, 1), (2, 2), (STILL_POINTS + 1, STILL_POINTS)])
def test_a_still_map_has_no_more_points_than_one_sees(texts, points):
    assert still_maps([panel(texts, 2)], ["a", "b"]).count("<circle") == points


@pytest.mark.parametrize(("classes", "entries"), [(0, 1), (1, 1), (3, 3), (300, LEGEND_CLASSES + 1)])
def test_every_text_is_on_the_plotly_map_once_and_the_legend_stays_short(classes, entries):
    texts = [f"text {n}" for n in range(600)]
    figure = maps_figure([panel(600, classes, texts=texts)] * 2, [f"class {n}" for n in range(classes)], title="Maps")
    assert sum(trace.showlegend for trace in figure.data) == entries and len(figure.data) == 2 * entries
    assert sum(len(trace.x) for trace in figure.data) == 2 * 600
    assert sorted(each.split("<br>")[-1] for trace in figure.data[:entries] for each in trace.text) == sorted(texts)


def test_texts_without_a_label_are_a_group_of_their_own():
    places = np.zeros((3, 2))
    figure = maps_figure([MapPanel("Map", places, np.array([0, NO_CLASS, 0]))], ["a"], title="Maps")
    assert [(trace.name, len(trace.x)) for trace in figure.data] == [("No label", 1), ("a", 2)]
