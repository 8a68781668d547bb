"""A form times what nobody has run yet: one timing at a time, ended by the next change, none beside other work."""

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.training.settings import Estimate
from embedlab.ui.components.train_fields import FOUND_OUT, LATER


def form(corpus: str, seed: int | None) -> None:
    """A form that asks for this seed; None: it is wrong, or its time is known."""
    from embedlab.training.settings import Estimate
    from embedlab.ui.components.train_fields import time_by_itself

    time_by_itself(None if seed is None else Estimate(corpus=corpus, seed=seed))


@pytest.fixture
def started(toy_corpus, monkeypatch):
    """The timings that were begun, as if their workers were at work."""
    begun, locks = [], []

    def start(request: Estimate):
        folder = create_run(request.task, request.stored)
        write_state(folder, State.RUNNING, device="cpu")
        locks.append(FileLock(folder.lock))
        locks[-1].acquire()
        begun.append(folder)
        return folder

    monkeypatch.setattr("embedlab.ui.components.train_fields.start_once", start)
    yield begun
    for lock in locks:
        lock.release()


def test_the_next_change_ends_the_timing_before_and_waits_for_its_end(started, toy_corpus):
    at = AppTest.from_function(form, args=(toy_corpus.fingerprint, 0)).run()
    assert [each.value for each in at.caption] == [FOUND_OUT] and len(started) == 1
    assert len(started) == 1 and not started[0].stop.exists()
    changed = AppTest.from_function(form, args=(toy_corpus.fingerprint, 1))
    changed.session_state["timing"] = at.session_state["timing"]
    changed.run()
    assert started[0].stop.exists() and len(started) == 1
    assert [each.value for each in changed.caption] == [LATER]


def test_a_form_that_needs_no_time_ends_its_timing(started, toy_corpus):
    at = AppTest.from_function(form, args=(toy_corpus.fingerprint, 0)).run()
    gone = AppTest.from_function(form, args=(toy_corpus.fingerprint, None))
    gone.session_state["timing"] = at.session_state["timing"]
    gone.run()
    assert started[0].stop.exists() and not gone.caption


@pytest.mark.parametrize("task", ["map", "train", "estimate"])
def test_beside_other_work_nothing_is_timed(started, toy_corpus, task):
    other = create_run(task, {"corpus": "?", "encoder": "token", "recipe": "crops"})
    write_state(other, State.RUNNING)
    with FileLock(other.lock):
        at = AppTest.from_function(form, args=(toy_corpus.fingerprint, 0)).run()
    assert not started and [each.value for each in at.caption] == [LATER]
