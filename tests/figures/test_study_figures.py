"""The figure of a study: points, errors and lines where they belong, on light and dark ground, as SVG, PNG and HTML."""

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from embedlab.figures.studies import files
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.drawn import Dot, DrawnPoint, DrawnStudy, DrawnValue
from embedlab.figures.studies.files import HEIGHT, ROLES, WIDTH, colour_of, study_html, study_png, study_svg
from embedlab.palette import GROUND, contrast

SVG = "{http://www.w3.org/2000/svg}"


def words_in(found: DrawnStudy) -> dict[str, list[tuple[float, float]]]:
    """Every line of text of the SVG with where it stands; y grows downwards."""
    words: dict[str, list] = {}
    for each in ElementTree.fromstring(study_svg(found)).iter(f"{SVG}text"):
        words.setdefault(each.text, []).append((float(each.get("x")), float(each.get("y"))))
    return words


def dots_in(found: DrawnStudy) -> dict[str, tuple[float, float]]:
    """What each dot of the SVG says, with its middle."""
    groups = [
        each
        for each in ElementTree.fromstring(study_svg(found)).iter(f"{SVG}g")
        if each.find(f"{SVG}title") is not None
    ]
    drawn = {group.find(f"{SVG}title").text: next(group.iter(f"{SVG}use")) for group in groups}
    return {said: (float(dot.get("x")), float(dot.get("y"))) for said, dot in drawn.items()}


def lines_in(found: DrawnStudy) -> list[str]:
    """The style of every stroke of the SVG."""
    paths = ElementTree.fromstring(study_svg(found)).iter(f"{SVG}path")
    return [path.get("style") for path in paths if "fill: none" in (path.get("style") or "")]


def point(value, accuracy, *, name=None, is_over=False, series_name="", **more) -> DrawnValue:
    dots = tuple(
        Dot(f"seed {seed}", None if accuracy is None else accuracy + 0.01 * seed, is_over=is_over) for seed in (0, 1)
    )
    names = (value, name or f"{value:g}", series_name, dots)
    if accuracy is None:
        return DrawnValue(*names, steps=None, usable_texts=None)
    return DrawnPoint(*names, steps=1234.0, usable_texts=9876.0, height=accuracy, error=0.02, sd=0.01, test_texts=500,
                      **{"by_other": "(Euclidean distance) 12.3 % ± 1.5", **more})  # fmt: skip


@pytest.fixture
def found() -> DrawnStudy:
    return DrawnStudy(
        id="abc123", title="Temperature", corpus="docs", encoder="token", seeds=2, axis="temperature τ", scale="log",
        series_setting="", series=(), measure="accuracy", measure_title="kNN accuracy (cosine)", unit="share",
        points=(point(0.005, 0.55), point(0.05, 0.64), point(0.5, None, is_over=True), point(5.0, 0.41)),
        line=None, references={"tfidf": 0.72, "svd": 0.63, "untouched": 0.36},
    )  # fmt: skip


def test_the_curve_has_the_means_with_their_errors_and_leaves_gaps_out(found):
    figure = study_curve(found)
    mean = next(trace for trace in figure.data if trace.name == "mean of the seeds")
    assert list(mean.x) == [0.005, 0.05, 5.0] and list(mean.y) == [0.55, 0.64, 0.41]
    assert list(mean.error_y.array) == [0.02] * 3 and mean.mode == "lines+markers"
    assert "1,234 steps · 9,876 usable texts" in mean.customdata[0] and "2 seeds, 500 test texts" in mean.customdata[0]
    assert list(figure.layout.xaxis.ticktext) == ["0.005", "0.05", "0.5", "5"] and figure.layout.xaxis.type == "log"
    assert {shape.line.dash for shape in figure.layout.shapes} == {"dash", "dot", "solid"}
    assert "0.05 64.0 % ± 2.0" in figure.layout.meta["alt"]


def test_every_figure_says_by_which_distance_and_the_hover_has_the_other(found):
    figure = study_curve(found)
    assert "kNN accuracy (cosine)" in figure.layout.title.text and figure.layout.yaxis.title.text.endswith("(cosine)")
    assert "kNN accuracy (cosine) over temperature" in figure.layout.meta["alt"]
    mean = next(trace for trace in figure.data if trace.name == "mean of the seeds")
    assert "(Euclidean distance) 12.3 % ± 1.5" in mean.customdata[0]
    euclidean = replace(found, measure_title="kNN accuracy (Euclidean distance)")
    svg = study_svg(euclidean)
    assert b">Temperature: kNN accuracy (Euclidean distance)<" in svg and b">docs, token, 2 seeds<" in svg
    assert b"(cosine)" not in svg
    assert "kNN accuracy (Euclidean distance)" in study_html(euclidean).decode()
    alone = replace(found, points=(point(0.05, 0.5, by_other=""),))
    assert "Euclidean" not in study_curve(alone).data[-1].customdata[0]


def test_words_lie_side_by_side_without_a_line_between_them(found):
    points = (point("mean", 0.5, name="mean"), point("cls", 0.4, name="cls"))
    words = replace(found, scale="category", points=points)
    mean = next(trace for trace in study_curve(words).data if trace.name == "mean of the seeds")
    assert list(mean.x) == [0, 1] and mean.mode == "markers"
    thick = f"stroke: {colour_of('accent')}; stroke-width: 2"
    assert not any(thick in line for line in lines_in(words)) and any(thick in line for line in lines_in(found))


def test_before_anything_is_finished_an_empty_figure_says_so(found):
    empty = replace(found, references={}, points=(point(0.05, None), point(0.5, None)))
    assert study_curve(empty).layout.meta["alt"] == "Temperature: no run has finished yet."
    assert study_png(empty)[:4] == b"\x89PNG" and b"no run has finished" in study_svg(empty)
    one = replace(found, points=(point(0.05, 0.5),))
    assert study_curve(one).data and study_svg(one)


def test_the_drawing_puts_higher_accuracy_higher_and_values_by_their_logarithm(found):
    dots, words = dots_in(found), words_in(found)
    low, best, last = (dots[said] for said in ("0.005: 55.0 % ± 2.0", "0.05: 64.0 % ± 2.0", "5: 41.0 % ± 2.0"))
    assert best[1] < low[1] < last[1]
    assert last[0] - best[0] == pytest.approx(2 * (best[0] - low[0]), abs=0.01)  # two powers of ten
    ten_points = words["50 %"][0][1] - words["60 %"][0][1]
    assert low[1] - best[1] == pytest.approx(0.9 * ten_points, abs=0.01)
    assert "gap" in words and len(words["1,234"]) == 3 and len(words["9,876"]) == 3
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in [*dots.values(), *sum(words.values(), [])])
    dashed = [line for line in lines_in(found) if "dasharray" in line]
    assert len(dashed) == 2 and all(f"stroke: {colour_of('reference')}" in line for line in dashed)


def test_names_of_values_that_lie_close_are_moved_apart(found):
    points = (point(128, 0.4), point(8192, 0.6, name="8,192"), point(10789, 0.64, name="10,789"))
    near = replace(found, points=points)
    words = words_in(near)
    assert words["10,789"][0][0] - words["8,192"][0][0] >= 7 * 6


def test_a_second_phase_has_the_first_beside_it_and_every_run_a_faint_dot(found):
    phases = replace(found, points=(point(0.005, 0.55), point(5.0, 0.41, first_phase=0.3)))
    assert dots_in(phases).keys() >= {"before: 30.0 %", "5: 41.0 % ± 2.0"} and "before: 30.0 %" not in dots_in(found)
    faint = [each for each in ElementTree.fromstring(study_svg(found)).iter(f"{SVG}use") if "0.4" in each.get("style")]
    assert len(faint) == 6  # two seeds of three points


def test_the_scale_of_a_heat_map_stands_beside_its_cells(found, monkeypatch):
    boxes = []
    monkeypatch.setattr(files, "_box", lambda axes, x, y, wide, high, role: boxes.append((x, x + wide)))
    cells = tuple(point(value, 0.5, series_name=name) for value in (1.0, 2.0) for name in "ab")
    study_svg(replace(found, points=cells, series_setting="batch size", series=("a", "b"), view="heat"))
    assert len(boxes) > len(cells)
    assert max(right for _, right in boxes[:4]) < min(left for left, _ in boxes[4:]) and boxes[-1][1] < WIDTH


def test_the_svg_is_one_well_formed_file_for_both_grounds_and_runs_nothing(found):
    hostile = replace(found, title='x"><script>alert(1)</script>\x00', corpus="&<b> $x^2$")
    svg = study_svg(hostile)
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img" and root.get("aria-label").startswith("kNN accuracy (")
    assert {each.tag.removeprefix(SVG) for each in root.iter() if "purl.org" not in each.tag} <= {
        "svg", "title", "metadata", "defs", "style", "g", "path", "use", "clipPath", "rect", "text",
    } | {each.tag for each in root.iter() if "rdf" in each.tag or "creativecommons" in each.tag}  # fmt: skip
    assert any("&<b> $x^2$" in (text or "") for text in words_in(hostile))
    assert study_svg(hostile) == svg


def test_every_colour_of_the_svg_has_a_dark_one(found):
    style = ElementTree.fromstring(study_svg(found)).find(f"{SVG}defs/{SVG}style").text
    drawn = {each.get("style", "") for each in ElementTree.fromstring(study_svg(found)).iter()}
    painted = {one for each in drawn for one in re.findall(r"(?:fill|stroke): #\w+", each)}
    light, dark = style.split("prefers-color-scheme: dark")
    assert painted and all(f'[style*="{one}"]' in dark for one in painted)
    assert f"fill: {GROUND['dark']} !important" in dark and GROUND["dark"] not in light


@pytest.mark.parametrize("dark", [False, True])
def test_words_and_lines_are_readable_on_their_ground(dark):
    ground = GROUND["dark" if dark else "light"]
    for role in ROLES:
        if role not in ("grid", "ground"):
            assert contrast(colour_of(role, dark=dark), ground) >= 4.5, role


def test_the_png_is_drawn_in_the_accent_and_the_html_needs_no_network(found):
    from PIL import Image

    picture = Image.open(io.BytesIO(study_png(found)))
    assert picture.size == (2 * WIDTH, 2 * HEIGHT)
    accent = tuple(int(colour_of("accent", dark=False)[at : at + 2], 16) for at in (1, 3, 5))
    assert sum(pixel == accent for pixel in picture.convert("RGB").get_flattened_data()) > 200
    page = study_html(found).decode()
    assert "plotly.js v" in page and '<script src="http' not in page
