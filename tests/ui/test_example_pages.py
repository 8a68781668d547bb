"""The packaged example in the pages of an empty store, and beside a run that has not been measured there."""

import re

import pytest
from seen import maps, words

from embedlab.example import LAYERS, TOKEN, example_run
from embedlab.runs.store import list_runs, read_result

WHOSE = "An example that came with embedlab"


def test_the_first_open_shows_a_finished_example_that_plays_once(open_page):
    at = open_page("home")
    assert not at.exception and list_runs() == []
    result = read_result(example_run(TOKEN))
    after = round(100 * result["knn"]["cosine"]["after"])
    assert any(f"Of 100 texts, {after} now get" in each.value for each in at.subheader)
    shown = maps(at)
    assert ["Before: untouched" in each for each in shown[:2]] == [True, True]  # the right one moves from there
    assert [bool(re.search(r"plays\W+true", each)) for each in shown[:2]] == [False, True]
    assert {button.label.split(" (")[0] for button in at.button} >= {"Train it yourself", "Use my own texts"}
    assert WHOSE in words(at) and "How it got there" in words(at)


@pytest.mark.parametrize("page", ["maps", "layers", "length"])
def test_pages_that_need_a_run_show_the_examples_view_until_there_is_one(open_page, page):
    at = open_page(page)
    assert not at.exception
    assert WHOSE in words(at) and at.button(key="empty-home").label == "Open Home"
    if page == "maps":
        assert len(maps(at)) == 2
    if page == "layers":
        assert any(metric.label for metric in at.metric)


@pytest.mark.parametrize("page", ["layers", "length"])
def test_a_run_that_was_not_measured_there_stands_beside_the_example(open_page, made_run, page):
    made_run("scratch:bert-mini")
    at = open_page(page)
    assert not at.exception and WHOSE in words(at)


def test_a_measured_run_needs_no_example(open_page, made_run):
    run = made_run("scratch:bert-mini")
    run.layers.parent.mkdir()
    run.layers.write_bytes(example_run(LAYERS).layers.read_bytes())
    at = open_page("layers", run=run.id)
    assert not at.exception and WHOSE not in words(at)
