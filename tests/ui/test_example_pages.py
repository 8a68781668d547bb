"""The packaged example in the pages of an empty store, and beside a run that has not been measured there."""

import re

import numpy as np
import pytest
from seen import drawn, maps, words

from embedlab.distance import COSINE
from embedlab.report.nearest_texts import nearest_in_picture
from embedlab.runs.drawn_map import DrawnMap, MapFacts
from embedlab.runs.example import DROPOUT, LEFT_OUT, MINI, example_run
from embedlab.runs.result import accuracy_of, read_result, split_accuracy_of
from embedlab.runs.store import list_runs

WHOSE = "An example that came with embedlab"


def test_the_first_open_shows_a_finished_example_that_plays_once(open_page):
    at = open_page("home")
    assert not at.exception and list_runs() == []
    after = round(100 * accuracy_of(read_result(example_run(MINI)), COSINE).after)
    assert any(f"right label for {after} of 100 texts" in each.value for each in at.subheader)
    shown = maps(at)
    assert ["Before: untouched" in each for each in shown[:2]] == [True, True]  # the right one moves from there
    assert [bool(re.search(r"plays\W+true", each)) for each in shown[:2]] == [False, True]
    assert {button.label.split(" (")[0] for button in at.button} >= {
        "Train it yourself",
        "Six lessons of fifteen minutes",
    }
    assert WHOSE in words(at) and "How it got there" in words(at)


def test_the_details_of_the_example_have_the_run_that_left_the_test_texts_out(open_page):
    at = open_page("home")
    (details,) = (each for each in at.expander if each.label == "How sure is this?")
    unread = split_accuracy_of(read_result(example_run(LEFT_OUT)), COSINE)
    shares = f"{100 * unread.before:.1f} % → {100 * unread.after:.1f} %"
    assert f"left the 150 test texts out: kNN accuracy (cosine) {shares}" in words(details)


@pytest.mark.parametrize("page", ["maps", "layers", "length", "diagnostics"])
def test_pages_that_need_a_run_show_the_examples_view_until_there_is_one(open_page, page):
    at = open_page(page)
    assert not at.exception
    assert WHOSE in words(at) and at.button(key="empty-home").label == "Open Home"
    assert "Your first run will replace it" in words(at)
    if page == "maps":
        assert len(maps(at)) == 2
    if page == "layers":
        assert any(metric.label for metric in at.metric) and len(maps(at)) == 2
    if page == "diagnostics":
        assert "The mean cosine of two texts drawn at random" in words(at) and drawn(at)
        at.selectbox(key="diagnostics.part").set_value("hubness").run()
        assert not at.exception and "Hubness is" in words(at) and "Hubs after fine-tuning" in words(at)


@pytest.mark.parametrize("page", ["layers", "length"])
def test_a_run_that_was_not_measured_there_stands_beside_the_example(open_page, made_run, page):
    made_run("scratch:bert-mini")
    at = open_page(page)
    assert not at.exception and WHOSE in words(at) and "first run" not in words(at)


@pytest.mark.parametrize("page", ["maps", "evaluate", "layers", "length", "diagnostics"])
def test_beside_a_run_that_failed_no_numbers_of_another_are_shown(open_page, made_run, page):
    made_run("scratch:bert-mini", state="failed")
    at = open_page(page)
    assert not at.exception and "Lower the learning rate" in at.error[0].value
    assert WHOSE not in words(at) and not at.metric and at.button(key="empty-result").label == "See how it ended"


def test_a_measured_run_needs_no_example(open_page, made_run):
    run = made_run("scratch:bert-mini")
    run.layers.parent.mkdir()
    run.layers.write_bytes(example_run(MINI).layers.read_bytes())
    at = open_page("layers", run=run.id)
    assert not at.exception and WHOSE not in words(at)


@pytest.mark.parametrize("page", ["evaluate", "neighbors", "compare", "train"])
def test_pages_with_nothing_yet_say_what_will_be_there_and_show_the_examples(open_page, page):
    at = open_page(page)
    assert not at.exception
    assert words(at).count(WHOSE) == 1
    if page in ("evaluate", "train"):
        assert drawn(at) and any(metric.label.startswith("kNN accuracy") for metric in at.metric)
    if page == "compare":
        table = at.dataframe[0].value
        assert list(table["run"]) == ["mini, text crops", "mini, dropout pairs"]
        assert list(table["kNN after, cosine (%)"]) == pytest.approx(
            [100 * accuracy_of(read_result(example_run(kind)), COSINE).after for kind in (MINI, DROPOUT)]
        )
    if page == "neighbors":
        assert "share its label after fine-tuning" in words(at) and "Nearest on the maps" in words(at)


@pytest.mark.parametrize("page", ["compare", "runs"])
def test_with_a_run_the_example_is_gone(open_page, made_run, page):
    at = open_page(page, run=made_run("token").id)
    assert not at.exception and WHOSE not in words(at)


def test_a_package_without_the_example_still_says_what_to_do(open_page, monkeypatch):
    monkeypatch.setattr("embedlab.ui.components.built_in.example_run", lambda kind: None)
    at = open_page("neighbors")
    assert not at.exception and WHOSE not in words(at) and "There is no run yet" in words(at)


def test_the_nearest_on_a_map_leave_the_text_itself_out():
    places = DrawnMap(np.array([[0.0, 0], [3, 0], [1, 0], [0, 0]]), np.array([4, 6, 7, 9]), MapFacts())
    assert nearest_in_picture(places, 4, 2).rows.tolist() == [9, 7]
