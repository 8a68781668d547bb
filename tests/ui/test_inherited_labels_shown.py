"""What pages say of a run from a label-trained encoder: never untouched or without labels, no folds, no suspicions."""

import pytest
from builders import change_result, leave_predictions
from seen import drawn, words
from streamlit.testing.v1 import AppTest

from embedlab.comparison.best import SUPERVISED, compare_rows
from embedlab.comparison.pivot import pivot_of
from embedlab.comparison.rows import compared_rows
from embedlab.report.replay import settings_line, words_by
from embedlab.report.run_rows import run_row
from embedlab.runs.result import read_result
from embedlab.ui.components.loaded_maps import titles_of
from embedlab.ui.run.classes_view import SUSPICIOUS
from embedlab.ui.run.result_view import verdict_lines


def show(run_id: str):
    """What the Evaluate page draws in its tab."""
    from embedlab.runs.store import open_run
    from embedlab.ui.run.classes_view import show_classes

    show_classes(open_run(run_id))


@pytest.fixture
def lineage(made_run):
    """A run by labels, one that started from it, one that did neither."""
    first = made_run("token", name="labelled", recipe="supervised")
    change_result(first, supervised=True)
    return first, made_run(f"run:{first.id}", name="second"), made_run("token", name="plain")


def with_predictions(run, corpus) -> None:
    rows = [0, 1, 2, 3, 4, 5]
    labels = [str(corpus.labels[row]) for row in rows]
    before, after = [labels[0]] * 6, [*labels[:5], "law"]
    leave_predictions(run, labels, (before, after), rows=rows)


def test_compare_names_the_beginning_and_leaves_both_out_of_the_ranking(lineage):
    rows = compared_rows(list(lineage))
    names = {row.name for row in rows if row.state == "before"}
    assert "labelled, trained with labels, before" in names
    assert not any("untouched" in row.name for row in rows if row.saw_labels and row.state == "before")
    told = {row.name: row.trained_on for row in rows if row.kind == "run"}
    assert told == {"labelled": "labels", "second": "labels", "plain": "all"}
    (found,) = compare_rows(rows, metrics=["knn"])["knn"].values()
    whys = {row.name: found["euclidean"]["rows"][row.key]["why"] for row in rows if row.kind == "run"}
    assert whys["labelled"] == whys["second"] == SUPERVISED != whys["plain"]


def test_recipe_by_corpus_does_not_call_that_beginning_untouched(lineage):
    _, second, plain = lineage
    lines = pivot_of(compared_rows([second, plain]), "knn").cells
    assert (f"run:{lineage[0].id}", "trained with labels") in lines and ("token", "untouched") in lines


def test_a_run_of_nothing_but_that_encoder_is_no_candidate_either(made_run, lineage):
    as_it_is = made_run(f"run:{lineage[0].id}", recipe="untouched")
    rows = compared_rows([as_it_is, lineage[2]])
    (found,) = compare_rows(rows, metrics=["knn"])["knn"].values()
    assert found["euclidean"]["rows"][as_it_is.id]["why"] == SUPERVISED
    assert not any("untouched" in row.name for row in rows if row.key == as_it_is.id)


def test_the_table_of_runs_tells_labels_of_an_earlier_phase(lineage):
    told = [run_row(run, "a", "toy")["trained on"] for run in lineage]
    assert told == ["labels (supervised)", "labels (an earlier phase)", "all texts"]


def test_titles_of_maps_call_the_beginning_what_it_is(lineage):
    assert [titles_of(run)[0] for run in lineage] == [
        "Before: untouched", "Before: trained with labels", "Before: untouched",
    ]  # fmt: skip


def test_the_replay_says_labels_and_never_without(lineage):
    for run, said in zip(
        lineage, ("trained with labels", "trained with labels in an earlier phase", None), strict=True
    ):
        unlabelled = read_result(run).model_copy(update={"knn": None, "judged": None})
        assert settings_line(run, unlabelled).partition("recipe: ")[2].split(", ")[1] == (said or "10 steps")
        assert ("Without labels there" in words_by(run, unlabelled, "cosine").verdict) == (said is None)


def test_classes_are_of_the_test_texts_with_the_reason_and_no_suspicious_labels(lineage, toy_corpus, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)
    _, second, _ = lineage
    at = AppTest.from_function(show, kwargs={"run_id": second.id}, default_timeout=30).run()
    assert not at.button and "trained on labels" in words(at) and "Predict all" not in words(at)
    with_predictions(second, toy_corpus)
    at = AppTest.from_function(show, kwargs={"run_id": second.id}, default_timeout=30).run()
    assert not at.exception and "Test texts only, because this run's lineage was trained on labels." in words(at)
    assert SUSPICIOUS not in at.segmented_control(key="classes.view").options and "ten folds" not in words(at)
    assert "Suspicious labels are not listed" in words(at)
    (figure,) = drawn(at)
    assert figure["data"][1]["name"] == "before: trained with labels"
    table = at.dataframe[-1].value  # of six test texts the labels turn over in fours: 3 gained
    assert len(table) == 3 and "(" not in "".join(table["after"])


def test_the_verdict_has_no_line_by_folds_where_there_are_none(lineage):
    _, second, _ = lineage
    result = change_result(second, folds=None)
    assert not any("folds" in line for line in verdict_lines(second, result))
