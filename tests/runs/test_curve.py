"""What stands in a run's chart: line, untouched point and reference lines on one set of texts, by one distance."""

import pytest

from embedlab.distance import DISTANCES
from embedlab.runs.curve import curve_of
from embedlab.runs.store import append_row, create_run
from embedlab.store_root import write_json

STEPS = (0, 10, 20)


@pytest.fixture
def run(store):
    """``run(is_whole=False)``: a run on 100 test texts, its line on 20 of them or on all; cosine finds a tenth more."""

    def made(*, is_whole: bool = False, has_live: bool = True, has_cosine: bool = True, ended: bool = True):
        folder = create_run("train", {})
        both = lambda knn: {"knn": knn} | ({"knn_cosine": knn + 0.1} if has_cosine else {})  # noqa: E731
        place = lambda step: {"step": step, "texts": step, "seconds": step}  # noqa: E731
        append_row(folder.metrics, {"full": True, **place(0), **both(0.4), "test_texts": 100})
        for step in STEPS:
            append_row(folder.metrics, {"full": False, **place(step), **both(0.3 + step / 100), "test_texts": 20})
        if has_live:
            line = lambda value: {"value": value, "standard_error": 0.1, "cosine": value}  # noqa: E731
            facts = {"is_whole": is_whole, "neighbors": 180, "test_texts": 20, "development_texts": 9}
            write_json(folder.live, {**facts, "references": {"tfidf": line(0.55), "svd": line(0.5)}})
        if ended:
            append_row(folder.metrics, {"full": True, **place(20), **both(0.6), "test_texts": 100})
            knn = {"before": 0.4, "after": 0.6, "best": 0.6, "standard_error": 0.05, "test_texts": 100}
            knn |= {"cosine": {"before": 0.5, "after": 0.7, "best": 0.7}} if has_cosine else {}
            references = {"tfidf": {"value": 0.72, "standard_error": 0.04, "cosine": 0.72}}
            write_json(folder.result, {"knn": knn, "references": references, "stopped": False})
        return folder

    return made


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("distance", DISTANCES)
def test_line_and_reference_lines_are_of_the_same_texts_while_it_runs_and_after(run, distance, ended):
    curve, more = curve_of(run(ended=ended), distance), 0.1 if distance == "cosine" else 0
    assert curve.distance == distance and {row["test_texts"] for row in curve.line} == {20}
    assert [row["knn"] for row in curve.line] == pytest.approx([0.3 + more, 0.4 + more, 0.5 + more])
    assert curve.references == {"tfidf": 0.55, "svd": 0.5}  # not the 0.72 of all test texts
    assert [row["step"] for row in curve.marks] == ([0, 20] if ended else [0])
    assert curve.reference_marks == ({"tfidf": 0.72} if ended else {})
    assert "a sample: 20 test texts among 180" in curve.where and "Diamonds: all 100 test texts" in curve.where


def test_a_line_of_all_test_texts_needs_no_marks_and_begins_with_the_first_value_there_is(run, store):
    curve = curve_of(run(is_whole=True), "cosine")
    assert (curve.marks, curve.reference_marks) == ([], {}) and len(curve.line) == len(STEPS)
    assert "the texts of the final numbers" in curve.where and "Diamonds" not in curve.where
    begun = run(is_whole=True, ended=False)
    first, *_ = begun.metrics.read_text(encoding="utf-8").splitlines()
    begun.metrics.write_text(first + "\n", encoding="utf-8")
    assert [row["knn"] for row in curve_of(begun, "cosine").line] == pytest.approx([0.5])


def test_an_old_run_shows_the_distance_it_has_and_no_reference_line_of_other_texts(run):
    curve = curve_of(run(has_live=False, has_cosine=False), "cosine")
    assert curve.distance == "euclidean" and "measured by Euclidean distance only" in curve.where
    assert curve.references == {} and curve.reference_marks == {"tfidf": 0.72} and len(curve.marks) == 2
    assert "did not measure on the texts of the line" in curve.where


def test_without_a_live_curve_the_values_on_all_test_texts_are_the_line(run):
    folder = run(has_live=False)
    rows = folder.metrics.read_text(encoding="utf-8").splitlines(keepends=True)
    folder.metrics.write_text(rows[0] + rows[-1], encoding="utf-8")
    curve = curve_of(folder, "euclidean")
    assert [row["knn"] for row in curve.line] == [0.4, 0.6] and curve.marks == []
    assert curve.references == {"tfidf": 0.72} and curve.where == "All 100 test texts. TF-IDF counts words."


def test_a_run_without_labels_has_nothing_to_draw(store):
    folder = create_run("train", {})
    append_row(folder.metrics, {"full": False, "step": 0, "knn": None, "knn_cosine": None})
    curve = curve_of(folder, "cosine")
    assert (curve.line, curve.marks, curve.references, curve.where) == ([], [], {}, "")
