"""Every figure there is has a sentence of its own with its main number, read out where the picture cannot be seen."""

import importlib
import inspect
import pkgutil
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from builders import layer_value
from test_share_axes import STUDY

import embedlab.figures
from embedlab.figures.candidates import CandidateCurve, CandidatePoint
from embedlab.figures.classes import AFTER, BEFORE, CHANGE, class_changes, class_neighbor_map
from embedlab.figures.corpus import class_sizes, length_histogram
from embedlab.figures.curves import diagnostic_curve, knn_curve, loss_curve, resources_curve
from embedlab.figures.diagnosed import diagnosed_figure
from embedlab.figures.find_curves import find_curves
from embedlab.figures.frame import framed
from embedlab.figures.layers import layer_curves
from embedlab.figures.length import (
    copies_read,
    cosine_axis,
    gains_by_length,
    kept_axis,
    over_copies,
    similarity_histograms,
)
from embedlab.figures.metric_bars import Arrow, Bar, BarPanel, StepAccuracy, before_after, metric_bars, post_accuracies
from embedlab.figures.notebook import MapPanel, maps_figure
from embedlab.figures.phrase_axes import phrase_axes
from embedlab.figures.run_curves import overlaid_curves, phases_curve, race_curves
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.heat import study_heat
from embedlab.measurement import ClassChange, CurvePoint, Difference, Measurement
from embedlab.palette import categorical, class_colours
from embedlab.picture import Picture, Series

SHARES = np.array([[0.3, 0.7], [0.4, 0.6]])
LINE = [
    dict(step=0, texts=0, seconds=0.0, knn=0.36, test_texts=1100, full=True, loss=2.0),
    dict(step=40, texts=2560, seconds=3.0, knn=0.50, test_texts=1100, full=True, loss=1.5),
]
CURVE = [CurvePoint(*(row[name] for name in ("step", "knn", "texts", "seconds", "test_texts"))) for row in LINE]
CLASSES = {"a": 30, "b": 20}
CHANGED = ClassChange("a", 300, 0.5, 0.6, 30, 0, Difference(0.1, 0.02, 0.18, 300))
COSINES = dict(before=np.array([-1.0, 0.0, 1.0]), after=np.array([0.5, 0.5, 0.5]))
PANEL = BarPanel("kNN (%)", 1, [Bar(0, "run", 58.9, 1.4)])
STEP = StepAccuracy("plain", "after", "cosine", Measurement(value=0.6, error=0.01))
GRID = replace(
    STUDY,
    title="Temperature by batch size",
    series_setting="batch size",
    series=("32", "64"),
    points=tuple(replace(point, series_name=name) for name in ("32", "64") for point in STUDY.points),
)
FOUND = CandidateCurve("c", "crops", "", "leads", [CandidatePoint(0, 1.0, share=0.0, value=0.4, error=0.02)])
POINTS = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]])


def neighbors(kind: str) -> go.Figure:
    return class_neighbor_map(["a", "b"], before=SHARES, after=SHARES[::-1], kind=kind)


def axes(title: str) -> go.Figure:
    return phrase_axes(
        cosines=POINTS, groups=np.array([0, 1, 1]), names=["a", "b"], colours=categorical(2), means=POINTS[:, :2],
        named=[0], ranges=[(0, 1), (0, 1)], phrases=("law", "art"), title=title, correlation=0.5,
    )  # fmt: skip


def every_figure() -> dict[str, list[go.Figure]]:
    """Of each function that draws one: a figure, or all that stand on one page."""
    return {
        "knn_curve": [knn_curve(CURVE), knn_curve(CURVE, by="(cosine)")],
        "loss_curve": [loss_curve(LINE)],
        "resources_curve": [resources_curve(seconds=[1.0, 3.0], memory=[1e9, 2e9], cores=[1.5, 0.5])],
        "race_curves": [race_curves([("a", [0.0, 3.0], [0.36, 0.5])], end=3.0, alt="After 3 s a stands at 50 %.")],
        "layer_curves": [layer_curves([layer_value(0, "mean", 0.3, 0.4)])],
        "similarity_histograms": [
            similarity_histograms(untouched=COSINES, tuned=tuned, copies="m = 3") for tuned in (None, COSINES)
        ],
        "copies_read": [copies_read(np.array([3.0, 4.0]))],
        "diagnosed_figure": [
            diagnosed_figure(
                {"<b>x": Picture(kind, f"Cosines as {kind}", "cosine", "density", (Series("", x, [1.0, 2.0]),))}
            )
            for kind, x in (
                ("lines", [0, 1]),
                ("bars", ["a", "a long name of a bar"]),
                ("points", [0, 1]),
                ("heat", ["a", "b"]),
            )
        ],
        "diagnostic_curve": [diagnostic_curve([{"step": 0, "hubness": 1.5}], "hubness", "Hubness")],
        "over_copies": [
            over_copies(cosine_axis([0.3, 0.5, 0.4]), copies=[1, 2], untouched=[0.3, 0.5], tuned=[0.3, 0.4]),
            over_copies(kept_axis(10), copies=[1, 2], untouched=[10, 3], tuned=[10, 7], truncated_from=2),
        ],
        "find_curves": [find_curves([FOUND]), find_curves([FOUND], by="(cosine)")],
        "overlaid_curves": [overlaid_curves([("crops", CURVE, [])], references={})],
        "class_sizes": [class_sizes(CLASSES, class_colours(["a", "b"]))],
        "length_histogram": [length_histogram([1, 2], [0, 10, 20])],
        "class_changes": [class_changes([CHANGED])],
        "class_neighbor_map": [neighbors(kind) for kind in (CHANGE, BEFORE, AFTER)],
        "metric_bars": [metric_bars(["crops"], [each]) for each in (PANEL, PANEL._replace(title="Linear probe (%)"))],
        "phrase_axes": [axes("Before"), axes("After")],
        "post_accuracies": [post_accuracies([STEP])],
        "study_curve": [study_curve(STUDY)],
        "study_heat": [study_heat(GRID)],
        "gains_by_length": [gains_by_length([("NQ", 493, 0.02), ("SciFact", 1499, 0.05)])],
        "phases_curve": [phases_curve([("x", [CURVE, [CurvePoint(50, 0.5)]])], corpus="docs")],
        "maps_figure": [maps_figure([MapPanel("Before", np.zeros((2, 2)), np.array([0, 0]))], ["a"], title="Run x")],
        "before_after": [before_after([Arrow("crops", 40.0, 61.0, "+21.0")], title="kNN")],
    }


def those_that_draw() -> set[str]:
    """The public functions of the folder that make a figure."""
    found = set()
    for module in pkgutil.walk_packages(embedlab.figures.__path__, "embedlab.figures."):
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isfunction)
        found |= {
            name
            for name, function in members
            if function.__module__.startswith("embedlab.")
            and not name.startswith("_")
            and inspect.signature(function).return_annotation is go.Figure
        }
    return found - {"framed"}


def test_no_figure_is_left_out():
    assert set(every_figure()) == those_that_draw()


def test_every_figure_has_a_sentence_of_its_own_with_a_number():
    said = [figure.layout.meta["alt"] for figures in every_figure().values() for figure in figures]
    assert all(re.search(r"\d", each) and each.endswith(".") for each in said), said
    assert len(set(said)) == len(said)


def test_a_figure_without_a_sentence_is_refused():
    with pytest.raises(ValueError, match="sentence"):
        framed(go.Figure(), title="T", x="x", y="y", alt=" ", dark=False)
