"""What a run's state shows: a kernel lock decides who lives, never a stored number."""

import os
import subprocess
import sys

import pytest
from filelock import FileLock

from embedlab.errors import RunError
from embedlab.jobs.runner import request_stop, resume
from embedlab.runs.lease import STARTED, give_to, is_held, note_started
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import (
    create_run,
    delete_run,
    differ_only_in_seed,
    list_runs,
    open_run,
    settings_of,
    stored_request,
)


def test_a_running_run_without_a_worker_is_interrupted(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    assert read_state(folder).state is State.INTERRUPTED
    with FileLock(folder.lock):
        assert read_state(folder).state is State.RUNNING
    assert read_state(folder).state is State.INTERRUPTED


def test_a_process_that_still_loads_its_libraries_is_waited_for_and_one_that_ended_is_not(store):
    run = create_run("ingest", {})
    slow = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    note_started(run, slow.pid)
    os.utime(run.state, (1, 1))  # queued long ago: a cold disk, a loaded machine
    assert read_state(run).state is State.QUEUED
    slow.communicate(b"\n")
    assert read_state(run).state is State.INTERRUPTED
    os.utime(run.state)
    assert read_state(run).state is State.INTERRUPTED  # nobody is waited for who is known to be gone
    give_to(run, None)
    assert read_state(run).state is State.QUEUED  # created a moment ago, its process yet to be started


@pytest.mark.parametrize("record", ["", "{", "[]", '{"host": "another", "pid": 1, "started": 1.0}'])
def test_a_record_of_the_started_process_that_says_nothing_here_leaves_it_to_the_time_of_creation(store, record):
    run = create_run("ingest", {})
    run.workers.mkdir()
    (run.workers / STARTED).write_text(record, encoding="utf-8")
    assert read_state(run).state is State.QUEUED
    os.utime(run.state, (1, 1))
    assert read_state(run).state is State.INTERRUPTED


def test_a_run_whose_worker_had_to_be_ended_after_stop_is_stopped(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    request_stop(folder)
    with FileLock(folder.lock):
        assert read_state(folder).state is State.RUNNING
    ended = read_state(folder)
    assert ended.state is State.STOPPED and ended.worker_vanished
    write_state(folder, State.INTERRUPTED)  # it was told to leave by signal, and wrote that
    assert read_state(folder).state is State.STOPPED and not read_state(folder).worker_vanished
    write_state(folder, State.FAILED, error={"code": "E-DISK", "message": "The disk is full."})
    assert read_state(folder).state is State.FAILED  # it failed before it could stop


def test_a_run_that_ends_between_the_two_looks_is_finished(store, monkeypatch):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)

    def ends(lock) -> bool:
        write_state(folder, State.FINISHED)
        return False

    monkeypatch.setattr("embedlab.runs.lease.is_held", ends)
    assert read_state(folder).state is State.FINISHED


def test_a_finished_run_stays_finished_and_facts_are_kept(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING, device="cpu")
    write_state(folder, State.FINISHED)
    assert read_state(folder).state is State.FINISHED and read_state(folder).device == "cpu"


def test_what_is_written_is_read_and_no_fact_is_written_under_a_name_that_nobody_reads(store):
    folder = create_run("train", {"corpus": "a", "encoder": "token"})
    with pytest.raises(TypeError, match="no divice"):
        write_state(folder, State.RUNNING, divice="cpu")
    write_state(folder, State.FAILED, error={"code": "E-UNFIT", "message": "Texts are too short."}, exit_code=2)
    failed = read_state(folder)
    assert (failed.error, failed.failure, failed.exit_code) == (failed.error, failed.error, 2)
    assert failed.error.message == "Texts are too short." and failed.device is None and not failed.damaged
    write_state(folder, State.QUEUED, error=None)  # resumed; and then its process is killed without a word
    write_state(folder, State.FAILED)
    assert read_state(folder).error is None and "Its log has the details" in read_state(folder).failure.message


def test_settings_are_those_its_worker_read_and_before_that_those_asked_for(store):
    folder = create_run("train", {"corpus": "a", "augmentation": {"sentences": 2}})
    assert settings_of(folder) == {"corpus": "a", "augmentation": {"sentences": 2}}
    complete = {"corpus": "a", "augmentation": {"sentences": 2, "overlap": False}, "seed": 0}
    write_state(folder, State.FINISHED, settings=complete)
    assert settings_of(folder) == complete
    folder.settings.write_text("{", encoding="utf-8")
    assert settings_of(folder) == {}


def test_a_seed_alone_tells_two_runs_apart(store):
    def told(**settings):
        folder = create_run("train", {})
        write_state(folder, State.FINISHED, settings={"corpus": "a", "seed": 0, "epochs": 1, "maps": True, **settings})
        return folder

    assert differ_only_in_seed(told(), told(seed=1, device="cuda", maps=False, checkpoint_every=5))
    assert not differ_only_in_seed(told(), told(maps=False)) and not differ_only_in_seed(told(), told(seed=1, epochs=2))
    assert not differ_only_in_seed(told(), create_run("train", {"seed": 1}))  # nobody has read its settings yet


def test_looking_at_a_lock_never_takes_it(store):
    folder = create_run("train", {})
    assert not is_held(folder.lock)
    with FileLock(folder.lock, timeout=0):
        assert is_held(folder.lock) and is_held(folder.lock)


def test_a_killed_holder_leaves_the_lock_free(store):
    folder = create_run("train", {})
    code = "import sys, filelock; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True)"
    code += "; sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"held\n"
    write_state(folder, State.RUNNING)
    assert read_state(folder).state is State.RUNNING
    child.kill()
    child.wait()
    assert read_state(folder).state is State.INTERRUPTED  # although the child may still be a zombie to others
    child.stdin.close()
    child.stdout.close()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"state": "sleeping"}', b"\xff\xfe"])
def test_a_damaged_state_is_shown_as_interrupted(store, damage):
    folder = create_run("train", {})
    folder.state.write_bytes(damage)
    assert read_state(folder).state is State.INTERRUPTED


def test_a_run_at_work_can_be_neither_deleted_nor_resumed(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    with FileLock(folder.lock):
        with pytest.raises(RunError, match="still running"):
            delete_run(folder)
        with pytest.raises(RunError, match="running"):
            resume(folder)
    delete_run(folder)
    assert list_runs() == [] and not folder.path.exists()


def test_runs_are_listed_newest_first_and_found_by_id(store):
    first, second = create_run("train", {"a": 1}), create_run("train", {"a": 2})
    assert [f.id for f in list_runs()] == sorted([first.id, second.id], reverse=True)
    assert stored_request(open_run(first.id)).settings == {"a": 1}
    assert create_run("map", {}).path.parent.name == "jobs"


@pytest.mark.parametrize("name", ["../x", "", "a/b", "ABC123", "nothere1", "a" * 100])
def test_an_id_that_is_none_is_a_sentence(store, name):
    with pytest.raises(RunError, match="no run with the id"):
        open_run(name)
