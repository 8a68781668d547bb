"""Classes: numbers, picture, texts gained and lost, mistakes, suspicious labels, and what a run without them offers."""

from types import SimpleNamespace

import numpy as np
import pytest
from builders import change_result, leave_state
from drawn_folds import write_folds
from seen import drawn, words
from streamlit.testing.v1 import AppTest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.measurement import ClassChange, Difference
from embedlab.metrics.per_class import Confusion
from embedlab.report.class_tables import (
    changes_sentence,
    classes_table,
    mistakes_of,
    predictions_table,
    suspicious_table,
    texts_of_mistake,
    worst_class,
)
from embedlab.runs.store import list_runs, stored_request
from embedlab.table_files import csv_bytes
from embedlab.ui.components.knn_numbers import LOST, read_folds
from embedlab.ui.frame.state import DISTANCE
from embedlab.ui.run.classes_view import GAINED, MISTAKES, SUSPICIOUS


def show(run_id: str):
    """What the Evaluate page draws in its tab."""
    from embedlab.runs.store import open_run
    from embedlab.ui.run.classes_view import show_classes

    show_classes(open_run(run_id))


@pytest.fixture
def opened(monkeypatch):
    """``opened(run)``: its classes by Euclidean distance, or by the one that is named; no process is ever started."""
    monkeypatch.setattr("embedlab.jobs.executors.local.subprocess.Popen", None)

    def drawn_by(run, distance: str = "euclidean") -> AppTest:
        at = AppTest.from_function(show, kwargs={"run_id": run.id}, default_timeout=30)
        at.session_state[DISTANCE] = distance
        return at.run()

    return drawn_by


def table_of(at: AppTest):
    """The last table on the page."""
    return at.dataframe[-1].value


def choose(at: AppTest, view: str) -> AppTest:
    return at.segmented_control(key="classes.view").set_value(view).run()


def test_numbers_and_picture(opened, made_run, toy_corpus):
    run = made_run()
    write_folds(run, toy_corpus)
    at = opened(run)
    assert not at.exception
    # of 120 texts 32 are gained (groups of four rows 0, 4, …, 28), 32 lost, 28 right twice, 28 wrong twice
    assert "kNN accuracy (Euclidean distance), before 50.0 %" in words(at) and "after 50.0 %" in words(at)
    assert "Texts gained 32" in words(at) and "Texts lost 32" in words(at)
    assert "Classes better / worse 0 / 0" in words(at)
    (figure,) = drawn(at)
    assert [trace["name"] for trace in figure["data"][1:]] == ["before: untouched", "after: fine-tuned"]
    assert [round(float(x), 4) for x in class_values(read_folds(run, "euclidean"), "before")] == [0.5] * 4


def test_classes_follow_the_distance_that_is_shown(opened, made_run, toy_corpus):
    run = made_run()
    write_folds(run, toy_corpus)
    at = opened(run, "cosine")
    assert not at.exception
    # by cosine the 32 lost texts are gained too: 28 of 120 right before, 92 after
    assert "kNN accuracy (cosine), before 23.3 %" in words(at) and "after 76.7 %" in words(at)
    assert "Texts gained 64" in words(at) and "Texts lost 0" in words(at)
    assert "its ten nearest texts (cosine) in the other nine" in words(at)
    assert drawn(at)[0]["layout"]["title"]["text"] == "kNN accuracy (cosine), class by class"
    at = choose(at, SUSPICIOUS)
    assert set(table_of(at)["votes after"]) == {10} and set(table_of(at)["votes before"]) == {9}
    assert "Euclidean" not in words(at)


def class_values(found, name: str) -> list[float]:
    return [getattr(each, name) for each in found.classes]


def test_a_class_has_its_gained_and_lost_texts(opened, made_run, toy_corpus):
    run = made_run()
    columns = write_folds(run, toy_corpus)
    at = opened(run)
    assert len(table_of(at)) == 32 and "32 texts wrong before and right after" in words(at)
    at.selectbox(key=f"classes.label-{run.id}").set_value(1).run()  # the first class by size, then by name
    assert set(table_of(at)["label"]) == {"astronomy"} and len(table_of(at)) == 8
    choose(at, LOST)
    assert not at.exception
    gone = [row for row, was, now, own in zip(*(columns[n] for n in ("row", "before", "after", "label")), strict=True)
            if own == "astronomy" and was == own != now]  # fmt: skip
    assert sorted(table_of(at)["row"]) == gone
    assert set(table_of(at)["after"]) == {"cooking (6)"} and set(table_of(at)["before"]) == {"astronomy (5)"}


def test_a_chosen_text_is_read_and_its_neighbors_are_one_click_away(opened, made_run, toy_corpus, monkeypatch):
    run = made_run()
    write_folds(run, toy_corpus)
    at = opened(run)
    assert "Choose a row to read its text" in words(at)
    row = int(table_of(at)["row"][2])
    at.session_state["classes.gained-euclidean"] = {"selection": {"rows": [2], "columns": [], "cells": []}}
    at.run()
    assert not at.exception
    assert at.text[0].value == toy_corpus.texts[row]
    went = []
    monkeypatch.setattr("embedlab.ui.components.listed_texts.go_to", went.append)
    at.button(key="classes.gained-euclidean.nearest").click().run()
    assert at.session_state["neighbors.row"] == row and went == ["neighbors"]


def test_mistakes_are_counted_and_open_their_texts(opened, made_run, toy_corpus):
    run = made_run()
    write_folds(run, toy_corpus)
    at = choose(opened(run), MISTAKES)
    assert not at.exception
    pairs = table_of(at)
    assert len(pairs) == 4 and set(pairs["before"]) == {15} and set(pairs["change"]) == {0}
    at.session_state["classes.mistakes-None-euclidean"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.run()
    assert "texts of astronomy mistaken for cooking" in words(at)
    assert set(table_of(at)["label"]) == {"astronomy"} and len(table_of(at)) == 23  # 8 + 8 + 7 wrong at either time


def test_suspicious_labels_by_votes(opened, made_run, toy_corpus):
    run = made_run()
    write_folds(run, toy_corpus)
    at = choose(opened(run), SUSPICIOUS)
    assert not at.exception and len(table_of(at)) == 28
    assert set(table_of(at)["both encoders"]) == {"yes"}
    assert set(table_of(at)["votes before"]) == set(table_of(at)["votes after"]) == {9}
    at.selectbox(key="classes.votes").set_value(10).run()
    assert "0 texts whose neighbors agree" in words(at) and not at.exception


def test_the_csv_of_suspicious_labels_has_all_whole_texts_and_no_formula(made_run, store):
    texts = [f"=cmd|' /C calc'!A{n} " + "long " * 200 for n in range(40)]
    corpus = store_corpus(Draft(name="bad", source="bad", texts=texts, labels=["=a", "b"] * 20))
    run = made_run(corpus=corpus.fingerprint)
    write_folds(run, corpus)
    table, positions = suspicious_table(read_folds(run, "euclidean"), corpus, None, at_least=8)
    assert table.num_rows == len(positions) == 8 and table["text"][0].as_py() == corpus.texts[table["row"][0].as_py()]
    lines = csv_bytes(table).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("row,label,neighbors vote for,") and not any(",=" in line for line in lines)
    shown, every = suspicious_table(read_folds(run, "euclidean"), corpus, None, at_least=8, most=3)
    assert shown.num_rows == 3 and len(every) == 8 and len(shown["text"][0].as_py()) <= 400
    of_b, positions = suspicious_table(read_folds(run, "euclidean"), corpus, "b", at_least=8)
    assert set(of_b["label"].to_pylist()) == {"b"} and of_b.num_rows == len(positions) == 4
    assert read_folds(run, "euclidean").rows[positions].tolist() == of_b["row"].to_pylist()


def test_hostile_labels_and_texts_stay_text(opened, made_run, store):
    texts = [f"![x](http://evil.example/{n}) $x$ :red[a] <b>" for n in range(40)]
    corpus = store_corpus(Draft(name="bad", source="bad", texts=texts, labels=["<img src=x> :red[z]", "c"] * 20))
    run = made_run(corpus=corpus.fingerprint)
    leave_state(run, corpus=corpus)
    write_folds(run, corpus)
    at = opened(run)
    at.session_state["classes.gained-euclidean"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.run()
    assert not at.exception and at.text[0].value.startswith("![x](http://evil")
    assert not any("<img" in str(figure["data"]) + str(figure["layout"]["yaxis"]) for figure in drawn(at))
    assert not any(":red[z]" in element.value for kind in (at.markdown, at.caption) for element in kind)


def test_a_run_without_folds_offers_to_predict_and_starts_one_job(opened, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run = made_run()
    at = opened(run)
    assert "This run has none yet" in words(at)
    at.button(key="classes.folds").click().run()
    (job,) = list_runs("jobs")
    assert stored_request(job).task == "folds" and stored_request(job).settings == {"run": run.id}
    assert "Predict all labeled texts" not in words(at)


def test_without_labels_and_above_the_limit_it_says_so(opened, made_run):
    run = made_run()
    change_result(run, warnings=[{"code": "W-NO-FOLDS", "message": "Ten folds over all labeled texts are left out."}])
    at = opened(run)
    assert "are left out" in words(at) and not at.button
    change_result(run, knn=None, warnings=())
    assert "needs labels" in words(opened(run))


def test_without_its_corpus_the_picture_stays(opened, made_run, toy_corpus, monkeypatch):
    run = made_run()
    write_folds(run, toy_corpus)
    monkeypatch.setattr("embedlab.ui.run.classes_view.corpus_of", lambda run: None)
    at = opened(run)
    assert not at.exception and len(drawn(at)) == 1 and "no longer in the store" in words(at)


def test_the_tables_hold_what_was_predicted(made_run, toy_corpus):
    run = made_run()
    columns = write_folds(run, toy_corpus)
    found = read_folds(run, "euclidean")
    table = predictions_table(found, toy_corpus, np.array([5]), whole=True).to_pylist()[0]
    assert table["row"] == columns["row"][5] and table["text"] == toy_corpus.texts[5]
    assert table["before"] == f"{columns['before'][5]} (5)"
    only_one_side_first = texts_of_mistake(found, mistakes_of(found, "law")[0])
    both = (found.before == found.after)[only_one_side_first]
    assert both.tolist() == sorted(both)
    assert classes_table(found).to_pylist()[0]["gained"] == 8
    assert GAINED != LOST
    by_cosine = classes_table(read_folds(run, "cosine"))
    assert (sum(by_cosine["gained"].to_pylist()), sum(by_cosine["lost"].to_pylist())) == (64, 0)


def test_two_hundred_mistakes_are_listed_of_all_classes_or_one():
    one = Confusion(label="a", taken_for="b", texts=900, before=1, after=1, difference=None)
    folds = SimpleNamespace(rows=range(900), mistakes=lambda most: [one] * most)
    assert len(mistakes_of(folds, None)) == len(mistakes_of(folds, "a")) == 200


def folds_with(**changes: tuple[float, float, float]) -> SimpleNamespace:
    """``law=(value, low, high)``: the change of each class by cosine."""
    classes = [ClassChange(label, 40, 0.5, 0.5 + change[0], 1, 1, Difference(*change, 40))
               for label, change in changes.items()]  # fmt: skip
    return SimpleNamespace(classes=classes, distance="cosine")


def test_the_classes_that_got_clearly_worse_are_named_the_worst_first():
    some = folds_with(law=(-0.05, -0.09, -0.01), art=(0.2, 0.1, 0.3), sea=(-0.3, -0.4, -0.2), sky=(-0.4, -0.9, 0.1))
    assert worst_class(some) == "sea"
    assert changes_sentence(some) == (
        "1 of 4 classes got clearly better (cosine), 2 clearly worse: sea (−30.0 points) and law (−5.0 points)."
    )
    many = folds_with(**{name: (-0.1 * (n + 1), -0.9, -0.1) for n, name in enumerate("abcde")})
    assert changes_sentence(many).endswith("e (−50.0 points), d (−40.0 points), c (−30.0 points) and 2 more.")
    none = folds_with(law=(0.0, -0.1, 0.1))
    assert worst_class(none) is None
    assert changes_sentence(none) == "None of 1 class got clearly better (cosine), none clearly worse."


@pytest.mark.parametrize("page", ["home", "result"])
def test_a_result_says_how_its_classes_changed_and_opens_the_texts_lost(open_page, made_run, toy_corpus, page):
    run = made_run()
    write_folds(run, toy_corpus)
    at = open_page(page, run=run.id, distance="euclidean")
    assert "None of 4 classes got clearly better (Euclidean distance), none clearly worse." in words(at)
    at.button(key=f"classes.lost-{run.id}").click().run()
    assert not at.exception and "32 texts right before and wrong after" in words(at)
    assert at.query_params["view"] in ("Classes", ["Classes"])
    by_cosine = [each.key for each in open_page(page, run=run.id).button]
    assert f"classes.lost-{run.id}" not in by_cosine
