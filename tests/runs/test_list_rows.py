"""Runs in lists: thousands of rows are read from the index, and each says what its folder says now."""

import subprocess
import sys

import pytest
from builders import both, judged, knn, leave_result

from embedlab.runs import list_rows
from embedlab.runs.index import file
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, delete_run, rename_run
from embedlab.store_root import write_json

REQUEST = {"corpus": "docs", "encoder": "token", "recipe": "crops"}


@pytest.fixture
def read(store, monkeypatch) -> list[str]:
    """The runs that were read from their folders since; what is over is marked at once."""
    monkeypatch.setattr(list_rows, "SETTLED_NS", -1)
    monkeypatch.setattr(file, "_own", {})
    folders, from_folder = [], list_rows._row
    monkeypatch.setattr(list_rows, "_row", lambda folder: folders.append(folder.id) or from_folder(folder))
    return folders


def measured(corpus):
    run = create_run("train", REQUEST)
    leave_result(run, corpus, steps=10, usable_texts=117, knn=knn((0.4, 0.6, 0.6)), judged=both(judged()))
    write_state(run, State.FINISHED)
    return run


def test_rows_of_ended_runs_are_read_from_their_folders_once(read, toy_corpus):
    runs = [measured(toy_corpus), create_run("train", REQUEST)]
    first = list_rows.list_rows()
    assert [row["run"] for row in first] == [runs[1].id, runs[0].id] and sorted(read) == sorted(row.id for row in runs)
    read.clear()
    again = list_rows.list_rows()
    assert read == [runs[1].id] and again[1] == {
        **first[1],
        "accuracies": [list(each) for each in first[1]["accuracies"]],
    }
    assert list_rows.accuracy_line(again[1]["accuracies"]).startswith("kNN 40.0 % → 60.0 % (cosine)")


def test_a_row_follows_every_file_that_it_was_read_from(read, toy_corpus):
    run = measured(toy_corpus)
    list_rows.list_rows()
    rename_run(run, "renamed")
    assert list_rows.list_rows()[0]["name"] == "renamed"
    write_state(run, State.INTERRUPTED)
    assert list_rows.list_rows()[0]["state"] == State.INTERRUPTED
    run.stop.touch()
    assert list_rows.list_rows()[0]["state"] == State.STOPPED
    run.result.write_text("garbage", encoding="utf-8")
    row = list_rows.list_rows()[0]
    assert row["error"]["code"] == "E-DAMAGED-FILE" and row["accuracies"] == []
    write_json(run.settings, {})
    assert list_rows.list_rows()[0]["state"] == list_rows.DAMAGED
    delete_run(run)
    assert list_rows.list_rows() == []


def test_a_run_whose_worker_vanished_is_looked_at_each_time(read, store):
    run = create_run("train", REQUEST)
    write_state(run, State.RUNNING, since="2020-01-01T00:00:00+00:00")
    for _ in range(2):
        read.clear()
        assert list_rows.list_rows()[0]["state"] == State.INTERRUPTED and read == [run.id]


def test_listing_runs_loads_no_numbers_tables_or_parts(store, toy_corpus):
    """A thousand rows take a tenth of a second; numpy, pyarrow and every part of ours took one."""
    run = measured(toy_corpus)
    code = (
        "import sys; from embedlab.runs import list_rows; list_rows.SETTLED_NS = -1; from embedlab.cli import main\n"
        "main(['runs', 'list']); print(*sys.modules)"
    )
    for _ in range(2):  # the second time from the index
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{run.id}  finished") and "kNN 40.0 % → 60.0 % (cosine)" in lines[0]
    heavy = {"numpy", "pyarrow", "psutil", "filelock", "embedlab.runs.result", "embedlab.corpora.base"}
    assert not heavy & set(lines[-1].split())
