"""Phases on one axis: each a line that goes on where the one before ended, seeds in one colour, a ring between."""

from embedlab.figures.run_curves import phases_curve
from embedlab.measurement import CurvePoint


def rows(*points: tuple[int, float]) -> list[CurvePoint]:
    return [CurvePoint(step, knn) for step, knn in points]


LINES = [
    ("none", [rows((0, 0.3), (10, 0.6))]),
    ("arXiv", [rows((0, 0.3), (20, 0.5)), rows((20, 0.5), (30, 0.65))]),
    ("arXiv", [rows((0, 0.3), (20, 0.52)), rows((20, 0.52), (30, 0.66))]),
]


def test_each_phase_is_a_line_and_a_ring_stands_between():
    figure = phases_curve(LINES, corpus="docs", by="(cosine)")
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [list(trace.x) for trace in lines] == [[0, 10], [0, 20], [20, 30], [0, 20], [20, 30]]
    assert [trace.line.width for trace in lines] == [2.5, 1.5, 2.5, 1.5, 2.5]
    rings = [(trace.x[0], trace.y[0]) for trace in figure.data if trace.mode == "markers"]
    assert rings == [(20, 0.5), (20, 0.52)]
    assert len({trace.line.color for trace in lines}) == 2 and figure.layout.xaxis.range[1] > 30
    said = figure.layout.meta["alt"]
    assert "docs" in said and "none 60.0 %" in said and "arXiv 65.0 %" in said
    assert figure.layout.title.text == "kNN accuracy (cosine) of docs, phase after phase"


def test_phases_without_a_point_are_left_out():
    figure = phases_curve([("x", [[], rows((0, 0.5))])], corpus="<b>")
    assert len(figure.data) == 1 and "<b>" not in figure.layout.title.text
