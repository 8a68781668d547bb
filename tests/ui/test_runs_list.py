"""The table of all runs: searched, filtered, grouped; ticked runs are compared or deleted, a click opens one."""

from types import SimpleNamespace

import pytest
import streamlit as st
from seen import words

from embedlab.report.run_rows import grouped, is_wanted
from embedlab.runs.store import list_runs, rename_run
from embedlab.store_root import read_json, write_json

ROW = {"run": "first try", "tags": None, "note": "for the Lecture", "corpus": "toy", "encoder": "MiniLM",
       "recipe": "Text crops", "state": "finished"}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "wanted", "is_left"),
    [
        ("", {}, True),
        ("LECTURE minilm", {}, True),
        ("lecture bert", {}, False),
        ("", {"corpus": ["toy"], "state": []}, True),
        ("", {"corpus": ["other"]}, False),
        ("try", {"corpus": ["toy", "other"], "state": ["failed"]}, False),
    ],
)
def test_every_word_and_every_filter_counts(typed, wanted, is_left):
    assert is_wanted(ROW, typed, wanted) == is_left


def test_groups_keep_every_row_once_in_order():
    rows = [(number, {"corpus": name}) for number, name in enumerate(["b", "a", "b", None])]
    found = grouped(rows, "corpus")
    assert [(name, [run for run, _ in members]) for name, members in found] == [("b", [0, 2]), ("a", [1]), ("", [3])]
    assert [name for name, _ in grouped(rows, "")] == [""]


def names_in(at) -> list[str]:
    return [name for table in at.dataframe for name in table.value["run"]]


def test_the_page_searches_filters_and_groups(open_page, made_run):
    made_run(name="one"), made_run(name="two", state="failed")
    rename_run(made_run(name="three"), "three", "the best so far")
    at = open_page("runs")
    assert not at.exception and names_in(at) == ["three", "two", "one"]
    at.text_input(key="runs.search").set_value("best").run()
    assert names_in(at) == ["three"] and "1 of 3 runs shown." in words(at)
    at.text_input(key="runs.search").set_value("").run()
    at.multiselect(key="runs.only-state").set_value(["failed"]).run()
    assert names_in(at) == ["two"] and "Failed: two" in words(at).replace(":red[Failed:]", "Failed:")
    at.multiselect(key="runs.only-state").set_value([]).run()
    at.selectbox(key="runs.group").set_value("state").run()
    assert [each.value for each in at.subheader] == ["finished · 2 runs", "failed · 1 run"]
    assert names_in(at) == ["three", "one", "two"]
    at.text_input(key="runs.search").set_value("nothing of this").run()
    assert "No run matches" in words(at)


@pytest.fixture
def touch(monkeypatch):
    """``touch(rows=[0, 1])``: what the browser says of the table when the page is drawn next."""
    touched = {}
    draw = st.dataframe

    def drawn(*args, **more):
        event = draw(*args, **more)
        return SimpleNamespace(selection=SimpleNamespace(**touched)) if more.get("on_select") and touched else event

    monkeypatch.setattr("streamlit.dataframe", drawn)
    return lambda rows=(), cells=(): touched.update(rows=list(rows), cells=list(cells))


def test_two_ticked_runs_are_compared(open_page, made_run, touch):
    runs = [made_run(name=name) for name in ("one", "two", "three")]
    at = open_page("runs")
    assert at.button(key="runs.compare").disabled
    touch(rows=[2, 0])
    at.run()
    assert at.button(key="runs.compare").label == "Compare 2 runs"
    assert list(at.table[0].value["run"])[-2:] == ["one", "three"] and "Settings that differ" in words(at)
    at.button(key="runs.compare").click().run()
    assert not at.exception and at.session_state["runs.view"] == "metrics"
    assert at.multiselect(key="compare.runs").value == [runs[0].id, runs[2].id]


def test_ticked_runs_are_deleted_and_one_at_work_stays(open_page, made_run, touch):
    kept, works, gone = made_run(name="kept"), made_run(name="works", state="queued"), made_run(name="gone")
    write_json(gone.settings, read_json(gone.settings) | {"session": "of another"})
    at = open_page("runs")
    touch(rows=[0, 1])
    at.run()
    assert "Delete 1 run with encoders" in words(at) and "1 run still running stays." in words(at)
    assert "1 run of them was started elsewhere." in words(at)
    at.button(key="runs.delete").click().run()
    assert not at.exception and {run.id for run in list_runs()} == {kept.id, works.id}


def test_a_click_opens_its_run_also_where_another_tab_of_it_was_open(open_page, made_run, touch):
    first, second = made_run(name="first"), made_run(name="second")
    at = open_page("evaluate", run=second.id)
    at.query_params.clear()  # as a click in the sidebar does
    at.switch_page("../../../pages/runs.py").run()
    touch(cells=[(1, "run")])
    at.run()
    assert at.session_state["run"] == first.id and at.session_state["tab"] == "Result"
    assert at.query_params["tab"] in ("Result", ["Result"])


def test_the_columns_are_of_the_distance_that_is_shown(open_page, made_run):
    made_run(name="one")
    at = open_page("runs")
    assert "kNN after, cosine (%)" in at.dataframe[0].value and "kNN after, Euclidean (%)" not in at.dataframe[0].value
    at.segmented_control(key="distance").set_value("euclidean").run()
    assert "kNN after, Euclidean (%)" in at.dataframe[0].value and "kNN after, cosine (%)" not in at.dataframe[0].value
