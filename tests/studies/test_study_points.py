"""The points of a study: means and errors, gaps with their reason, and a best value that test texts do not choose."""

import csv
import io

import pytest

from embedlab.runs.state import State
from embedlab.runs.store import delete_run
from embedlab.studies.answers import answer, labels_needed
from embedlab.studies.plan import Cell, cells
from embedlab.studies.points import line_of, points_of
from embedlab.studies.summary import seconds_a_run, summary
from embedlab.studies.table import csv_of, rows_of


def test_a_point_is_the_mean_of_its_seeds_with_steps_and_usable_texts(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0, 1))
    put(study, Cell("value", 0.05, 0), [1, 1, 0, 0])
    put(study, Cell("value", 0.05, 1), [1, 0, 0, 0])
    full, empty = points_of(study, asked)
    assert full.accuracy == 0.375 and full.sd == pytest.approx(0.1768, abs=1e-4)
    assert (full.steps, full.usable_texts, full.test_texts, full.before) == (10, 100, 4, 0.25)
    assert empty.accuracy is None and [each.reason for each in empty.seeds] == ["Not run yet."] * 2


def test_failed_stopped_and_deleted_runs_are_gaps_with_their_reason(study_of, put):
    study, asked = study_of("temperature", values=(0.05,), seeds=(0, 1, 2, 3))
    put(study, Cell("value", 0.05, 0), [1, 0])
    put(study, Cell("value", 0.05, 1), state="failed")
    put(study, Cell("value", 0.05, 2), state="stopped")
    delete_run(put(study, Cell("value", 0.05, 3), [1, 1]))
    (point,) = points_of(study, asked)
    assert [each.state for each in point.seeds] == ["finished", "failed", "stopped", "missing"]
    assert point.accuracy == 0.5 and point.sd is None
    (row,) = rows_of(summary(study))
    assert "seed 1: The loss stopped being a number." in row["gaps"] and row["seeds"] == 1


def test_the_best_value_is_chosen_by_development_texts_at_the_last_step(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5, 5.0), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 1, 1, 1], development=0.3)  # the test texts like this one best
    put(study, Cell("value", 0.5, 0), [1, 0, 0, 0], development=0.6)
    said = answer(asked, points_of(study, asked))
    assert said.startswith("Best by development texts: temperature 0.5 (60.0 % there); kNN accuracy 25.0 %")
    assert "1 of 3 values are not complete" in said


def test_a_run_that_kept_an_earlier_step_counts_with_that_step(study_of, put):
    study, asked = study_of("temperature", values=(0.05,), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 0, 0, 0], development=0.1, stopped=True)
    (point,) = points_of(study, asked)
    assert (point.accuracy, point.development) == (0.9, 0.99)
    assert point.error == pytest.approx((0.9 * 0.1 / 4) ** 0.5)  # the predictions are of the last step


def test_labels_needed_is_the_smallest_number_whose_interval_is_not_below_the_line(study_of, put):
    study, asked = study_of("labels-needed", values=(8, 16, 32), seeds=(0,))
    line = [1] * 60 + [0] * 40
    put(study, Cell("line", None, 0), line)
    put(study, Cell("value", 8, 0), [1] * 20 + [0] * 80, usable=8)
    put(study, Cell("value", 16, 0), [1] * 57 + [0] * 43, usable=15)
    put(study, Cell("value", 32, 0), [1] * 90 + [0] * 10, usable=31)
    points, base = points_of(study, asked), line_of(study, asked)
    said = labels_needed(asked, points, base)
    assert said.startswith("15 labelled texts match the crops recipe without labels (60.0 % ± 4.9): −3.0 points")
    assert labels_needed(asked, points[:1], base).startswith("Not reached: with 8 labelled texts still −40.0 points")
    assert "or fewer" in labels_needed(asked, points[2:], base)
    assert labels_needed(asked, points, None) == ""


def test_two_phases_show_both_and_a_failed_first_phase_is_the_reason(study_of, put):
    study, asked = study_of("domain-transfer", values=("0" * 16,), seeds=(0,))
    put(study, Cell("value", "none", 0), [1, 1, 0, 0], before=0.2)
    put(study, Cell("first", "0" * 16, 0), state="failed")
    directly, transferred = points_of(study, asked)
    assert (directly.before, directly.accuracy) == (0.2, 0.5)
    assert transferred.seeds[0].reason == "Its first phase: The loss stopped being a number."
    assert "none 20.0 % → 50.0 %" in answer(asked, [directly, transferred])


def test_a_summary_grows_with_its_runs_and_says_its_state(study_of, put):
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0,))
    empty = summary(study)
    assert empty["state"] == "interrupted" and empty["answer"] == "" and empty["references"] == {}
    put(study, cells(asked)[0], [1, 0], development=0.5)
    half = summary(study)
    assert half["runs"] == {"planned": 2, "finished": 1} and half["seconds_left"] == 2.0
    assert half["references"] == {"tfidf": 0.7, "svd": 0.65, "untouched": 0.25}
    put(study, cells(asked)[1], [1, 1], development=0.5)
    assert summary(study)["state"] == State.FINISHED and summary(study)["seconds_left"] is None
    assert seconds_a_run(asked) == 2.0


def test_the_table_as_csv_has_a_row_a_value_and_runs_no_formula(study_of, put):
    study, asked = study_of("own", setting="pooling", values=("=1+1", "mean"), seeds=(0,))
    rows = list(csv.DictReader(io.StringIO(csv_of(rows_of(summary(study))).decode("utf-8-sig"))))
    assert [row["value"] for row in rows] == ["'=1+1", "mean"]
