"""Arrows from before to after: one a run, in its place, with the change in words; lines of what needs no training."""

from embedlab.figures.metric_bars import Arrow, before_after

ROWS = [Arrow("MPNet <b>", 40.0, 61.5, "+21.5"), Arrow("SBERT", 60.0, 58.0, "−2.0")]


def test_each_run_has_an_arrow_from_before_to_after():
    figure = before_after(ROWS, title="kNN accuracy", unit="%", references={"TF-IDF": 55.0})
    arrows = [(each.ax, each.x, each.y) for each in figure.layout.annotations if each.showarrow]
    assert arrows == [(40.0, 61.5, 0), (60.0, 58.0, -1)]
    assert [trace.name for trace in figure.data] == ["before", "after"] and list(figure.data[1].x) == [61.5, 58.0]
    said = [each.text for each in figure.layout.annotations if not each.showarrow]
    assert said[:2] == ["+21.5", "−2.0"] and "TF-IDF" in said
    assert figure.layout.shapes[0].x0 == 55.0 and "<b>" not in figure.layout.yaxis.ticktext[0]
    low, high = figure.layout.xaxis.range
    assert low < 40.0 and high > 61.5


def test_without_a_run_nothing_is_drawn_and_said():
    figure = before_after([], title="kNN accuracy")
    assert "nothing measured" in figure.layout.meta["alt"] and not figure.layout.annotations
