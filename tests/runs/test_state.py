"""What a run's state shows: a kernel lock decides who lives, never a stored number."""

import subprocess
import sys

import pytest
from filelock import FileLock

from embedlab.errors import RunError
from embedlab.runs.runner import resume
from embedlab.runs.state import State, is_held, read_state, write_state
from embedlab.runs.store import create_run, delete_run, list_runs, open_run, read_settings


def test_a_running_run_without_a_worker_is_interrupted(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    assert read_state(folder)["state"] is State.INTERRUPTED
    with FileLock(folder.lock):
        assert read_state(folder)["state"] is State.RUNNING
    assert read_state(folder)["state"] is State.INTERRUPTED


def test_a_finished_run_stays_finished_and_facts_are_kept(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING, device="cpu")
    write_state(folder, State.FINISHED)
    assert read_state(folder)["state"] is State.FINISHED and read_state(folder)["device"] == "cpu"


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
    assert read_state(folder)["state"] is State.RUNNING
    child.kill()
    child.wait()
    assert read_state(folder)["state"] is State.INTERRUPTED  # although the child may still be a zombie to others
    child.stdin.close()
    child.stdout.close()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"state": "sleeping"}', b"\xff\xfe"])
def test_a_damaged_state_is_shown_as_interrupted(store, damage):
    folder = create_run("train", {})
    folder.state.write_bytes(damage)
    assert read_state(folder)["state"] is State.INTERRUPTED


def test_a_run_at_work_can_be_neither_deleted_nor_resumed(store):
    folder = create_run("train", {})
    write_state(folder, State.RUNNING)
    with FileLock(folder.lock):
        with pytest.raises(RunError, match="still working"):
            delete_run(folder)
        with pytest.raises(RunError, match="running"):
            resume(folder)
    delete_run(folder)
    assert list_runs() == [] and not folder.path.exists()


def test_runs_are_listed_newest_first_and_found_by_id(store):
    first, second = create_run("train", {"a": 1}), create_run("train", {"a": 2})
    assert [f.id for f in list_runs()] == sorted([first.id, second.id], reverse=True)
    assert read_settings(open_run(first.id))["settings"] == {"a": 1}
    assert create_run("map", {}).path.parent.name == "jobs"


@pytest.mark.parametrize("name", ["../x", "", "a/b", "ABC123", "nothere1", "a" * 100])
def test_an_id_that_is_none_is_a_sentence(store, name):
    with pytest.raises(RunError, match="no run with the id"):
        open_run(name)
