"""The picked run stays the picked run: whatever its line says by now, and whatever a late click still brings along."""

import pytest
from seen import words

from embedlab.runs.store import new_id

PICKER = "run_picker"


@pytest.fixture
def clock(monkeypatch):
    """``clock("7 min ago")``: what every run's age is called from now on."""

    def says(age: str) -> None:
        monkeypatch.setattr("embedlab.ui.frame.pickers.ago", lambda moment: age)

    says("6 min ago")
    return says


@pytest.fixture
def runs(made_run):
    """Three runs, the newest last."""
    return [made_run("token", name=name) for name in ("first", "second", "third")]


def late(at, states, line: str) -> None:
    """A click of a browser whose picker still says ``line``."""
    (box,) = (each for each in states.widgets if PICKER in each.id)
    box.string_value = line
    at._run(widget_state=states)


def box_line(at) -> str:
    box = at.selectbox(key=PICKER)
    return box.format_func(box.value)


def test_a_click_from_a_page_whose_lines_are_a_minute_old_keeps_the_run(open_page, runs, clock):
    at = open_page("result", run=runs[0].id)
    states, line = at._tree.get_widget_states(), box_line(at)
    clock("7 min ago")
    at.run()
    assert "7 min ago" in box_line(at) and "6 min ago" in line
    late(at, states, line)
    assert not at.exception
    assert at.session_state["run"] == runs[0].id and at.query_params["run"] in (runs[0].id, [runs[0].id])
    assert at.selectbox(key=PICKER).value == runs[0].id


def test_a_choice_from_such_a_page_is_the_run_whose_line_was_clicked(open_page, runs, clock):
    at = open_page("result", run=runs[0].id)
    states, other = at._tree.get_widget_states(), at.selectbox(key=PICKER).format_func(runs[1].id)
    clock("7 min ago")
    at.run()
    late(at, states, other)
    assert at.session_state["run"] == runs[1].id


def test_a_line_that_nobody_ever_drew_changes_nothing(open_page, runs, clock):
    at = open_page("result", run=runs[0].id)
    late(at, at._tree.get_widget_states(), "another session's line")
    assert at.session_state["run"] == runs[0].id


def test_a_choice_is_not_undone_by_a_click_that_still_brings_the_old_address(open_page, runs):
    at = open_page("result", run=runs[0].id)
    at.selectbox(key=PICKER).set_value(runs[1].id).run()
    at.query_params["run"] = runs[0].id  # the browser has not shown the new one yet
    at.run()
    assert at.session_state["run"] == runs[1].id and at.query_params["run"] in (runs[1].id, [runs[1].id])


def test_a_link_opens_its_run_however_many_are_newer(open_page, runs, monkeypatch):
    monkeypatch.setattr("embedlab.ui.frame.pickers.SHOWN_RUNS", 1)
    at = open_page("result", run=runs[0].id)
    assert at.session_state["run"] == runs[0].id
    assert len(at.selectbox(key=PICKER).options) == 2
    at.run()
    assert at.session_state["run"] == runs[0].id


@pytest.mark.parametrize("page", ["home", "result", "compare"])
def test_an_unknown_run_in_the_address_is_said_in_the_body_and_changes_nothing(open_page, runs, page):
    at = open_page(page, run=runs[0].id, distance="euclidean")
    unknown = new_id()
    at.query_params["run"] = unknown
    at.run()
    assert not at.exception
    said = [each.value.replace("\\", "") for each in at.main.warning]
    assert sum(unknown in sentence and "not in this store" in sentence for sentence in said) == 1
    assert at.session_state["run"] == runs[0].id
    assert at.query_params["run"] in (unknown, [unknown])
    assert at.query_params["distance"] in ("euclidean", ["euclidean"])
    if page != "result":
        return  # the box is on the page of the run
    at.selectbox(key=PICKER).set_value(runs[1].id).run()
    assert unknown not in words(at)
    assert at.query_params["run"] in (runs[1].id, [runs[1].id])


def test_an_unknown_run_opens_the_newest_where_none_was_picked(open_page, runs):
    at = open_page("result", run=new_id())
    assert at.session_state["run"] == runs[2].id and "not in this store" in words(at)
