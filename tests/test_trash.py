"""Deleting is undone for a day: what goes to the trash comes back as it was, or goes for good."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import finished

from embedlab.corpora.stored.shelf import CORPORA, list_corpora
from embedlab.errors import LessonError, StoreError
from embedlab.learn.catalog import BUILT_IN, delete_lesson, keep_lesson, own_folder
from embedlab.runs.selections import delete, keep, list_selections, rows_of
from embedlab.runs.state import State, write_state
from embedlab.runs.store import delete_run, list_runs
from embedlab.store_root import make_folder, store_root
from embedlab.trash import ENTRY, KEPT_SECONDS, empty_trash, find_entry, list_trash, move_to_trash, restore


def content_of(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"
    }


def test_a_deleted_run_comes_back_with_every_byte_and_can_be_written_to(toy_corpus):
    run = finished(toy_corpus, name="Crops")
    before = content_of(run.path)
    delete_run(run)
    assert list_runs() == [] and [(entry.kind, entry.name) for entry in list_trash()] == [("run", "Crops")]
    restore(find_entry(run.id))
    assert list_runs() == [run] and content_of(run.path) == before and list_trash() == []
    write_state(run, State.FINISHED)


def test_a_deleted_corpus_and_a_selection_come_back(toy_corpus):
    made = keep(toy_corpus, "courts", [1, 2])
    delete(made)
    assert list_selections() == []
    CORPORA.delete(toy_corpus.fingerprint)
    assert list_corpora() == []
    for entry in list_trash():
        restore(entry)
    assert [info.name for info in list_corpora()] == [toy_corpus.name]
    assert rows_of(list_selections()[0]).tolist() == [1, 2]


def test_an_own_lesson_goes_to_the_trash_also_when_it_is_replaced(store):
    source = next(iter(sorted(BUILT_IN.glob("*.md")))).read_bytes()
    key = keep_lesson(source, "words.md").key
    keep_lesson(source, "words.md")
    assert list_trash() == []
    keep_lesson(source + b"\n", "words.md")
    assert [entry.kind for entry in list_trash()] == ["lesson"]
    delete_lesson(key)
    assert not list(own_folder().glob("*.md")) and len(list_trash()) == 2
    with pytest.raises(LessonError) as error:
        delete_lesson(key)
    assert error.value.code == "E-LESSON-KEY"


def test_what_exists_again_is_not_replaced(toy_corpus):
    folder = toy_corpus.folder
    CORPORA.delete(toy_corpus.fingerprint)
    make_folder(folder)
    (folder / "corpus.json").write_text("new")
    with pytest.raises(StoreError) as error:
        restore(list_trash()[0])
    assert (
        error.value.code == "E-TRASH-TAKEN" and (folder / "corpus.json").read_text() == "new" and len(list_trash()) == 1
    )


def test_it_goes_after_a_day_or_at_once(toy_corpus):
    first, second = finished(toy_corpus), finished(toy_corpus)
    delete_run(first), delete_run(second)
    assert empty_trash() == 0
    old = find_entry(first.id)
    moment = time.time() - KEPT_SECONDS - 60
    os.utime(old.folder / ENTRY, (moment, moment))
    assert empty_trash() == old.bytes and [entry.places[0] for entry in list_trash()] == [f"runs/{second.id}"]
    assert empty_trash(is_now=True) > 0 and list_trash() == []
    assert not [path for path in (store_root() / "trash").rglob("*") if path.is_dir()]


def test_if_one_of_several_cannot_be_moved_all_stay(store, monkeypatch):
    folders = [store_root() / "runs" / name for name in ("0aaaaaaaaaaaa", "0bbbbbbbbbbbb")]
    for folder in folders:
        make_folder(folder)
        (folder / "settings.json").write_text("{}")
    replace = os.replace

    def refused(source, target):
        if str(target).endswith("0bbbbbbbbbbbb") and "trash" in str(target):
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr("embedlab.trash.os.replace", refused)
    with pytest.raises(PermissionError):
        move_to_trash("study", "s", folders)
    assert all((folder / "settings.json").exists() for folder in folders) and list_trash() == []
    make_folder(folders[0] / "maps")  # no tombstone is left


@pytest.mark.parametrize("place", ["../../etc/x", "/etc/x", "elsewhere/x"])
def test_a_forged_entry_restores_nothing_outside_the_store(store, place):
    folder = store_root() / "trash" / "0123456789abcdef"
    make_folder(folder)
    entry = {"format": 1, "id": folder.name, "kind": "run", "name": "x", "deleted": "2026-01-01T00:00:00+00:00"}
    (folder / ENTRY).write_text(json.dumps({**entry, "places": [place], "files": [place], "bytes": 1}))
    with pytest.raises(StoreError) as error:
        restore(list_trash()[0])
    assert error.value.code == "E-TRASH"
    empty_trash(is_now=True)


def test_the_commands(toy_corpus):
    run = finished(toy_corpus, name="Crops")

    def said(*words: str) -> dict:
        command = [sys.executable, "-m", "embedlab", *words, "--json"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)

    assert said("runs", "delete", run.id) == {"run": run.id, "deleted": True}
    (entry,) = said("storage", "trash")["trash"]
    assert (entry["kind"], entry["name"]) == ("run", "Crops") and entry["bytes"] > 0
    assert said("storage", "restore", run.id)["places"] == [f"runs/{run.id}"] and run.settings.exists()
    assert said("storage", "restore", run.id)["error"]["code"] == "E-TRASH"
    said("runs", "delete", run.id)
    assert said("storage", "trash", "--now")["freed"] > 0 and said("storage", "trash")["trash"] == []
