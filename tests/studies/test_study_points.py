"""The points of a study by both distances: means and errors, gaps, and a best value that test texts do not choose."""

import csv
import io

import pytest

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.runs.state import State
from embedlab.runs.store import delete_run
from embedlab.studies.answers import answer, best_value, not_told_apart
from embedlab.studies.drawing import seen_by
from embedlab.studies.plan import Cell, cells
from embedlab.studies.points import MeasuredPoint, points_of
from embedlab.studies.printed import printed_study
from embedlab.studies.summary import accuracy_span, csv_of, rows_of, span_explained, summary


def test_a_point_is_the_mean_of_its_seeds_with_steps_and_usable_texts(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0, 1))
    put(study, Cell("value", 0.05, 0), [1, 1, 0, 0])
    put(study, Cell("value", 0.05, 1), [1, 0, 0, 0])
    full, empty = points_of(study, asked, EUCLIDEAN)
    assert full.accuracy == 0.375 and full.sd == pytest.approx(0.1768, abs=1e-4)
    assert 0 <= full.low < 0.375 < full.high <= 1
    assert (full.steps, full.usable_texts, full.test_texts, full.before) == (10, 100, 4, 0.25)
    assert not isinstance(empty, MeasuredPoint) and [each.reason for each in empty.seeds] == ["Not run yet."] * 2


def test_failed_stopped_and_deleted_runs_are_gaps_with_their_reason(study_of, put):
    study, asked = study_of("temperature", values=(0.05,), seeds=(0, 1, 2, 3))
    put(study, Cell("value", 0.05, 0), [1, 0])
    put(study, Cell("value", 0.05, 1), state="failed")
    put(study, Cell("value", 0.05, 2), state="stopped")
    delete_run(put(study, Cell("value", 0.05, 3), [1, 1]))
    (point,) = points_of(study, asked, EUCLIDEAN)
    assert [each.state for each in point.seeds] == ["finished", "failed", "stopped", "missing"]
    assert point.accuracy == 0.5 and point.sd is None
    (row,) = rows_of(summary(study), COSINE)
    assert "seed 1: The loss became NaN or infinite." in row["gaps"] and row["seeds"] == 1


def best(study, asked, distance=EUCLIDEAN) -> str:
    return best_value(asked, points_of(study, asked, distance), distance)


def test_the_best_value_is_chosen_by_the_whole_development_part(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5, 5.0), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 1, 1, 1], development=0.3)  # the test texts like this one best
    put(study, Cell("value", 0.5, 0), [1, 0, 0, 0], development=0.6)
    said = best(study, asked)
    assert said.startswith(
        "Best by development texts: temperature 0.5 (60.0 % ± 4.9 of 100, Euclidean distance); "
        "kNN accuracy (Euclidean distance) 25.0 % ± 21.7 on the test texts, which chose nothing."
    )
    assert "1 of 3 values are incomplete" in said and "clearly above the others there" in said


def test_each_distance_chooses_and_speaks_for_itself(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 1, 1, 0], cosine=[1, 0, 0, 0], development=0.8, development_cosine=0.2)
    put(study, Cell("value", 0.5, 0), [1, 1, 0, 0], cosine=[1, 1, 1, 1], development=0.3, development_cosine=0.9)
    assert "temperature 0.05 (80.0 %" in best(study, asked)
    said = best(study, asked, COSINE)
    assert "temperature 0.5 (90.0 % ± 3.0 of 100, cosine); kNN accuracy (cosine) 100.0 %" in said


def test_values_within_the_error_of_the_best_are_named(study_of, put):
    """By hand: √(.6·.4/100 + .5·.5/100) = .07; at 95 % of one difference 13.7 points, of two (97.5 %) 15.7."""
    study, asked = study_of("temperature", values=(0.05, 0.5, 5.0), seeds=(0,))
    for value, share in ((0.05, 0.6), (0.5, 0.45), (5.0, 0.1)):
        put(study, Cell("value", value, 0), [1, 0], development=share)
    said = best(study, asked)
    assert "The choice is within the error: 0.5 is not separable from it there (at 95 %, by the binomial error" in said
    three = points_of(study, asked, EUCLIDEAN)
    assert [point.value for point in not_told_apart(three[0], three)] == [0.5]
    assert not_told_apart(three[0], three[:2]) == []  # 15 points are clear where only one difference is looked at


def test_a_run_that_kept_an_earlier_step_counts_with_that_step(study_of, put):
    study, asked = study_of("temperature", values=(0.05,), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 0, 0, 0], development=0.1, stopped=True)
    (point,) = points_of(study, asked, EUCLIDEAN)
    assert (point.accuracy, point.development) == (0.9, 0.1)
    assert point.error == pytest.approx((0.9 * 0.1 / 4) ** 0.5)  # the predictions are of the last step
    (point,) = points_of(study, asked, COSINE)
    assert (point.accuracy, point.development) == (0.95, 0.1)  # what the encoder that is opened has, not the curve


def test_a_summary_is_by_both_distances_and_printed_with_cosine_beside(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0, 1))
    for seed in (0, 1):
        put(study, Cell("value", 0.05, seed), [1, 1, 0, 0], cosine=[1, 1, 1, seed], development=0.5)
    point, empty = printed_study(summary(study))["points"]
    assert (point["accuracy"], point["before"]) == (0.5, 0.25) and point["seeds"][1]["accuracy"] == 0.5
    by_cosine = point["cosine"]
    assert by_cosine["accuracy"] == 0.875 and by_cosine["before"] == pytest.approx(0.35)
    assert set(by_cosine) == {"accuracy", "error", "sd", "low", "high", "before", "development", "development_error",
                              "measured"}  # fmt: skip
    assert [seed["cosine"]["accuracy"] for seed in point["seeds"]] == [0.75, 1.0] and by_cosine["sd"] > 0
    assert empty["cosine"] is None and empty["seeds"][0]["cosine"] is None

    seen = seen_by(summary(study), COSINE)
    assert (seen.measure_title, seen.points[0].height) == ("kNN accuracy (cosine), paper's split", 0.875)
    assert seen.points[0].by_other.startswith("(Euclidean distance) 50.0 %") and len(seen.done) == 1
    assert seen.references["untouched"] == pytest.approx(0.35) and seen.references["tfidf"] == 0.71
    seen = seen_by(summary(study), EUCLIDEAN)
    assert seen.points[0].height == 0.5 and seen.points[0].by_other.startswith("(cosine) 87.5 %")
    assert seen.references == {"tfidf": 0.7, "svd": 0.65, "untouched": 0.25}


def test_the_range_of_the_points_names_the_other_distance_as_elsewhere(study_of, put):
    study, _ = study_of("temperature", values=(0.05, 0.5), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 0, 0, 0], cosine=[1, 1, 1, 0])
    put(study, Cell("value", 0.5, 0), [1, 1, 0, 0], cosine=[1, 1, 1, 1])
    report = summary(study)
    assert accuracy_span(report.measured.cosine.done) == "75.0 … 100.0 %"
    assert span_explained(report, COSINE).endswith(" (Euclidean distance): 25.0 … 50.0 %.")


def test_two_phases_show_both_and_a_failed_first_phase_is_the_reason(study_of, put):
    study, asked = study_of("domain-transfer", values=("0" * 16,), seeds=(0,))
    put(study, Cell("value", "none", 0), [1, 1, 0, 0], before=0.2)
    put(study, Cell("first", "0" * 16, 0), state="failed")
    directly, transferred = points_of(study, asked, EUCLIDEAN)
    assert (directly.before, directly.accuracy) == (0.2, 0.5)
    assert transferred.seeds[0].reason == "Its first phase: The loss became NaN or infinite."
    said = answer(asked, [directly, transferred], None, EUCLIDEAN)
    assert "kNN accuracy (Euclidean distance): none 20.0 % → 50.0 %" in said


def test_a_summary_grows_with_its_runs_and_says_its_state(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0,))
    empty = printed_study(summary(study))
    assert empty["state"] == "interrupted" and empty["answer"] == "" and empty["references"] == {}
    put(study, cells(asked)[0], [1, 0], development=0.5)
    half = printed_study(summary(study))
    assert half["runs"] == {"planned": 2, "finished": 1} and half["seconds_left"] == 2.0
    assert half["references"] == {"tfidf": 0.7, "svd": 0.65, "untouched": 0.25}
    put(study, cells(asked)[1], [1, 1], development=0.5)
    assert summary(study).state == State.FINISHED and summary(study).seconds_left is None


def test_the_table_as_csv_has_a_row_a_value_by_both_distances_and_runs_no_formula(study_of, put):
    study, asked = study_of("own", setting="pooling", values=("=1+1", "mean"), seeds=(0,))
    put(study, Cell("value", "mean", 0), [1, 0], cosine=[1, 1], development=0.5)
    rows = list(csv.DictReader(io.StringIO(csv_of(summary(study), COSINE).decode("utf-8-sig"))))
    assert [row["value"] for row in rows] == ["'=1+1", "mean"]
    assert list(rows[0])[1] == "kNN after, cosine (%)" and rows[0]["kNN after, cosine (%)"] == ""
    assert rows[1]["kNN after, cosine (%)"] == "100.0"
    assert rows[1]["kNN after, Euclidean distance (%)"] == "50.0"
    assert rows[1]["development, Euclidean distance (%)"] == "50.0"
