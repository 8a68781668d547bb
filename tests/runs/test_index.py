"""Runs and jobs found by what was asked: the folders are the truth, whatever becomes of the index."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from embedlab.runs.folder import RunFolder
from embedlab.runs.index import file
from embedlab.runs.index.find import (
    at_work,
    find_jobs,
    find_runs,
    jobs_over,
    newest_job,
    strings_told,
    unsettled,
    worked_between,
)
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, delete_run, new_id, stored_request
from embedlab.store_root import read_json, write_json


@pytest.fixture
def index_file(store, monkeypatch):
    """Where the index of this store lies; what is over is marked at once."""
    monkeypatch.setattr(file, "SETTLED_NS", -1)
    monkeypatch.setattr(file, "_own", {})
    return store / "index" / f"known-{file.VERSION}.sqlite"


def over(task: str, settings: dict, state: State = State.FINISHED, **facts) -> RunFolder:
    folder = create_run(task, settings)
    write_state(folder, state, **facts)
    return folder


def marked(index_file) -> dict[str, str | None]:
    with sqlite3.connect(index_file) as index:
        return dict(index.execute("SELECT id, state FROM folders"))


def test_a_job_is_found_by_a_part_of_what_it_was_asked_or_by_exactly_that(index_file):
    one = over("map", {"run": "a", "method": "tsne"})
    two = create_run("map", {"run": "a", "method": "tsne", "onto": "b"})
    three = over("map", {"run": "b", "method": "tsne", "config": {"perplexity": 30.0, "texts": ["é", "ü"]}})
    at_work()
    assert list(find_jobs("map")) == [three, two, one] and list(find_jobs("figure")) == []
    assert list(find_jobs("map", run="a")) == [two, one] and newest_job("map", run="a", onto=None) == one
    assert (
        next(find_jobs("map", {"method": "tsne", "run": "a"}), None) == one
        and next(find_jobs("map", {"run": "a"}), None) is None
    )
    assert newest_job("map", config={"texts": ["é", "ü"], "perplexity": 30.0}) == three
    assert newest_job("map", run="a", method="umap") is None and newest_job("moves", run="a") is None
    assert list(find_jobs("map", standing=State.FINISHED)) == [three, one]
    four = create_run("benchmark", {"run": "a", "state": "after", "task": "STS15"})
    assert (
        newest_job("benchmark", state="after", task="STS15") == four and newest_job("benchmark", state="before") is None
    )
    delete_run(four)
    at_work()
    assert marked(index_file) == {one.id: "finished", two.id: None, three.id: "finished"}


def test_a_finished_run_is_found_by_all_its_settings_also_those_left_to_their_defaults(index_file):
    run = create_run("train", {"corpus": "docs", "recipe": "crops"})
    assert newest_job("train", corpus="docs") == run and newest_job("train", seed=0) is None
    write_state(run, State.FINISHED, settings={"corpus": "0123", "recipe": "crops", "seed": 0})
    for _ in range(2):  # before and after it is marked
        assert newest_job("train", corpus="0123", seed=0, standing=State.FINISHED) == run
        assert (
            newest_job("train", corpus="docs") is None
            and next(find_jobs("train", {"corpus": "docs", "recipe": "crops"}), None) == run
        )
        assert not at_work()


def test_what_comes_goes_or_is_begun_again_is_known_at_once(index_file):
    run, job = create_run("train", {"corpus": "docs"}), create_run("ask", {})
    assert at_work() == [run, job] and at_work("jobs") == [job]
    write_state(run, State.STOPPED)
    assert at_work() == [job] and marked(index_file)[run.id] == "stopped"
    write_state(run, State.QUEUED)
    assert at_work("runs") == [run] and marked(index_file)[run.id] is None
    write_state(run, State.FAILED)
    delete_run(run)
    assert list(find_jobs("train")) == [] and run.id not in marked(index_file)
    assert jobs_over() == []
    write_state(job, State.FINISHED)
    assert jobs_over() == [job] and jobs_over() == [job] and unsettled() == []


def test_what_changed_a_moment_ago_may_change_again_and_is_not_marked_yet(index_file, monkeypatch):
    monkeypatch.setattr(file, "SETTLED_NS", 60 * 10**9)
    job = create_run("map", {"run": "a"})
    write_state(job, State.FINISHED)
    for written, state in ((time.time(), None), (time.time() - 100, "finished")):
        os.utime(job.path, (written, written))
        assert at_work() == [] and marked(index_file) == {job.id: state}


def test_a_worker_that_vanished_may_come_back_and_is_never_marked(index_file):
    job = create_run("map", {"run": "a"})
    state = json.loads(job.state.read_text("utf-8"))
    job.state.write_text(json.dumps(state | {"state": "running"}), "utf-8")
    assert at_work() == [] and [folder for folder, facts in unsettled()] == [job] == jobs_over()
    assert marked(index_file) == {job.id: None} and newest_job("map", standing=State.INTERRUPTED) == job


def test_what_worked_at_the_same_time_is_found_by_its_times(index_file):
    def at(second):
        return f"2026-11-20T00:00:{second:02d}+00:00"

    jobs = [over("map", {"run": "a"}, started=at(first), ended=at(first + 4)) for first in (0, 4, 8)]
    began = file.seconds_of(at(4))
    at_work()
    assert worked_between(began, began + 1) == [jobs[1]]
    assert set(worked_between(began - 1, began + 5)) == set(jobs) and worked_between(began + 8, None) == []


@pytest.mark.parametrize("content", [b"", b"no database at all, and longer than a header of 100 bytes" * 9, None])
def test_a_damaged_deleted_or_empty_index_is_made_again(index_file, content):
    job = over("map", {"run": "a"})
    assert newest_job("map", run="a") == job
    index_file.unlink() if content is None else index_file.write_bytes(content)
    assert newest_job("map", run="a") == job and at_work() == [] and marked(index_file) == {job.id: "finished"}


def test_an_index_of_wrong_facts_never_gives_a_wrong_folder(index_file):
    one, two = over("map", {"run": "a"}), over("map", {"run": "b"})
    assert newest_job("map", run="a") == one
    with sqlite3.connect(index_file) as index:
        index.execute("UPDATE settings SET value = ? WHERE id = ?", (file.value_of("a"), two.id))
    assert newest_job("map", run="a") == one and list(find_jobs("map")) == [two, one]


def test_where_the_index_is_locked_or_cannot_be_there_the_process_has_one_of_its_own(index_file, monkeypatch):
    monkeypatch.setattr(file, "PATIENCE_SECONDS", 0.0)
    job = over("map", {"run": "a"})
    assert newest_job("map", run="a") == job
    other = sqlite3.connect(index_file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    newer = create_run("map", {"run": "a"})
    assert list(find_jobs("map", run="a")) == [newer, job] and at_work() == [newer]
    other.close()
    monkeypatch.setattr(file, "_own", {})
    for each in index_file.parent.iterdir():
        each.unlink()
    index_file.parent.rmdir()
    index_file.parent.write_text("a file where the folder would be")
    assert list(find_jobs("map", run="a")) == [newer, job] and at_work() == [newer]


_MAKER = """
import sys
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
for number in range(12):
    job = create_run("map", {"run": sys.argv[1], "number": number})
    assert newest_job("map", run=sys.argv[1], number=number) == job
    write_state(job, State.FINISHED)
    assert newest_job("map", run=sys.argv[1], number=number, standing=State.FINISHED) == job
"""


def test_several_processes_write_at_once_and_none_misses_anything(index_file):
    makers = [subprocess.Popen([sys.executable, "-c", _MAKER, name]) for name in "abc"]
    seen, over_now = set(), threading.Event()

    def look():
        while not over_now.is_set():
            seen.update(find_jobs("map", run="a"))
            at_work()
            time.sleep(0)

    looking = threading.Thread(target=look)
    looking.start()
    codes = [maker.wait() for maker in makers]
    over_now.set()
    looking.join()
    assert codes == [0, 0, 0] and seen <= set(find_jobs("map", run="a"))
    assert [len(list(find_jobs("map", run=name))) for name in "abc"] == [12, 12, 12] and not at_work()


def test_the_index_lies_closed_to_others(index_file):
    create_run("map", {"run": "a"})
    at_work()
    assert os.stat(index_file).st_mode & 0o077 == 0 == os.stat(index_file.parent).st_mode & 0o077
    assert stored_request(newest_job("map", run="a")).settings == {"run": "a"}


def test_the_different_strings_of_a_setting_are_told_once(index_file):
    for encoder in ("token", "run:a", "token", "é" * 4000, None, 7):
        over("train", {"encoder": encoder})
    write_state(create_run("train", {"encoder": "words"}), State.FINISHED, settings={"encoder": "minilm"})
    assert sorted(strings_told("encoder")) == ["minilm", "run:a", "token"] and strings_told("recipe") == []


def test_brought_runs_are_found_among_trained_ones(store):
    runs = [create_run(task, {"corpus": "docs"}) for task in ("train", "map", "train")]
    brought = RunFolder(store / "runs" / new_id())
    brought.path.mkdir()
    write_json(brought.settings, {**read_json(runs[0].settings), "task": "bring"})
    assert list(find_runs(corpus="docs")) == [brought, runs[2], runs[0]] and list(find_runs(corpus="x")) == []
