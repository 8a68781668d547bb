"""Real worker processes: one at a time on a device, in order; one per run; errors and stops written down."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from filelock import FileLock
from patience import until

from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.requests.measuring import CompareRuns
from embedlab.jobs.runner import request_stop, submit, submit_once, wait
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, list_runs, read_rows, stored_request
from embedlab.session import working_for
from embedlab.store_root import read_json, store_root, write_json
from embedlab.training.settings import RunSettings


@pytest.fixture
def ended():
    """Runs whose workers must not outlive the test."""
    folders = []
    yield folders
    for folder in folders:
        facts = read_state(folder)
        if not facts.is_over and facts.pid:
            os.kill(facts.pid, signal.SIGKILL)


@pytest.fixture
def no_worker(monkeypatch):
    """Nothing is started: it is only looked which run it would be."""
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)


def test_two_runs_never_share_the_device_and_keep_their_order(tiny):
    folders = [submit(RunSettings(**{**tiny, "seed": seed})) for seed in range(2)]
    facts = [wait(folder) for folder in folders]
    assert [f.state for f in facts] == [State.FINISHED] * 2
    times = [(datetime.fromisoformat(f.started), datetime.fromisoformat(f.ended)) for f in facts]
    assert times[0][0] < times[0][1] <= times[1][0] < times[1][1]
    assert read_json(folders[0].result)["weights_hash"] != read_json(folders[1].result)["weights_hash"]


def test_a_waiting_run_can_be_stopped_and_loses_nothing_of_the_other(tiny, ended):
    (store_root() / "locks").mkdir()
    with FileLock(store_root() / "locks" / "cpu.lock"):
        folder = submit(RunSettings(**{**tiny, "device": "cpu"}))
        ended.append(folder)
        until(lambda: read_state(folder).pid)
        assert read_state(folder).state is State.QUEUED
        request_stop(folder)
        assert wait(folder).state is State.STOPPED
    assert not folder.result.exists() and not folder.metrics.exists()


@pytest.mark.slow
def test_a_second_worker_leaves_a_run_alone(tiny):
    folder = create_run("train", tiny)
    with FileLock(folder.lock):
        command = [sys.executable, "-m", "embedlab.worker", str(folder.path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "already has a worker" in done.stderr
    assert read_state(folder).state in (State.QUEUED, State.INTERRUPTED)


def test_a_mistake_that_only_the_worker_sees_is_written_down_as_one(tiny):
    folder = submit(RunSettings(**{**tiny, "recipe": "dropout"}))
    facts = wait(folder)
    assert facts.state is State.FAILED and facts.exit_code == 2
    assert facts.error.code == "E-UNFIT" and "identical" in facts.error.message


def test_the_same_job_is_not_started_twice(store):
    first = create_run("compare", CompareRuns(rows=()).stored)
    with FileLock(first.lock):
        assert submit_once(CompareRuns(rows=())).id == first.id
    assert [folder.id for folder in list_runs("jobs")] == [first.id]


@pytest.mark.parametrize(
    ("name", "session", "seconds", "is_same"),
    [
        ("team 1", "a", 2, True),  # a second click
        ("team 1", "a", 11, False),
        ("team 1", "b", 2, False),  # another team of the same name
        ("team 2", "a", 2, False),
        ("", "a", 2, False),
    ],
)
def test_a_name_makes_a_run_another_run(store, no_worker, name, session, seconds, is_same):
    with working_for("a"):
        first = create_run("compare", CompareRuns(rows=()).stored, name="team 1")
    long_ago = (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()
    write_json(first.settings, read_json(first.settings) | {"created": long_ago})
    with FileLock(first.lock), working_for(session):
        folder = submit_once(CompareRuns(rows=()), name=name, is_own_name=True)
    assert (folder.id == first.id) == is_same


def test_a_name_that_the_app_gives_makes_no_run_another_run(store, no_worker):
    with working_for("a"):
        first = create_run("compare", CompareRuns(rows=()).stored, name="demo")
    with FileLock(first.lock), working_for("b"):
        assert submit_once(CompareRuns(rows=()), name="demo").id == first.id
        assert submit_once(CompareRuns(rows=()), name="team 1", is_own_name=True).id != first.id


def test_what_a_worker_begins_besides_belongs_to_who_asked_for_the_run(tiny):
    with working_for("a"):
        folder = submit(RunSettings(**{**tiny, "maps": True}))
    wait(folder)
    assert {stored_request(each).session for each in [folder, *list_runs("jobs")]} == {"a"}
    assert read_rows(folder.resources)  # a training is looked at while it works
    assert not any(job.resources.exists() for job in list_runs("jobs"))


def test_two_who_ask_at_the_same_moment_share_one_job(store, monkeypatch):
    def slowly(request, *, name=""):
        time.sleep(0.2)  # long enough for the other one to look
        return create_run(request.task, request.stored, name=name)

    monkeypatch.setattr("embedlab.jobs.runner.submit", slowly)
    with ThreadPoolExecutor(2) as both:
        jobs = list(both.map(lambda _: submit_once(CompareRuns(rows=())).id, range(2)))
    assert jobs[0] == jobs[1] and [folder.id for folder in list_runs("jobs")] == jobs[:1]


def test_an_unexpected_error_is_a_sentence_and_its_trace_is_in_the_log(store):
    run = create_run("train", {"corpus": 7})
    folder = submit(DrawMaps(run=run.id))
    facts = wait(folder)
    assert facts.state is State.FAILED and facts.error.code == "E-UNEXPECTED"
    assert "Traceback" not in facts.error.message and "Traceback" in folder.log.read_text(encoding="utf-8")
