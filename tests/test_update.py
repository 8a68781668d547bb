"""A file that several processes change at once holds every change; what cannot be changed is a sentence."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from changing_files import CHANGES, KINDS

from embedlab import update as updates
from embedlab.corpora.stored.shelf import CORPORA
from embedlab.errors import RunError, StoreError
from embedlab.runs.benchmark_scores import keep_pointer
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import ask_for
from embedlab.runs.result import RunResult, read_result, write_result
from embedlab.runs.store import create_run, delete_run, rename_run
from embedlab.runs.tags import change_tags, tags_of
from embedlab.store_root import MissingFile, make_folder, read_json, store_root
from embedlab.tasks.measure.folds import keep_folds
from embedlab.update import LOCKS, changing, lock_number, update, update_json

PROCESSES = 4
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def changers(tmp_path_factory):
    """Four processes that wait for the name of a file, and the store that they share."""
    home = tmp_path_factory.mktemp("changed") / "store"
    environment = {**os.environ, "EMBEDLAB_HOME": str(home), "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    share = CHANGES // PROCESSES
    command = [sys.executable, str(ROOT / "tests" / "changing_files.py")]
    started = [
        subprocess.Popen(
            [*command, str(start), str(start + share)],
            env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for start in range(0, CHANGES, share)
    ]  # fmt: skip
    for process in started:
        assert process.stdout.readline() == "ready\n"
    yield home, started
    for process in started:
        process.communicate()
    assert {process.returncode for process in started} == {0}


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_changes_by_four_processes_at_once_lose_none(kind, changers, monkeypatch):
    home, processes = changers
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    path = KINDS[kind].make()
    for process in processes:
        process.stdin.write(json.dumps([kind, str(path)]) + "\n")
        process.stdin.flush()
    assert [process.stdout.readline() for process in processes] == ["done\n"] * PROCESSES
    assert KINDS[kind].numbers(path) == set(range(CHANGES))


def test_threads_of_one_process_lose_no_change_either(store):
    file = store_root() / "guesses" / "a.json"

    def change(first: int) -> None:
        for number in range(first, first + 25):
            update_json(file, lambda content, number=number: {**content, f"{number}": number})

    threads = [threading.Thread(target=change, args=(start,)) for start in range(0, 200, 25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(read_json(file).values()) == list(range(200))


def test_a_change_sees_what_is_stored_and_none_leaves_the_file_as_it_is(store):
    file = store_root() / "guesses" / "a.json"
    with pytest.raises(MissingFile):
        update(file, lambda content: {"a": 1})
    assert update_json(file, lambda content: content | {"a": 1}) == {"a": 1}
    assert update(file, lambda content: content | {"b": content["a"] + 1}) == {"a": 1, "b": 2}
    written = file.stat().st_mtime_ns, file.stat().st_ino
    assert update(file, lambda content: None) == {"a": 1, "b": 2}
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == written


def test_a_change_that_fails_changes_nothing_and_gives_the_lock_back(store):
    file = store_root() / "guesses" / "a.json"
    update_json(file, lambda content: {"a": 1})
    with pytest.raises(ZeroDivisionError):
        update(file, lambda content: {"a": 1 // 0})
    assert read_json(file) == {"a": 1}
    assert update(file, lambda content: {"a": 2}) == {"a": 2}


def test_a_change_within_a_change_would_be_lost_and_is_refused(store):
    file = store_root() / "guesses" / "a.json"
    with pytest.raises(RuntimeError, match="one change would be lost"):
        update_json(file, lambda content: update_json(file, lambda inner: {"a": 1}))
    assert update_json(file, lambda content: {"a": 2}) == {"a": 2}


def test_a_file_that_others_keep_changing_is_a_sentence(store, monkeypatch):
    monkeypatch.setattr(updates, "PATIENCE_SECONDS", 0.0)
    file = store_root() / "guesses" / "a.json"
    refused = []

    def change() -> None:
        try:
            update_json(file, lambda content: {"a": 1})
        except StoreError as error:
            refused.append(error)

    with changing(file):
        thread = threading.Thread(target=change)
        thread.start()
        thread.join()
    assert [error.code for error in refused] == ["E-STORE-BUSY"] and "guesses/a.json" in refused[0].message
    assert not file.exists()


def test_a_lock_that_another_process_holds_is_waited_for_no_longer_than_that(store, monkeypatch):
    monkeypatch.setattr(updates, "PATIENCE_SECONDS", 0.02)
    file = store_root() / "guesses" / "a.json"
    make_folder(store_root() / "locks")
    lock = store_root() / "locks" / f"update-{lock_number(file):02d}.lock"
    code = f"import fcntl; f = open({str(lock)!r}, 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline()
        with pytest.raises(StoreError) as refused:
            update_json(file, lambda content: {"a": 1})
        holder.kill()
    assert refused.value.code == "E-STORE-BUSY"
    assert update_json(file, lambda content: {"a": 1}) == {"a": 1}  # the kernel freed the lock of the killed process


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_disk_without_locks_is_written_to_as_well(number, store, monkeypatch):
    def no_locks(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", no_locks)
    file = store_root() / "guesses" / "a.json"
    assert update_json(file, lambda content: {"a": 1}) == {"a": 1}
    assert update_json(file, lambda content: content | {"b": 2}) == {"a": 1, "b": 2}
    assert [each.name for each in file.parent.glob("[!.]*")] == ["a.json"]


def test_a_run_that_is_deleted_meanwhile_is_not_brought_back(store):
    run = create_run("train", {"corpus": "docs"}, name="a")

    def change(content: dict) -> dict:
        delete_run(run)
        return content | {"name": "b"}

    with pytest.raises(StoreError) as refused:
        update(run.settings, change)
    assert refused.value.code == "E-DELETED" and not run.path.exists()
    for late in (
        lambda: rename_run(run, "b"),
        lambda: change_tags([run], add=["x"]),
        lambda: keep_pointer(run, "a", ""),
    ):
        with pytest.raises((StoreError, RunError)) as refused:
            late()
        assert refused.value.code == "E-DELETED" and not run.path.exists()


def test_a_corpus_that_is_deleted_is_not_brought_back_by_its_labels(toy_corpus):
    CORPORA.delete(toy_corpus.fingerprint)
    with pytest.raises(StoreError) as refused:
        ask_for(toy_corpus, [1, 2])
    assert refused.value.code == "E-DELETED" and not toy_corpus.folder.exists()


def test_locks_do_not_accumulate_and_a_file_has_one_however_it_is_named(store, tmp_path):
    root = store_root()
    for number in range(3 * LOCKS):
        update_json(root / "guesses" / f"{number}.json", lambda content: {"a": 1})
    assert len(list((root / "locks").glob("*.lock"))) <= LOCKS
    (tmp_path / "link").symlink_to(root / "guesses")
    assert lock_number(tmp_path / "link" / "1.json") == lock_number(root / "guesses" / "1.json")
    assert {lock_number(root / "guesses" / f"{number}.json") for number in range(999)} == set(range(LOCKS))


def test_a_name_that_is_given_while_the_note_is_written_loses_neither(store):
    run = create_run("train", {"corpus": "docs"}, name="a")
    rename_run(run, "b", "a note")
    rename_run(run, "c")
    change_tags([run], add=["x"])
    content = read_json(run.settings)
    assert (content["name"], content["note"], tags_of(run)) == ("c", "a note", ["x"])


def test_folds_of_an_encoder_that_was_trained_again_meanwhile_are_refused(store):
    run = RunFolder(create_run("train", {"corpus": "docs"}).path)
    before, after = RunResult(steps=3, weights_hash="a"), RunResult(steps=6, weights_hash="b")
    write_result(run, after)
    with pytest.raises(RunError) as refused:
        keep_folds(run, None, of=before)
    assert refused.value.code == "E-RUN-CHANGED" and read_result(run) == after
    keep_folds(run, None, of=after)
    assert read_result(run) == after
