"""The phrase axes: equal ranges, points as binary, density for many, user text escaped, names that do not overlap."""

import json

import numpy as np

from embedlab.figures.phrase_axes import (
    CELLS,
    POINTS,
    _beside,
    hover_texts,
    phrase_axes,
    read_axes,
    shared_ranges,
    worth_naming,
)
from embedlab.palette import categorical


def drawn(texts: int = 60, *, phrases=("one", "two"), names=("a", "b", "c"), **more):
    rng = np.random.default_rng(0)
    cosines = rng.uniform(-0.5, 0.5, (2, texts)).astype(np.float32)
    groups = np.arange(texts) % len(names)
    reading = read_axes(cosines, groups, len(names))
    return phrase_axes(
        cosines=cosines, groups=groups, names=list(names), colours=categorical(len(names)), means=reading.means,
        named=[0, 1], ranges=shared_ranges(np.stack([cosines, 2 * cosines])), phrases=phrases, title="After",
        correlation=reading.correlation, **more,
    )  # fmt: skip


def test_both_sides_have_the_ranges_of_both():
    cosines = np.array([[[0.0, 0.5], [0.1, 0.2]], [[-0.5, np.nan], [0.1, 0.9]]])
    (x_low, x_high), (y_low, y_high) = shared_ranges(cosines)
    assert x_low < -0.5 < -0.45 and 0.5 < x_high < 0.6 and 0.0 < y_low < 0.1 and 0.9 < y_high < 1.0
    assert np.allclose(shared_ranges(np.full((2, 2, 3), np.nan)), [(-0.04, 1.04)] * 2)
    figure = drawn()
    assert figure.layout.xaxis.title.text == "cosine to “one”" and figure.layout.yaxis.title.text == "cosine to “two”"
    assert "60 texts" in figure.layout.meta["alt"]


def test_every_text_is_drawn_once_named_classes_in_colour():
    figure = drawn(hovers=[f"text {n}" for n in range(60)])
    rest, own = (trace for trace in figure.data if trace.type == "scattergl" and trace.marker.symbol is None)
    assert sorted(rest.text + own.text) == sorted(f"text {n}" for n in range(60))
    assert set(rest.text) == {f"text {n}" for n in range(60) if n % 3 == 2}
    assert [int(text.split()[1]) % 3 for text in own.text] == np.asarray(own.marker.color).tolist()


def test_texts_without_a_class_are_drawn_in_grey():
    cosines = np.random.default_rng(0).uniform(-0.5, 0.5, (2, 6)).astype(np.float32)
    for groups in ([0, 1, 65535, 1, 65535, 0], [65535] * 6):  # as coordinates.py writes them
        own = np.array(groups, np.uint16)
        reading = read_axes(cosines, own, 2)
        figure = phrase_axes(
            cosines=cosines, groups=own, names=["a", "b"], colours=categorical(2), means=reading.means, named=[0],
            ranges=shared_ranges(cosines[None]), phrases=("one", "two"), title="After", correlation=0.0,
        )  # fmt: skip
        rest, coloured = (trace for trace in figure.data if trace.type == "scattergl" and trace.marker.symbol is None)
        assert len(coloured.x) == groups.count(0) and len(rest.x) == 6 - groups.count(0)


def test_many_texts_become_a_density_that_counts_them_all():
    figure = drawn(POINTS + 1)
    density = next(trace for trace in figure.data if trace.type == "heatmap")
    assert np.asarray(density.customdata).sum() == POINTS + 1 and np.asarray(density.z).shape == (CELLS, CELLS)
    assert len(figure.to_json()) < 700_000


def test_user_text_is_no_markup():
    figure = drawn(phrases=("<b>x</b>", "$y$"), names=("<i>a", "b", "c"), hovers=hover_texts(["<a href=''>"] * 60))
    written = json.loads(figure.to_json())
    shown = json.dumps([written["data"], written["layout"]["xaxis"], written["layout"]["annotations"]])
    assert "<i>" not in shown and "<a " not in shown and "<b>x" not in shown
    assert figure.layout.yaxis.title.text == "cosine to “&#36;y&#36;”"


def test_names_lie_apart_even_when_the_means_coincide():
    means = np.full((2, 6), 0.5) + np.random.default_rng(0).normal(scale=1e-3, size=(2, 6))
    ranges = [(0.0, 1.0), (0.0, 1.0)]
    places = np.array(_beside(means, ["eight ch"] * 6, ranges, np.full((2, 50), 0.5)))
    half = np.array([3.7 * 8 + 4, 10.0])
    for number, one in enumerate(places):
        for other in places[number + 1 :]:
            assert (np.abs(one - other) > 2 * half - 2).any()


def test_class_means_and_correlation_by_hand():
    cosines = np.array([[0.0, 0.2, 0.4, 0.9, np.nan], [0.0, -0.2, -0.4, -0.9, 0.5]])
    reading = read_axes(cosines, np.array([0, 0, 1, 7, 1]), 2)
    assert reading.means.round(6).tolist() == [[0.1, 0.4], [-0.1, -0.4]]
    assert reading.sizes.tolist() == [2, 1] and reading.texts == 4
    assert round(reading.correlation, 6) == -1
    assert reading.highest(0) == []  # fewer than five texts each
    assert np.isnan(read_axes(np.zeros((2, 3)), np.zeros(3, int), 1).correlation)


def test_the_classes_highest_on_an_axis_are_named_in_turn():
    groups = np.repeat(np.arange(4), 5)
    before = read_axes(np.stack([groups / 10, -groups / 10]), groups, 4)
    after = read_axes(np.stack([(groups == 1) * 1.0, (groups == 2) * 1.0]), groups, 4)
    assert before.highest(0) == [3, 2, 1] and before.highest(1) == [0, 1, 2]
    assert worth_naming((before, after), 3) == [1, 2, 3]
