"""What stands in a run's chart: line, untouched point and reference lines on one set of texts, by one distance."""

import pytest
from builders import change_result, folds, knn, leave_live, leave_point, leave_result, lines

from embedlab.distance import DISTANCES
from embedlab.figures.curves import knn_curve
from embedlab.runs.curve import curve_of
from embedlab.runs.result import KeptStep
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, create_run, keep_rows_until, read_rows

STEPS = (0, 10, 20)


@pytest.fixture
def run(store):
    """``run(is_whole=False)``: a run on 100 test texts, its line on 20 of them or on all; cosine finds a tenth more."""

    def made(*, is_whole: bool = False, has_live: bool = True, ended: bool = True):
        folder = create_run("train", {})
        place = lambda step: {"step": step, "texts": step, "seconds": step}  # noqa: E731
        leave_point(folder, euclidean=0.4, cosine=0.5, **place(0), test_texts=100, full=True)
        for step in STEPS if has_live else ():
            leave_point(folder, euclidean=0.3 + step / 100, cosine=0.4 + step / 100, **place(step), test_texts=20)
        if has_live:
            leave_live(folder, is_whole=is_whole, tfidf=0.55, svd=0.5)
        if ended:
            leave_point(folder, euclidean=0.6, cosine=0.7, **place(20), test_texts=100, full=True)
            leave_result(folder, knn=knn((0.4, 0.6), (0.5, 0.7), n=100), references=lines(n=100, tfidf=0.72))
        return folder

    return made


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("distance", DISTANCES)
def test_line_and_reference_lines_are_of_the_same_texts_while_it_runs_and_after(run, distance, ended):
    curve, more = curve_of(run(ended=ended), distance), 0.1 if distance == "cosine" else 0
    assert curve.distance == distance and {point.test_texts for point in curve.line} == {20}
    assert [point.knn for point in curve.line] == pytest.approx([0.3 + more, 0.4 + more, 0.5 + more])
    assert curve.references == {"tfidf": 0.55, "svd": 0.5}  # not the 0.72 of all test texts
    assert [point.step for point in curve.marks] == ([0, 20] if ended else [0])
    assert curve.reference_marks == ({"tfidf": 0.72} if ended else {})
    assert "a sample: 20 test texts among 180" in curve.where and "Diamonds: all 100 test texts" in curve.where


def test_a_line_of_all_test_texts_needs_no_marks_and_begins_with_the_first_value_there_is(run, store):
    curve = curve_of(run(is_whole=True), "cosine")
    assert (curve.marks, curve.reference_marks) == ([], {}) and len(curve.line) == len(STEPS)
    assert "the whole test part of the paper's split" in curve.where and "Diamonds" not in curve.where
    begun = run(is_whole=True, ended=False)
    first, *_ = begun.metrics.read_text(encoding="utf-8").splitlines()
    begun.metrics.write_text(first + "\n", encoding="utf-8")
    assert [point.knn for point in curve_of(begun, "cosine").line] == pytest.approx([0.5])


def test_a_step_that_was_kept_before_the_last_one_is_marked_and_explained(run):
    folder = run(is_whole=True)
    assert curve_of(folder, "cosine").kept is None  # the last step is reported
    change_result(folder, stopped=True, steps=20, kept=KeptStep(step=10, reason="Stopped."))
    curve = curve_of(folder, "cosine")
    assert curve.kept == 10 and "The ring marks step 10, whose encoder was kept and is reported." in curve.where
    figure = knn_curve(curve.line, kept_step=curve.kept)
    (ring,) = [trace for trace in figure.data if trace.name == "kept"]
    assert (list(ring.x), list(ring.y)) == ([10], [pytest.approx(0.5)])
    assert any("kept: 50.0 %" in each.text for each in figure.layout.annotations)


def test_without_a_live_curve_the_values_on_all_test_texts_are_the_line(run):
    curve = curve_of(run(has_live=False), "euclidean")
    assert [point.knn for point in curve.line] == [0.4, 0.6] and curve.marks == []
    assert curve.references == {"tfidf": 0.72} and curve.where.startswith("All 100 test texts. TF-IDF counts words.")


def test_the_last_point_is_never_read_as_the_result(run):
    """It is another number where ten folds were tested, which the texts of the result say, and while it is at work."""
    folder, at_work = run(is_whole=True), "not the result"
    assert at_work in curve_of(folder, "cosine").where
    change_result(folder, folds=folds(0.4, 0.6, n=1361))
    write_state(folder, State.FINISHED)
    where = curve_of(folder, "cosine").where
    assert "all 20 test texts" in where and "it tests 1,361 labeled texts over ten folds" in where
    change_result(folder, folds=None)  # as for a supervised run: its result is the last point
    assert "result" not in curve_of(folder, "cosine").where


def test_a_run_without_labels_has_nothing_to_draw(store):
    folder = create_run("train", {})
    leave_point(folder, 0, None)
    curve = curve_of(folder, "cosine")
    assert (curve.line, curve.marks, curve.references, curve.where) == ([], [], {}, "")


def test_of_a_run_that_goes_on_from_a_step_later_rows_are_dropped(store):
    run = create_run("train", {})
    for step in (0, 4, 8):
        leave_point(run, step, 0.5)
    append_row(run.metrics, {"step": None})
    keep_rows_until(run.metrics, 4)
    assert [row["step"] for row in read_rows(run.metrics)] == [0, 4]
