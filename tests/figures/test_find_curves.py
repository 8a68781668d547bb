"""The picture of a Find: who leads, who was pruned where, the lines to beat, and other metrics than shares."""

import pytest

from embedlab.figures.candidates import CandidateCurve, CandidatePoint, CountingLine
from embedlab.figures.find_curves import find_curves
from embedlab.palette import ACCENT, FAILURE, REFERENCE, shade


def curve(title: str, role: str, *values: float, steps: int = 60) -> CandidateCurve:
    """A look every so many steps, a second each."""
    points = [
        CandidatePoint(number * steps, float(number), share=number / 4, value=value, error=0.02)
        for number, value in enumerate(values)
    ]
    return CandidateCurve(title, title, "", role, points)


BEST = curve("best <b>one</b>", "leads", 0.4, 0.5, 0.6)
PRUNED = [curve("a", "pruned", 0.4, 0.45), curve("b", "pruned", 0.3, 0.35, steps=30)]
LINES = [CountingLine("tfidf", "TF-IDF", 0.55), CountingLine("svd", "SVD", 0.57)]


def marks_of(figure, name: str):
    return next(each for each in figure.data if each.name == name and each.mode == "markers")


@pytest.mark.parametrize("dark", [False, True])
def test_the_leader_is_drawn_last_and_in_the_accent(dark):
    figure = find_curves([BEST, *PRUNED], references=LINES, dark=dark)
    assert figure.data[-1].name == "best" and figure.data[-1].marker.color == shade(ACCENT, dark)
    assert "best &lt;b&gt;one&lt;/b&gt; 60.0 %" in figure.layout.annotations[-1].text


def test_pruned_ones_end_in_a_cross_where_they_stopped():
    marks = marks_of(find_curves([BEST, *PRUNED]), "pruned here")
    assert list(marks.x) == [60, 30] and list(marks.y) == [0.45, 0.35] and marks.marker.symbol == "x-thin"
    assert marks.marker.line.color.startswith("rgba(")  # faint


def test_the_lines_to_beat_lie_across_the_plot_in_amber():
    figure = find_curves([BEST], references=LINES)
    assert [(shape.y0, shape.line.color, shape.line.dash) for shape in figure.layout.shapes] == [
        (0.55, REFERENCE["light"], "dash"), (0.57, REFERENCE["light"], "dot"),
    ]  # fmt: skip


def test_rungs_are_drawn_over_the_share_of_training_alone():
    assert not find_curves([BEST], rungs=[0.25]).layout.shapes
    figure = find_curves([BEST], rungs=[0.25], x="share")
    assert [shape.x0 for shape in figure.layout.shapes] == [0.25]
    assert figure.layout.xaxis.range[1] == pytest.approx(1.02)


def test_points_without_a_place_on_the_axis_are_left_out():
    whole = curve("known", "going", 0.4, 0.5)
    unplanned = curve("unknown", "going", 0.6)
    unplanned.points[0] = unplanned.points[0]._replace(share=None)
    assert list(marks_of(find_curves([whole, unplanned], x="share"), "not pruned").y) == [0.5]


def test_an_encoder_as_it_is_that_leads_is_a_line_across():
    figure = find_curves([curve("words as it is", "leads", 0.6), curve("a", "pruned", 0.4, 0.5)])
    assert [(shape.x0, shape.x1, shape.y0) for shape in figure.layout.shapes] == [(0, 60, 0.6)]


def test_what_failed_is_red_and_named_in_the_legend():
    marks = marks_of(find_curves([curve("a", "failed", 0.4)]), "failed here")
    assert marks.marker.color == FAILURE["light"] and marks.showlegend is None


def test_a_correlation_is_no_percentage():
    figure = find_curves([curve("a", "leads", -0.1, 0.712)], metric="Spearman", in_shares=False)
    assert "0.712" in figure.layout.annotations[-1].text and figure.layout.yaxis.range[0] < -0.1
    assert "Spearman of 1 candidate: a leads with 0.712." in figure.layout.meta["alt"]


def test_before_the_first_look_it_says_so():
    assert "no candidate has been measured yet" in find_curves([]).layout.meta["alt"]


def test_the_leader_is_named_by_its_recipe_without_being_cut():
    figure = find_curves([curve("Sentence against sentence on Words of the corpus", "leads", 0.4, 0.5)])
    assert any("Sentence against sentence 50.0" in note.text for note in figure.layout.annotations)
