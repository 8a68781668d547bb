"""One job of a page: its button, its progress, its failure with another try, what it found."""

import pytest
from streamlit.testing.v1 import AppTest

from embedlab.jobs.executors import LOCAL
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.drawing import MeasureMoves
from embedlab.jobs.runner import submit
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, write_state
from embedlab.store_root import write_json


def _panel(begins: bool, shows: bool, is_outdated: bool) -> None:
    import streamlit as st

    from embedlab.jobs.requests.drawing import MeasureMoves
    from embedlab.store_root import read_json
    from embedlab.ui.frame.progress import job_panel

    job_panel(
        MeasureMoves(run="abc"),
        key="the-key",
        start=None if begins else "Measure it",
        show=(lambda job: st.write(read_json(job.result)["said"])) if shows else None,
        is_outdated=lambda job: is_outdated,
    )


@pytest.fixture
def panel(store, monkeypatch):
    """``panel(begins=True)``: a page with this panel alone; no process is ever started."""
    monkeypatch.setattr(type(LOCAL), "submit", lambda *_: None)

    def drawn(*, begins: bool = False, shows: bool = True, is_outdated: bool = False) -> AppTest:
        given = {"begins": begins, "shows": shows, "is_outdated": is_outdated}
        return AppTest.from_function(_panel, kwargs=given, default_timeout=30).run()

    return drawn


def labels(at: AppTest) -> list[str]:
    assert not at.exception
    return [button.label for button in at.button]


def test_a_click_starts_the_job_which_is_followed_shown_and_tried_again(panel):
    at = panel()
    assert labels(at) == ["Measure it"] and newest_job("moves", run="abc") is None
    at.button("the-key").click().run()
    job = find_job(MeasureMoves(run="abc"))
    assert labels(at) == ["Cancel"] and job is not None
    write_state(job, State.FAILED, error={"code": "E-DISK", "message": "The disk is full. Make room."})
    at.run()
    assert [each.value for each in at.error] == ["The disk is full\\. Make room\\."] and labels(at) == ["Try again"]
    at.button("the-key").click().run()
    again = newest_job("moves", run="abc")
    assert again != job and not at.error and labels(at) == ["Cancel"]
    write_json(again.result, {"said": "42 texts moved"})
    write_state(again, State.FINISHED)
    at.run()
    assert [each.value for each in at.markdown] == ["42 texts moved"] and labels(at) == []
    assert labels(panel(shows=False)) == ["Measure it"] and labels(panel(is_outdated=True)) == ["Measure it"]


def test_a_job_that_begins_by_itself_has_a_button_only_after_a_failure(panel):
    at = panel(begins=True)
    job = newest_job("moves", run="abc")
    assert labels(at) == ["Cancel"]
    write_state(job, State.FAILED, error={"code": "E", "message": "No."})
    at.run()
    assert labels(at) == ["Try again"] and newest_job("moves", run="abc") == job


def test_a_failed_job_that_another_tab_tries_again_is_followed_here(panel, monkeypatch):
    watched = []
    monkeypatch.setattr("embedlab.ui.frame.progress.watch_for_resume", lambda key, is_over: watched.append(is_over))
    at = panel()
    at.button("the-key").click().run()
    write_state(newest_job("moves", run="abc"), State.FAILED, error={"code": "E", "message": "No."})
    at.run()
    (is_over,) = watched
    assert is_over()
    submit(MeasureMoves(run="abc"))
    assert not is_over()
