"""Clocks that run ahead or are set: a run is as alive as its worker, and took as long as it took."""

import os
import time
from datetime import UTC, datetime

import psutil
import pytest

from embedlab.jobs.progress import FolderProgress, stages_of
from embedlab.jobs.runner import STOP_PATIENCE_SECONDS, enforce_stop, request_stop
from embedlab.runs import lease
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import has_worker, hold_lease, note_started
from embedlab.runs.state import State, moment_of, read_state, steady_time, write_state
from embedlab.runs.store import create_run

DAY = 24 * 3600


@pytest.fixture
def run(store) -> RunFolder:
    return create_run("train", {"corpus": "docs"})


@pytest.fixture
def set_clock(monkeypatch):
    """``set_clock(seconds)``: the wall clock is so far from where it was; psutil reckons from the time of the boot."""
    real, created = time.time, psutil.Process.create_time

    def changed(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: real() + seconds)
        monkeypatch.setattr(psutil.Process, "create_time", lambda process: created(process) + seconds)

    return changed


@pytest.mark.parametrize("ahead", [-3600, -2, 2, 3600])
def test_a_fresh_run_waits_for_its_worker_whatever_the_clock_of_the_disk(run, monkeypatch, ahead):
    created = time.time() + ahead  # as the disk says it
    os.utime(run.state, (created, created))
    monkeypatch.setattr("embedlab.runs.lease.disk_time", lambda: created + 5)
    assert read_state(run).state is State.QUEUED
    monkeypatch.setattr("embedlab.runs.lease.disk_time", lambda: created + 60)
    assert read_state(run).state is State.INTERRUPTED


def test_the_clock_of_the_disk_is_that_of_a_file_it_touches(store, monkeypatch):
    before = lease.disk_time()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert lease.disk_time() >= before > 10**9


@pytest.mark.parametrize("seconds", [-DAY, DAY])
def test_a_clock_that_is_set_ends_no_worker(run, set_clock, seconds):
    note_started(run, os.getpid())
    set_clock(seconds)
    assert read_state(run).state is State.QUEUED  # the process that was started still lives
    with hold_lease(run):
        write_state(run, State.RUNNING)
        set_clock(-seconds)
        assert has_worker(run) and read_state(run).state is State.RUNNING
    assert not has_worker(run)


def test_a_stopping_worker_is_given_its_time_also_where_the_clock_is_ahead(run, set_clock, monkeypatch):
    ended = []
    monkeypatch.setattr("embedlab.jobs.executors.local.Local.stop", lambda *_, firmly: ended.append(firmly))
    with hold_lease(run):
        write_state(run, State.RUNNING)
        request_stop(run)
        set_clock(DAY)
        enforce_stop(run)
        assert ended == []
        os.utime(run.stop, (time.time() - DAY - STOP_PATIENCE_SECONDS - 1,) * 2)
        enforce_stop(run)
        assert ended == [False]


def test_stages_take_as_long_as_they_took_where_the_clock_is_set_back(run, set_clock):
    write_state(run, State.RUNNING, started=moment_of(steady_time()))
    progress = FolderProgress(run)
    progress("Opening the corpus")
    set_clock(-DAY)
    progress("Fine-tuning")
    progress("Measuring")
    write_state(run, State.FINISHED, ended=moment_of(steady_time()))
    assert [stage.kind for stage in stages_of(run)] == ["Opening the corpus", "Fine-tuning", "Measuring"]
    assert all(0 <= stage.seconds < 60 for stage in stages_of(run))
    facts = read_state(run)
    assert datetime.fromisoformat(facts.started) <= datetime.fromisoformat(facts.ended) <= datetime.now(UTC)
