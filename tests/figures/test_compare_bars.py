"""Bars of many runs: one panel a metric, colours by kind, names stay text, the marks behind the values."""

import pytest

from embedlab.figures.metric_bars import Bar, BarPanel, metric_bars
from embedlab.palette import ACCENT, REFERENCE, UNTOUCHED

HOSTILE = "<img src=x onerror=alert(1)> %{y} $x$"
NAMES = ["TF-IDF", "untouched", HOSTILE]


def panel(title: str = "kNN accuracy (%)") -> BarPanel:
    published = {"published": 57.3, "published_in": "Crops, Table 1"}
    return BarPanel(title, 1, [Bar(0, "baseline", 60.0, 1.5), Bar(2, "run", 58.9, 1.4, "●", **published)])


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_a_bar_has_the_given_value_error_and_colour_of_its_kind(ground):
    figure = metric_bars(NAMES, [panel()], dark=ground == "dark")
    bars, said, published = figure.data
    assert list(bars.x) == [60.0, 58.9] and list(bars.error_x.array) == [1.5, 1.4] and list(bars.y) == [0, -2]
    assert list(bars.marker.color) == [REFERENCE[ground], ACCENT[ground]]
    assert list(said.text) == [" 60.0", " 58.9 ●"] and list(published.x) == [57.3]
    assert figure.layout.xaxis.range[0] == 0


def test_a_row_without_a_value_keeps_its_place_and_has_no_bar():
    figure = metric_bars(NAMES, [panel()])
    assert list(figure.layout.yaxis.tickvals) == [0, -1, -2] and len(figure.data[0].x) == 2
    only = metric_bars(NAMES[1:2], [BarPanel("x", 1, [Bar(0, "untouched", 36.4, None)])])
    assert list(only.data[0].marker.color) == [UNTOUCHED["light"]] and list(only.data[0].error_x.array) == [0]


def test_names_and_titles_are_text_and_the_sentence_has_the_numbers():
    figure = metric_bars(NAMES, [panel(HOSTILE), panel()], title=HOSTILE)
    assert "<img" not in str(figure.update_layout(meta=None).to_dict())
    said = metric_bars(NAMES, [panel(), panel("Linear probe (%)")]).layout.meta["alt"]
    assert "TF-IDF 60.0 ± 1.5" in said and "Linear probe (%)" in said and said.endswith(".")


def test_four_panels_stand_in_two_lines_and_twenty_rows_make_it_higher():
    many = [f"run {number}" for number in range(20)]
    four = metric_bars(NAMES, [panel(str(number)) for number in range(4)])
    assert len({four.layout[f"yaxis{number or ''}"].domain for number in ("", 2, 3, 4)}) == 2
    assert metric_bars(many, [panel()]).layout.height > metric_bars(NAMES, [panel()]).layout.height
    assert metric_bars([], []).layout.meta["alt"] == "Nothing measured yet."
