"""Two workers never hold one run, also where kernel locks say nothing; who holds it is seen from other machines too."""

import fcntl
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from embedlab.errors import RunError
from embedlab.runs import lease as held
from embedlab.runs.lease import SILENT_SECONDS, Job, has_worker, hold_lease, last_lease, waits_elsewhere, write_job
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run, delete_run

JOB = Job(executor="ray", token="a1b2", id="job-1")
WITHOUT_LOCKS = """
import fcntl, sys
fcntl.flock = lambda *_: None  # the store lies on a disk that does not know locks
from embedlab.worker.work import main
sys.exit(main(sys.argv[1]))
"""


@pytest.fixture
def run(store):
    return create_run("train", {"corpus": "?"})


@pytest.fixture
def no_locks(monkeypatch):
    """A disk on which every lock is given to everyone."""
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)


@pytest.fixture
def another_machine(monkeypatch):
    """From here on this process looks, and works, as on a second machine."""

    def moved():
        monkeypatch.setattr(held, "this_host", lambda: "node-2")

    return moved


def test_of_many_who_come_at_once_one_holds_it(run, no_locks, monkeypatch):
    monkeypatch.setattr(held, "_lives", lambda _: False)  # each looks before any of them has claimed it
    write_job(run, JOB)
    inside = []

    def work(_):
        try:
            with hold_lease(run, JOB.token):
                inside.append(1)
                time.sleep(0.3)  # as long as it takes for all to have tried
                return True
        except RunError as error:
            assert error.code == "E-RUN-BUSY"
            return False

    monkeypatch.setattr(held, "_newest", lambda _: None)  # nor does any see a file of another
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 1
    assert len(inside) == 1


def test_a_second_worker_process_leaves_it_alone_without_any_lock(run, no_locks):
    with hold_lease(run):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_LOCKS, str(run.path)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert f"already has a worker on {socket.gethostname()} (process {os.getpid()})" in done.stderr
    assert read_state(run).state is not State.FAILED


def test_a_worker_of_an_earlier_job_leaves_it_alone(run):
    write_job(run, JOB.model_copy(update={"token": "ffff"}))
    with pytest.raises(RunError, match="started again"), hold_lease(run, JOB.token):
        pass
    write_job(run, None)  # it was started on this computer since
    with pytest.raises(RunError, match="started again"), hold_lease(run, JOB.token):
        pass


def test_on_its_own_machine_a_dead_process_holds_nothing_at_once(run):
    write_job(run, JOB)
    code = f"""
import os
from embedlab.runs.lease import hold_lease
from embedlab.runs.folder import RunFolder
from pathlib import Path
with hold_lease(RunFolder(Path({str(run.path)!r})), {JOB.token!r}):
    os._exit(9)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    assert last_lease(run).token == JOB.token and not has_worker(run)
    write_state(run, State.RUNNING)
    assert read_state(run).state is State.INTERRUPTED
    with hold_lease(run, JOB.token):
        assert has_worker(run) and read_state(run).state is State.RUNNING


def test_from_another_machine_a_worker_lives_until_it_is_silent_for_long(run, another_machine):
    write_job(run, JOB)
    with hold_lease(run, JOB.token):
        another_machine()
        write_state(run, State.RUNNING)
        file = run.workers / "0001.json"
        now = time.time()
        for age, state in ((0, State.RUNNING), (SILENT_SECONDS - 3, State.RUNNING), (30, State.INTERRUPTED)):
            os.utime(file, (now - age, now - age))
            assert read_state(run).state is state, age
        assert SILENT_SECONDS < 30


def test_that_clocks_differ_between_machines_changes_nothing(run, another_machine, monkeypatch):
    write_job(run, JOB)
    with hold_lease(run, JOB.token):
        another_machine()
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        assert has_worker(run)


def test_a_waiting_run_is_no_interrupted_one(run):
    write_job(run, JOB)
    os.utime(run.state, (1, 1))  # queued long ago
    assert waits_elsewhere(run) and read_state(run).state is State.QUEUED
    with pytest.raises(RunError, match="is waiting on a cluster"):
        delete_run(run)
    with hold_lease(run, JOB.token):
        assert not waits_elsewhere(run)
    assert waits_elsewhere(run)  # it left by itself and begins again
    write_job(run, None)
    assert not waits_elsewhere(run) and read_state(run).state is State.INTERRUPTED


def test_a_worker_that_lost_its_run_ends(run):
    write_job(run, JOB)
    code = f"""
import time
from pathlib import Path
from embedlab.runs import lease as held
from embedlab.runs.folder import RunFolder
held.BEAT_SECONDS = 0.1
with held.hold_lease(RunFolder(Path({str(run.path)!r})), {JOB.token!r}):
    print("holds it", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as it:
        assert it.stdout.readline() == "holds it\n"
        write_job(run, JOB.model_copy(update={"token": "new"}))
        assert it.wait(timeout=30) == 75
        assert "held by another worker" in it.stderr.read()
