"""Every figure: its numbers are the given ones, it has a title, axis names and a sentence, and user text stays text."""

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from builders import layer_value
from plotly.subplots import make_subplots

from embedlab.figures.corpus import class_sizes, length_histogram
from embedlab.figures.curves import diagnostic_curve, knn_curve, loss_curve
from embedlab.figures.frame import apart, framed
from embedlab.figures.layers import layer_curves
from embedlab.figures.length import cosine_axis, density, kept_axis, over_copies, similarity_histograms
from embedlab.figures.run_curves import overlaid_curves
from embedlab.measurement import CurvePoint
from embedlab.palette import ACCENT, REFERENCE, UNTOUCHED, class_colours
from embedlab.plain_text import plain

HOSTILE = "<img src=x onerror=alert(1)> %{y} $\\href{javascript:alert(1)}{x}$ & \u202e"
ROWS = [
    dict(step=0, texts=0, seconds=0.0, knn=0.36, test_texts=1100, full=True, loss=None),
    dict(step=0, texts=0, seconds=0.1, knn=0.35, test_texts=100, full=False, loss=2.5),
    dict(step=40, texts=2560, seconds=3.0, knn=0.50, test_texts=100, full=False, loss=1.5),
    dict(step=80, texts=5120, seconds=6.0, knn=0.58, test_texts=1100, full=True, loss=1.0),
]
POINTS = [CurvePoint(*(row[name] for name in ("step", "knn", "texts", "seconds", "test_texts"))) for row in ROWS]
LINE = [point for row, point in zip(ROWS, POINTS, strict=True) if not row["full"]]
MARKS = [point for row, point in zip(ROWS, POINTS, strict=True) if row["full"]]
CLASSES = {HOSTILE: 30, "007": 20, "1.0": 5}
COSINES = dict(before=np.array([-1.0, 0.0, 1.0]), after=np.array([0.5, 0.5, 0.5]))


def all_figures(dark: bool = False) -> dict[str, go.Figure]:
    """One of each kind."""
    layers = [layer_value(layer, "mean", 0.3, 0.4) for layer in range(3)]
    return {
        "knn": knn_curve(LINE, marks=MARKS, references=dict(tfidf=0.6, svd=0.624), dark=dark),
        "knn without rows": knn_curve([], dark=dark),
        "loss": loss_curve(ROWS, dark=dark),
        "layers": layer_curves(layers, dark=dark),
        "histograms": similarity_histograms(untouched=COSINES, tuned=COSINES, copies="m = 3", dark=dark),
        "histograms untouched": similarity_histograms(untouched=COSINES, tuned=None, copies="m = 3", dark=dark),
        "bench": over_copies(
            cosine_axis([0.3, 0.7]),
            copies=[1, 2, 4],
            untouched=[0.3, 0.5, 0.7],
            tuned=[0.3, 0.3, 0.4],
            truncated_from=3,
        ),
        "overlay": overlaid_curves([(HOSTILE, POINTS, [])], references=dict(tfidf=0.6), dark=dark),
        "classes": class_sizes(CLASSES, class_colours(list(CLASSES)), dark=dark),
        "lengths": length_histogram([1, 2, 3], [0, 10, 20, 30], dark=dark),
    }


@pytest.mark.parametrize("dark", [False, True])
def test_every_figure_has_title_axis_name_sentence_and_a_clear_ground(dark):
    for name, figure in all_figures(dark).items():
        assert figure.layout.title.text and figure.layout.xaxis.title.text, name
        assert figure.layout.meta["alt"].endswith("."), name
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)", name


def test_a_frame_keeps_what_its_figure_said_before():
    figure = make_subplots(1, 2, shared_yaxes=True).update_xaxes(range=[0, 1], title_standoff=3)
    layout = framed(figure, title="t", x="across", y="up", alt="a", dark=False).layout
    assert layout.xaxis2.domain[0] > layout.xaxis.domain[1] and layout.yaxis2.matches == "y"
    for axis in (layout.xaxis, layout.xaxis2):
        assert (axis.title.text, axis.title.standoff, axis.range) == ("across", 3, (0, 1))


def test_user_text_is_never_markup_in_a_figure():
    for name, figure in all_figures().items():
        drawn = str(figure.update_layout(meta=None).to_dict())  # the sentence is an attribute, not markup
        assert "<img" not in drawn, name
        assert all("onerror" not in (trace.hovertemplate or "") for trace in figure.data), name


def test_plain_text_is_escaped_and_on_one_line():
    assert plain("<b>&</b>") == "&lt;b&gt;&amp;&lt;/b&gt;"
    assert plain("$x$ %{y}") == "&#36;x&#36; %&#123;y}"
    assert plain("two\nlines\u202e\x00 here") == "two lines here"
    assert plain("word " * 30, 10) == "word word…"


def test_standard_error_is_binomial():
    assert CurvePoint(0, 0.5, test_texts=100).error == pytest.approx(0.05)
    assert CurvePoint(0, 0.5).error == 0


def test_values_on_all_test_texts_are_named_diamonds_that_no_line_joins():
    figure = knn_curve(LINE, marks=MARKS, references=dict(tfidf=0.6), reference_marks=dict(tfidf=0.72))
    line, dots, full, end = figure.data[1:]
    assert list(line.y) == list(dots.y) == [0.35, 0.50] and line.mode == "lines"
    assert list(full.y) == [0.36, 0.58] and full.marker.symbol == "diamond" and full.mode == "markers"
    assert full.name == "all 1,100 test texts" and list(full.marker.color) == [UNTOUCHED["light"], ACCENT["light"]]
    assert list(full.error_y.array) == pytest.approx([math.sqrt(p * (1 - p) / 1100) for p in (0.36, 0.58)])
    assert [shape.y0 for shape in figure.layout.shapes] == [
        0.6
    ]  # the line's own TF-IDF goes across, the other does not
    assert list(end.y) == [0.72, 0.72] and end.name == "TF-IDF, all 1,100 test texts" and end.x[0] > 0.9 * end.x[1]
    labels = [each.text for each in figure.layout.annotations]
    assert labels == ["TF-IDF 60.0 %", "<b>kNN 50.0 %</b>", "all 1,100 test texts 58.0 %"]


def test_a_line_without_marks_ends_where_it_was_measured():
    figure = knn_curve(LINE, references=dict(tfidf=0.6), by="(cosine)")
    assert not any("all" in (trace.name or "") for trace in figure.data if len(trace.x or ()))
    assert figure.layout.title.text == "kNN accuracy (cosine) while training, 100 test texts"


def test_the_axis_of_shares_ends_at_100_percent_and_begins_at_0():
    rows = [replace(LINE[0], knn=0.01), replace(LINE[1], knn=0.999)]
    assert list(knn_curve(rows).layout.yaxis.range) == [0, 1]
    assert list(knn_curve([replace(LINE[0], knn=1.0)]).layout.yaxis.range) == [0.98, 1]


def test_reference_lines_are_amber_tfidf_dashed_svd_dotted():
    shapes = knn_curve(POINTS, references=dict(tfidf=0.6, svd=0.624)).layout.shapes
    assert [(shape.y0, shape.line.dash) for shape in shapes] == [(0.6, "dash"), (0.624, "dot")]
    assert {shape.line.color for shape in shapes} == {REFERENCE["light"]}


@pytest.mark.parametrize(("x", "last"), [("step", 80), ("texts", 5120), ("seconds", 6.0)])
def test_x_is_switchable_and_ends_at_the_total(x, last):
    assert knn_curve(POINTS, x=x).layout.xaxis.range[1] == pytest.approx(1.015 * last)
    assert knn_curve(POINTS, x=x, total=10_000).layout.xaxis.range[1] == pytest.approx(10_150)


def test_the_zoom_is_kept_for_one_run_and_one_axis():
    first, longer = knn_curve(POINTS[:2], identity="r1"), knn_curve(POINTS, identity="r1")
    assert first.layout.uirevision == longer.layout.uirevision
    assert first.layout.uirevision != knn_curve(POINTS, identity="r2").layout.uirevision
    assert first.layout.uirevision != knn_curve(POINTS, identity="r1", x="texts").layout.uirevision


def test_density_integrates_to_one_and_keeps_the_ends():
    edges, heights = density(np.array([-1.0, 1.0, 1.0000001, 0.005]))
    assert len(edges) == len(heights) == 101
    assert heights[:-1].sum() * 0.02 == pytest.approx(1)
    assert heights[0] == pytest.approx(12.5) and heights[99] == pytest.approx(25)  # 1 and 2 of 4, bins of .02


def test_layers_are_grey_before_accent_after_and_poolings_differ_by_dash():
    rows = [layer_value(n, p, 0.1, 0.2) for n in range(2) for p in ("mean", "cls", "sep")]
    traces = layer_curves(rows).data
    assert [trace.line.color for trace in traces] == [UNTOUCHED["light"], ACCENT["light"]] * 3
    assert len({(trace.line.dash, trace.marker.symbol) for trace in traces}) == 3


def test_layers_without_an_after_show_only_before():
    assert len(layer_curves([layer_value(0, "mean", 0.1, None)]).data) == 1


def test_labels_that_look_like_numbers_stay_labels():
    figure = class_sizes(CLASSES, class_colours(list(CLASSES)))
    assert list(figure.layout.yaxis.ticktext)[:2] == ["1.0", "007"]
    assert list(figure.data[0].x) == [5, 20, 30]


def test_names_at_line_ends_keep_their_distance_and_order():
    assert apart([10, 50], 17) == [10, 50]
    assert apart([10, 10], 10) == [5, 15]
    places = apart([30, 5, 8, 11, 100], 17)
    assert all(b - a >= 17 - 1e-9 for a, b in zip(sorted(places), sorted(places)[1:], strict=False))
    assert np.argsort(places).tolist() == [1, 2, 3, 0, 4]


def test_the_sentence_of_a_curve_has_its_main_numbers():
    assert knn_curve(LINE, marks=MARKS, references=dict(tfidf=0.6), by="(cosine)").layout.meta["alt"] == (
        "kNN accuracy (cosine) 35.0 % at the start, 50.0 % ± 5.0 after 40 steps; TF-IDF 60.0 %, on all 1,100 test "
        "texts 58.0 %."
    )


@pytest.mark.parametrize(("last", "position"), [(10, "bottom"), (3, "top")])
def test_the_word_about_truncated_texts_stands_where_no_line_ends(last, position):
    lines = dict(copies=[1, 2, 4], untouched=[10, 5, 2], tuned=[10, 9, last])
    figure = over_copies(kept_axis(10), **lines, truncated_from=2)
    (words,) = [each for each in figure.layout.annotations if "truncated" in each.text]
    assert words.yanchor == position


@pytest.mark.parametrize(("step", "said"), [(1, "after 1 step."), (2, "after 2 steps.")])
def test_one_step_is_one_step(step, said):
    row = {"step": step, "texts": 8, "seconds": 1.0, "loss": 0.5, "uniformity": -2.0}
    assert loss_curve([row]).layout.meta["alt"].endswith(said)
    assert diagnostic_curve([row], "uniformity", "Uniformity").layout.meta["alt"].endswith(said)
    point = CurvePoint(step=step, texts=8, seconds=1.0, knn=0.5, test_texts=20)
    assert knn_curve([point]).layout.meta["alt"].endswith(said)
