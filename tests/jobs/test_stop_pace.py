"""Stop waits as long as the run's own steps explain: three times the longest, and ten times where one hangs."""

import os
import time

import pytest

from embedlab.jobs.runner import StoppingPace, enforce_stop, request_stop, resume, stopping_line
from embedlab.runs.beat import LIVE_POINT, MEASURING, STEP, Beat
from embedlab.runs.lease import hold_lease
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run

NOTHING, ASKED, ENDED = [], [False], [True]


@pytest.fixture
def run(store):
    return create_run("train", {"corpus": "docs"})


@pytest.fixture
def ended(monkeypatch):
    """How the worker was ended, each time: firmly or not."""
    calls: list[bool] = []
    monkeypatch.setattr("embedlab.jobs.executors.local.Local.stop", lambda *_, firmly=True: calls.append(firmly))
    return calls


def aged(file, seconds: float, content: str | None = None) -> None:
    if content is not None:
        file.write_text(content, encoding="utf-8")
    moment = time.time() - seconds
    os.utime(file, (moment, moment))


@pytest.mark.parametrize(
    ("longest", "patience", "hanging"), [(0.0, 20, 30), (0.1, 20, 30), (5.0, 20, 50), (30.0, 90, 300), (60.0, 180, 600)]
)
def test_the_patience_is_three_and_ten_times_the_longest_work(longest, patience, hanging):
    for quiet in (0.0, patience - 0.1, patience, hanging - 0.1, hanging, 10 * hanging):
        pace = StoppingPace(since_stop=1000.0, quiet=quiet, longest=longest)
        assert (pace.is_over_patience, pace.is_hanging) == (quiet >= patience, quiet >= hanging)
    assert not StoppingPace(since_stop=19.0, quiet=1000.0, longest=longest).is_over_patience  # Stop is heard first


@pytest.mark.parametrize(
    ("seconds", "longest", "work", "calls"),
    [
        (26.0, 30.0, STEP, NOTHING),  # it was killed
        (80.0, 30.0, STEP, NOTHING),
        (95.0, 30.0, STEP, ASKED),
        (305.0, 30.0, STEP, ENDED),
        (25.0, 0.1, STEP, ASKED),
        (35.0, 0.1, STEP, ENDED),
        (25.0, None, STEP, ASKED),  # the first step: nothing says that it takes longer
        (80.0, 30.0, LIVE_POINT, NOTHING),
        (80.0, 30.0, MEASURING, NOTHING),
    ],
)
def test_a_stopping_worker_has_the_time_of_its_own_pace(run, ended, seconds, longest, work, calls):
    with hold_lease(run):
        write_state(run, State.RUNNING)
        request_stop(run)
        aged(run.stop, 1000.0)
        aged(run.progress, 1000.0, '{"stage": "Fine-tuning", "done": 1, "total": 20, "at": 1.0}')
        beat = Beat(work=work, seconds=seconds, longest=longest, done=1, planned=20)
        aged(run.beat, 0.0, beat.model_dump_json())
        for _ in range(3):  # a page looks every second; a second signal would end the step
            enforce_stop(run)
        assert sorted(set(ended)) == calls and (calls == ENDED or len(ended) == len(calls))


def test_measuring_that_is_skipped_is_not_waited_for_by_its_pace(run, ended):
    with hold_lease(run):
        write_state(run, State.RUNNING)
        for _ in range(2):
            request_stop(run)
        aged(run.stop, 1000.0)
        aged(run.beat, 0.0, Beat(work=MEASURING, seconds=40.0, longest=100.0).model_dump_json())
        enforce_stop(run)
        assert ended == ENDED


@pytest.mark.parametrize(("seconds", "calls"), [(15.0, NOTHING), (25.0, ASKED), (35.0, ENDED)])
def test_a_job_without_a_beat_is_as_slow_as_its_progress(run, ended, seconds, calls):
    with hold_lease(run):
        write_state(run, State.RUNNING)
        request_stop(run)
        aged(run.stop, 1000.0)
        aged(run.progress, seconds, "{}")
        enforce_stop(run)
        assert ended == calls


def test_the_page_says_what_is_waited_for_and_how_long_it_takes(run):
    request_stop(run)
    assert stopping_line(run) is None
    aged(run.beat, 0.0, Beat(work=STEP, seconds=12.0, longest=34.0, done=1, planned=20).model_dump_json())
    line = stopping_line(run)
    assert "step 2" in line and "12 s ago" in line and "34 s" in line and "6 min" in line
    aged(run.beat, 0.0, Beat(work=STEP, seconds=0.05, longest=0.1, done=1, planned=20).model_dump_json())
    assert stopping_line(run) is None


def test_resume_forgets_the_signal(run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    write_state(run, State.RUNNING)
    request_stop(run)
    run.stop_signal.touch()
    resume(run)
    assert not run.stop.exists() and not run.stop_signal.exists()
