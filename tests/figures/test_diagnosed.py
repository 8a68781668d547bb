"""Pictures of diagnostics: several encoders in one, points with their diagonal, heat on one scale, words by weight."""

import re

import pytest

from embedlab.figures.curves import diagnostic_curve
from embedlab.figures.diagnosed import diagnosed_figure, words_drawn
from embedlab.palette import ACCENT, UNTOUCHED
from embedlab.picture import Picture, Series


def looked(kind: str, *series: Series, marks=()) -> dict[str, dict]:
    picture = Picture(kind, "A <b>title", "x (unit)", "y", series, marks)
    return {"before": picture, "after": picture}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", ["lines", "bars", "points", "heat"])
def test_every_kind_has_title_axes_and_a_sentence(kind, dark):
    x = ["a", "<b>"] if kind in ("bars", "heat") else [0.1, 0.2]
    figure = diagnosed_figure(looked(kind, Series("one", x, [0.5, None]), Series("two", x, [0.1, 0.4])), dark=dark)
    assert "A &lt;b&gt;title" in figure.layout.title.text and figure.layout.meta["alt"].endswith(".")
    assert "<b>" not in figure.to_json().replace("A <b>title:", "")


def test_lines_are_coloured_by_encoder_and_dashed_by_series():
    figure = diagnosed_figure(
        looked("lines", Series("one", [1, 2], [1, 2]), Series("two", [1, 2], [2, 3]), marks=(("cut", 1.5),))
    )
    before, after = UNTOUCHED["light"], ACCENT["light"]
    looks = [(trace.line.color, trace.line.dash) for trace in figure.data]
    assert looks == [(before, "solid"), (before, "dot"), (after, "solid"), (after, "dot")]
    assert figure.layout.annotations[0].text == "cut" and figure.layout.shapes[0].x0 == 1.5


def test_a_density_is_shown_where_it_is_above_nought():
    x = [-0.9, 0.1, 0.2, 0.9]
    density = Picture("lines", "t", "cosine", "density", (Series("", x, [0, 1, 2, 0]),))
    figure = diagnosed_figure({"a": density})
    low, high = figure.layout.xaxis.range
    assert 0 < low < 0.1 and 0.2 < high < 0.3


def test_points_have_the_diagonal_and_heat_one_scale():
    points = diagnosed_figure(looked("points", Series("layer 1", [0.1, 0.2], [0.2, 0.3])))
    diagonals = [trace for trace in points.data if trace.mode == "lines"]
    assert len(diagonals) == 2 and all(trace.x == trace.y for trace in diagonals)
    heat = diagnosed_figure(
        looked("heat", Series("layer 1", ["a", "b"], [0.2, 0.3]), Series("layer 2", ["a", "b"], [0, 1]))
    )
    assert all(trace.zmax == 1 and len(trace.z) == 2 for trace in heat.data) and len(heat.data) == 2


def test_long_bars_are_the_highest_of_the_fine_tuned_encoder_with_those_of_the_other_beside():
    names = [f"a long way to read, number {number}" for number in range(30)]
    before, after = ([value / 100 for value in values] for values in (range(30), range(30, 0, -1)))
    pictures = [Picture("bars", "Ways", "", "share", (Series("", names, y),)) for y in (before, after)]
    figure = diagnosed_figure(dict(zip(("before", "after"), pictures, strict=True)))
    assert figure.layout.title.text.endswith("Ways, the 12 highest")
    untouched, tuned = figure.data
    assert list(tuned.x) == after[:12] and list(untouched.x) == before[:12] and list(tuned.y) == names[:12]
    assert list(diagnosed_figure({"before": pictures[0]}).data[0].x) == before[:-13:-1]  # of one encoder alone its own


def test_words_are_as_dark_as_their_number_and_never_code():
    picture = Picture(
        "words", "What each word adds", "", "drop", (Series("", ["<img>", "red", "x"], [0.1, 0.4, None]),)
    )
    svg, alt = words_drawn(picture)
    assert "<img>" not in svg and "&lt;img&gt;" in svg and "+0.40" in svg and "–" in svg
    assert alt == "What each word adds: most “red”, 0.40."
    assert svg.count('opacity="0.75"') == 1 and svg.count('opacity="0.19"') == 1
    tops = [int(top) for top in re.findall(r'<rect x="\d+" y="(-?\d+)" width="\d+" height="22"', svg)]
    baselines = [int(y) for y in re.findall(r'<text x="\d+" y="(\d+)" font-size="14"', svg)]
    assert len(tops) == 3 and all(top < y < top + 22 for top, y in zip(tops, baselines, strict=True))


def test_a_live_diagnostic_is_drawn_where_it_was_measured():
    rows = [{"step": 0, "hubness": 1.5}, {"step": 5, "hubness": None}, {"step": 10, "hubness": 0.5}]
    (line,) = diagnostic_curve(rows, "hubness", "Hubness").data
    assert list(line.x) == [0, 10] and list(line.y) == [1.5, 0.5]
