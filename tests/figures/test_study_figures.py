"""The figure of a study: points, errors and lines where they belong, on light and dark ground, as SVG, PNG and HTML."""

import io
import xml.etree.ElementTree as ElementTree

import pytest

from embedlab.figures.colour import contrast
from embedlab.figures.frame import alt_of
from embedlab.figures.palette import GROUND
from embedlab.figures.study import study_curve
from embedlab.figures.study_drawing import HEIGHT, WIDTH, Dot, Line, Words, study_drawing
from embedlab.figures.study_files import study_html, study_png
from embedlab.figures.study_svg import ROLES, colour_of, study_svg

SVG = "{http://www.w3.org/2000/svg}"


def point(value, accuracy, *, name=None, state="finished", **more) -> dict:
    seeds = [{"seed": seed, "state": state, "accuracy": accuracy and accuracy + 0.01 * seed} for seed in (0, 1)]
    return {"value": value, "name": name or f"{value:g}", "accuracy": accuracy, "error": 0.02, "sd": 0.01,
            "before": 0.3, "steps": 1234.0, "usable_texts": 9876.0, "test_texts": 500,
            "beside": {"by": "by Euclidean distance", "accuracy": 0.123, "error": 0.015},
            "seeds": seeds, **more}  # fmt: skip


@pytest.fixture
def found() -> dict:
    return {
        "study": "abc123", "kind": "temperature", "title": "Temperature", "axis": "temperature τ", "scale": "log",
        "corpus": {"name": "docs"}, "encoder": "token", "seeds": [0, 1], "line": None, "by": "by cosine",
        "references": {"tfidf": 0.72, "svd": 0.63, "untouched": 0.36},
        "points": [point(0.005, 0.55), point(0.05, 0.64), point(0.5, None, state="failed"), point(5.0, 0.41)],
    }  # fmt: skip


def test_the_curve_has_the_means_with_their_errors_and_leaves_gaps_out(found):
    figure = study_curve(found)
    mean = next(trace for trace in figure.data if trace.name == "mean of the seeds")
    assert list(mean.x) == [0.005, 0.05, 5.0] and list(mean.y) == [0.55, 0.64, 0.41]
    assert list(mean.error_y.array) == [0.02] * 3 and mean.mode == "lines+markers"
    assert "1,234 steps · 9,876 usable texts" in mean.customdata[0] and "2 seeds, 500 test texts" in mean.customdata[0]
    assert list(figure.layout.xaxis.ticktext) == ["0.005", "0.05", "0.5", "5"] and figure.layout.xaxis.type == "log"
    assert {shape.line.dash for shape in figure.layout.shapes} == {"dash", "dot", "solid"}
    assert "0.05 64.0 % ± 2.0" in alt_of(figure)


def test_every_figure_says_by_which_distance_and_the_hover_has_the_other(found):
    figure = study_curve(found)
    assert "kNN accuracy by cosine" in figure.layout.title.text and figure.layout.yaxis.title.text.endswith("by cosine")
    assert "kNN accuracy by cosine over temperature" in alt_of(figure)
    mean = next(trace for trace in figure.data if trace.name == "mean of the seeds")
    assert "by Euclidean distance 12.3 % ± 1.5" in mean.customdata[0]
    euclidean = {**found, "by": "by Euclidean distance"}
    svg = study_svg(euclidean)
    assert b">Temperature: kNN accuracy by Euclidean distance<" in svg and b">docs, token, 2 seeds<" in svg
    assert b"by cosine" not in svg
    assert "kNN accuracy by Euclidean distance" in study_html(euclidean).decode()
    alone = {**found, "points": [point(0.05, 0.5, beside=None)]}
    assert "Euclidean" not in study_curve(alone).data[-1].customdata[0]


def test_words_lie_side_by_side_without_a_line_between_them(found):
    points = [point("mean", 0.5, name="mean"), point("cls", 0.4, name="cls")]
    words = {**found, "scale": "category", "points": points}
    mean = next(trace for trace in study_curve(words).data if trace.name == "mean of the seeds")
    assert list(mean.x) == [0, 1] and mean.mode == "markers"
    drawn = study_drawing(words)
    assert not [mark for mark in drawn if isinstance(mark, Line) and mark.role == "accent" and mark.width == 2]


def test_before_anything_is_finished_an_empty_figure_says_so(found):
    empty = {
        **found,
        "references": {},
        "points": [point(0.05, None, state="missing"), point(0.5, None, state="missing")],
    }
    assert alt_of(study_curve(empty)) == "Temperature: no run has finished yet."
    assert study_png(empty)[:4] == b"\x89PNG" and b"no run has finished" in study_svg(empty)
    one = {**found, "points": [point(0.05, 0.5)]}
    assert study_curve(one).data and study_svg(one)


def test_the_drawing_puts_higher_accuracy_higher_and_values_by_their_logarithm(found):
    drawn = study_drawing(found)
    dots = [mark for mark in drawn if isinstance(mark, Dot) and mark.said]
    low, best, last = dots
    assert best.y < low.y < last.y
    step = best.x - low.x
    assert last.x - best.x == pytest.approx(2 * step)  # two powers of ten
    names = [mark.text for mark in drawn if isinstance(mark, Words)]
    assert "gap" in names and names.count("1,234") == 3 and names.count("9,876") == 3
    for mark in drawn:
        places = mark.points if isinstance(mark, Line) else [(mark.x, mark.y)]
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places), mark


def test_names_of_values_that_lie_close_are_moved_apart(found):
    near = {**found, "points": [point(128, 0.4), point(8192, 0.6, name="8,192"), point(10789, 0.64, name="10,789")]}
    names = {mark.text: mark for mark in study_drawing(near) if isinstance(mark, Words) and mark.role == "ink"}
    assert names["10,789"].x - names["8,192"].x >= 7 * 6


def test_the_svg_is_one_well_formed_file_for_both_grounds_and_runs_nothing(found):
    hostile = {**found, "title": 'x"><script>alert(1)</script>\x00', "corpus": {"name": "&<b>"}}
    root = ElementTree.fromstring(study_svg(hostile))
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg", "title", "style", "rect", "polyline", "circle", "text",
    }  # fmt: skip
    style = root.find(f"{SVG}style").text
    assert "prefers-color-scheme: dark" in style and GROUND["dark"] in style and GROUND["light"] in style


@pytest.mark.parametrize("dark", [False, True])
def test_words_and_lines_are_readable_on_their_ground(dark):
    ground = GROUND["dark" if dark else "light"]
    for role in ROLES:
        if role not in ("grid", "seed"):
            assert contrast(colour_of(role, dark=dark), ground) >= 4.5, role


def test_the_png_is_drawn_in_the_accent_and_the_html_needs_no_network(found):
    from PIL import Image

    picture = Image.open(io.BytesIO(study_png(found)))
    assert picture.size == (2 * WIDTH, 2 * HEIGHT)
    accent = tuple(int(colour_of("accent", dark=False)[at : at + 2], 16) for at in (1, 3, 5))
    assert sum(pixel == accent for pixel in picture.convert("RGB").get_flattened_data()) > 200
    page = study_html(found).decode()
    assert "plotly.js v" in page and '<script src="http' not in page
