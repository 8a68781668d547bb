"""Jobs of another session: Stop, Cancel, Rename and Delete say so and ask, once; one's own are not asked about."""

import pytest
from filelock import FileLock

from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.session import COMMAND_LINE, working_for
from embedlab.store_root import read_json, write_json
from embedlab.ui.frame import progress

OTHER = "0123456789abcdef"


def of_session(run, name: str):
    write_json(run.settings, read_json(run.settings) | {"session": name})
    return run


@pytest.fixture
def at_work(toy_corpus):
    """``at_work(session)``: a run that a living worker holds."""
    locks = []

    def made(name: str):
        asked = {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}
        with working_for(name):
            run = create_run("train", asked, name="team 1")
        write_state(run, State.RUNNING)
        locks.append(FileLock(run.lock))
        locks[-1].acquire()
        return run

    yield made
    for lock in locks:
        lock.release()


def button(at, label: str):
    return next((each for each in at.button if each.label == label), None)


def written(at) -> str:
    return " ".join(each.value for each in at.markdown)


def test_one_s_own_run_is_stopped_at_once(open_page, at_work, monkeypatch):
    monkeypatch.setattr(progress, "session_id", lambda: OTHER)
    run = at_work(OTHER)
    at = open_page("result", run=run.id)
    button(at, "Stop and keep the best").click().run()
    assert run.stop.exists() and "Started elsewhere" not in written(at)


def test_a_run_of_another_session_is_stopped_after_one_question(open_page, at_work):
    run = at_work(OTHER)
    at = open_page("result", run=run.id)
    assert button(at, "Stop and keep the best") is None and "Started elsewhere just now. Stop it" in written(at)
    button(at, "Stop it").click().run()
    assert run.stop.exists() and not run.stop_now.exists()
    button(at, "Skip measuring").click().run()  # asked once
    assert run.stop_now.exists()


def test_a_run_of_the_command_line_says_so(open_page, at_work):
    at = open_page("result", run=at_work(COMMAND_LINE).id)
    assert "Started on the command line just now. Stop it anyway?" in written(at)


def test_a_run_of_another_session_is_renamed_after_one_question(open_page, made_run):
    run = of_session(made_run(name="team 1"), OTHER)
    at = open_page("result", run=run.id)
    assert "Started elsewhere just now. Others may look for it under its old name." in written(at)
    at.text_input(key=f"renaming.name-{run.id}").set_value("mine")
    button(at, "Rename anyway").click().run()
    assert stored_request(run).name == "mine" and stored_request(run).session == OTHER
    assert button(at, "Keep") is not None  # asked once
    assert not at.exception and "mine" in at.selectbox(key="run_picker").options[0]


def test_a_run_of_another_session_is_deleted_after_one_question(open_page, made_run):
    remaining, run = made_run(name="team 2"), of_session(made_run(name="team 1"), OTHER)
    at = open_page("result", run=run.id)
    assert "Started elsewhere just now. Delete team 1" in written(at)
    button(at, "Delete it").click().run()
    assert not at.exception and [each.id for each in list_runs()] == [remaining.id]
    assert "Delete team 2" in written(at) and "Started elsewhere" not in written(at)


def test_a_reload_is_the_same_session_and_the_cookie_itself_is_not_stored(monkeypatch):
    def named(cookies: dict) -> str:
        monkeypatch.setattr(progress.st, "context", type("Context", (), {"cookies": cookies}))
        return progress.session_id()

    first, again, other = (named({progress.COOKIE: value}) for value in ("abc", "abc", "abd"))
    assert first == again != other and "abc" not in first
