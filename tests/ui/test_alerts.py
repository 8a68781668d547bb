"""A run of this browser that ends is told once; those of others, and the runs of a study, are not."""

import pytest
from builders import leave_state
from seen import sent

from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.session import COMMAND_LINE
from embedlab.store_root import read_json, write_json
from embedlab.ui.frame import sidebar


@pytest.fixture
def working(monkeypatch):
    """The runs that the sidebar holds for active."""
    active = []
    monkeypatch.setattr(sidebar, "active_jobs", lambda: list(active))
    monkeypatch.setattr(sidebar, "progress_bar", lambda *_, **__: None)
    monkeypatch.setattr(sidebar, "look_after", lambda *_: None)
    return active


def told(at) -> dict:
    return next(each for each in sent(at) if "ended" in each)


def test_a_run_that_ends_is_told_with_its_outcome(open_page, made_run, working):
    run = made_run(name="mine", state="running")
    working.append(run)
    at = open_page("home")
    assert told(at) == {"ended": [], "working": True}
    working.clear()
    leave_state(run, "failed", error={"code": "E-NON-FINITE", "message": "The loss stopped being a number."})
    at.run()
    expected = [{"id": run.id, "title": "mine", "line": "Failed: The loss stopped being a number."}]
    assert told(at) == {"ended": expected, "working": False}
    at.run()
    assert told(at)["ended"] == expected  # the browser tells it once


def test_the_verdict_is_in_the_line_of_a_finished_run(open_page, made_run, working):
    run = made_run(state="finished")
    write_state(run, State.RUNNING)
    working.append(run)
    at = open_page("home")
    working.clear()
    write_state(run, State.FINISHED)
    at.run()
    assert "kNN accuracy" in told(at)["ended"][0]["line"]


def test_what_ended_before_the_page_opened_and_what_others_started_is_not_told(open_page, made_run, working):
    made_run(state="finished")
    other = made_run(state="running")
    write_json(other.settings, read_json(other.settings) | {"session": COMMAND_LINE})
    working.append(other)
    at = open_page("home")
    assert told(at) == {"ended": [], "working": False}
    working.clear()
    leave_state(other, "finished")
    at.run()
    assert told(at)["ended"] == []


def test_the_runs_of_a_study_are_not_told_one_by_one(open_page, made_run, working):
    run, study = made_run(state="running"), create_run("study", {})
    working += [run, study]
    at = open_page("home")
    working.remove(run)
    leave_state(run, "finished")
    at.run()
    assert told(at)["ended"] == []
    working.clear()
    leave_state(study, "finished")
    at.run()
    assert [(each["title"], each["line"]) for each in told(at)["ended"]] == [("Study", "Finished.")]
