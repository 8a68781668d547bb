"""Deleting: the lock first, no late worker brings a folder back, and a lost store is not made anew."""

import os
import shutil
import subprocess
import sys

import pytest
from filelock import FileLock

from embedlab import store_root as root
from embedlab.errors import EmbedlabError, RunError, StoreError
from embedlab.jobs.executors import LOCAL
from embedlab.jobs.runner import request_stop, start
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import note_started
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, delete_run, list_runs
from embedlab.scratch import remove_now
from embedlab.store_root import TOMBSTONE, make_folder, store_root, write_json
from embedlab.trash import move_to_trash
from embedlab.worker import work as worker


@pytest.fixture
def run(store) -> RunFolder:
    return create_run("train", {"corpus": "docs"})


def test_a_run_whose_lock_is_held_is_not_deleted(run):
    with FileLock(run.lock), pytest.raises(RunError, match="still running"):
        delete_run(run)
    assert run.settings.exists()


def test_a_worker_cannot_take_the_lock_while_its_run_is_deleted(run, monkeypatch):
    held = []
    monkeypatch.setattr("embedlab.runs.store.move_to_trash", lambda *_: held.append(_is_free(run.lock)))
    delete_run(run)
    assert held == [False] and _is_free(run.lock)


def _is_free(lock) -> bool:
    code = f"from filelock import FileLock, Timeout; import sys\ntry: FileLock({str(lock)!r}, timeout=0).acquire()"
    code += "\nexcept Timeout: sys.exit(1)"
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


LATE = {
    "a state": lambda run: write_state(run, State.RUNNING),
    "Stop": request_stop,
    "the process that was started": lambda run: note_started(run, os.getpid()),
    "its worker": lambda run: worker.main(str(run.path)),
    "its start": start,
    "a result": lambda run: write_json(run.result, {}),
}


@pytest.mark.parametrize("what", LATE)
def test_nothing_that_comes_late_brings_a_deleted_run_back(run, monkeypatch, what):
    monkeypatch.setattr(type(LOCAL), "submit", lambda self, folder, job=None: open(folder.log, "ab").close() or "1")
    delete_run(run)
    try:
        assert LATE[what](run) in (2, None)
    except EmbedlabError as error:
        assert "deleted" in error.message and error.code == "E-DELETED"
    assert not run.path.exists() and list_runs() == []


def test_a_worker_removes_the_ghost_of_its_run_and_ends(run, capfd):
    shutil.rmtree(run.path)  # as an earlier version deleted it
    (run.path / "workers").mkdir(parents=True)
    run.log.write_text("")
    assert worker.main(str(run.path)) == 2 and "was deleted before its worker began" in capfd.readouterr().err
    assert not run.path.exists()


def test_a_folder_without_settings_that_holds_an_encoder_is_no_ghost(run):
    run.encoder.mkdir()
    run.settings.unlink()
    assert worker.main(str(run.path)) == 2 and run.encoder.is_dir()


def test_content_that_is_found_by_its_fingerprint_may_be_stored_again(store):
    folder = store_root() / "corpora" / "0123456789abcdef"
    make_folder(folder)
    move_to_trash("corpus", "texts", [folder])
    make_folder(folder)
    assert folder.is_dir()


def test_old_tombstones_go(run, store):
    delete_run(run)
    (tombstone,) = (store / "trash").glob(f"*{TOMBSTONE}")
    os.utime(tombstone, (0, 0))
    delete_run(create_run("train", {"corpus": "docs"}))
    assert not tombstone.exists() and len(list((store / "trash").glob(f"*{TOMBSTONE}"))) == 1


def test_a_store_that_vanishes_is_not_made_again_at_an_empty_place(run, store):
    aside = store.with_name("unmounted")
    store.rename(aside)
    for attempt in (store_root, lambda: write_state(run, State.RUNNING), lambda: create_run("train", {})):
        with pytest.raises(StoreError, match="has gone"):
            attempt()
    assert not store.exists()
    store.mkdir()  # an empty mount point
    with pytest.raises(StoreError, match="Mount its disk again"):
        create_run("train", {})
    assert list(store.iterdir()) == []
    store.rmdir()
    aside.rename(store)
    assert list_runs() == [run]


def test_another_store_in_its_place_is_told(run, store):
    shutil.move(store, store.with_name("first"))
    (store / "runs").mkdir(parents=True)
    (store / root.STORE_MARK).write_text("another")
    with pytest.raises(StoreError, match="another one in its place"):
        list_runs()


def test_a_store_whose_mark_alone_was_deleted_goes_on(run, store):
    (store / root.STORE_MARK).unlink()
    assert list_runs() == [run]


def test_what_lies_in_a_run_can_be_deleted_and_made_again(run):
    checkpoints = run.path / "checkpoints"
    make_folder(checkpoints)
    remove_now(checkpoints)
    make_folder(checkpoints / "step-1")
    write_json(run.path / "result.json", {"a": 1})
    assert (checkpoints / "step-1").is_dir() and (run.path / "result.json").exists()
