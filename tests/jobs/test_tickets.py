"""Trainings that wait: two have everything imported, the others only their ticket, in the order of their ids."""

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from embedlab.errors import RunError
from embedlab.jobs import tickets
from embedlab.jobs.executors import LOCAL, local
from embedlab.jobs.progress import read_progress
from embedlab.jobs.runner import request_stop, start
from embedlab.jobs.worker_process import worker_command
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import has_worker
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, delete_run
from embedlab.store_root import store_root
from embedlab.training.settings import RunSettings
from embedlab.worker import waiting as waiting_module

PATIENCE = 60  # seconds


@pytest.fixture(autouse=True)
def none_left():
    yield
    tickets.leave()


@pytest.fixture
def line(store) -> Path:
    return tickets.ticket_of(store_root(), "x", "auto").parent


def test_who_is_older_stands_before(line):
    for name in ("b", "a", "d"):
        tickets.take(line / name)
    assert [tickets.older(line / name, most=2) for name in "abcd"] == [0, 1, 2, 2]
    assert tickets.older(line / "e", most=2) == 3  # all that are there
    tickets.leave()
    assert tickets.older(line / "e", most=2) == 0 and not list(line.iterdir())


def test_the_ticket_of_a_process_that_ended_is_thrown_away(line):
    program = "import os, sys; from pathlib import Path; from embedlab.jobs import tickets\n"
    program += "tickets.take(Path(sys.argv[1])); os._exit(9)"
    subprocess.run([sys.executable, "-c", program, str(line / "a")], check=False)
    assert (line / "a").exists()
    assert tickets.older(line / "b", most=2) == 0 and not (line / "a").exists()


def test_devices_have_lines_of_their_own_and_other_names_none(store):
    lines = {tickets.ticket_of(store_root(), "x", device).parent.name for device in ("auto", "cpu", "cuda:1")}
    assert lines == {"waiting-auto", "waiting-cpu", "waiting-cuda-1"}
    with pytest.raises(OSError, match="no tickets"):
        tickets.ticket_of(store_root(), "x", "../cpu")


def test_nothing_large_is_imported_to_wait(store):
    program = "import sys, embedlab.worker.waiting; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not set(loaded) & {"numpy", "pydantic", "pyarrow", "filelock", "psutil", "asyncio", "torch", "sqlite3"}


def test_trainings_of_this_computer_wait_so_and_nothing_else_does(store, monkeypatch):
    monkeypatch.delenv("EMBEDLAB_WORKER")
    run, job = (RunFolder(store / room / "x") for room in ("runs", "jobs"))
    modules = [worker_command(each, is_local=here)[2] for each, here in ((run, True), (run, False), (job, True))]
    assert modules == ["embedlab.worker.waiting", "embedlab.worker", "embedlab.worker"]


def until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


@pytest.fixture
def waiting(toy_corpus, monkeypatch) -> Iterator[RunFolder]:
    """A training behind two others."""
    monkeypatch.delenv("EMBEDLAB_WORKER")
    run = create_run("train", RunSettings(corpus=toy_corpus.fingerprint, encoder="token").stored)
    for name in ("0" * 13, "1".zfill(13)):
        tickets.take(tickets.ticket_of(store_root(), name, "auto"))
    start(run)
    until(lambda: read_progress(run) is not None)
    yield run
    local._children[-1].kill()
    local._children.pop().wait()


def test_one_that_waits_is_queued_says_behind_how_many_and_is_stopped(waiting):
    assert read_progress(waiting).stage == "Queued: waiting, 2 more before this one"
    assert read_state(waiting).state is State.QUEUED and has_worker(waiting)
    with pytest.raises(RunError, match="is still running"):
        delete_run(waiting)
    request_stop(waiting)
    until(lambda: read_state(waiting).is_over)
    assert read_state(waiting).state is State.STOPPED


def test_one_that_is_killed_while_it_waits_was_interrupted(waiting):
    child = local._children[-1]
    child.kill()
    child.wait()
    assert read_state(waiting).state is State.INTERRUPTED
    assert tickets.older(tickets.ticket_of(store_root(), "z", "auto"), most=9) == 2


def test_it_works_when_its_turn_comes(waiting):
    tickets.leave()
    until(lambda: read_state(waiting).state is not State.QUEUED)
    assert read_state(waiting).pid == local._children[-1].pid
    LOCAL.stop(waiting)
    until(lambda: read_state(waiting).is_over)


@pytest.fixture
def reader(toy_corpus, tmp_path, monkeypatch) -> Path:
    """A process in place of one that imports, which writes what it reads into this file."""
    program = "import sys; open(sys.argv[1], 'w').write(sys.stdin.readline())"
    command = [sys.executable, "-S", "-c", program, str(tmp_path / "read")]
    monkeypatch.setattr(local, "waiting_command", lambda: command)
    return tmp_path / "read"


def test_a_process_that_is_ready_is_given_the_training_and_nothing_else(reader, toy_corpus):
    with local.training_ready():
        ready = local._ready["runs"]
        job, run = (create_run(task, {"corpus": toy_corpus.fingerprint}) for task in ("map", "train"))
        assert local._given(job) is None
        LOCAL.submit(run)
    assert ready.wait(PATIENCE) == 0 and reader.read_text() == f"{run.path}\n"


def test_a_process_for_an_encoder_with_layers_is_told_so(monkeypatch, store):
    monkeypatch.setattr(local, "waiting_command", lambda: [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"])
    for has_layers in (True, False):
        with local.training_ready(has_layers=has_layers):
            assert ("--layers" in local._ready["runs"].args) is has_layers


def test_a_process_that_was_not_needed_is_ended_and_none_is_started_beside_a_run(reader, toy_corpus):
    with local.training_ready():
        unused = local._ready["runs"]
    assert unused.returncode is not None and not local._ready
    create_run("train", {"corpus": toy_corpus.fingerprint})
    with local.training_ready():
        assert not local._ready


def test_without_a_folder_it_works_on_the_one_that_it_is_given(monkeypatch):
    worked = []
    monkeypatch.setattr(waiting_module, "draw", lambda: 3)
    monkeypatch.setattr(waiting_module, "main", lambda path: worked.append(path) or 4)
    for given, code in ((None, 0), ("given", 4)):
        monkeypatch.setattr(waiting_module, "given_folder", lambda given=given, has_layers=False: given)
        assert waiting_module.begin([]) == waiting_module.begin(["--layers"]) == code
    assert waiting_module.begin(["named"]) == 4 and waiting_module.begin(["--drawing"]) == 3
    assert worked == ["given", "given", "named"]


def test_the_process_of_the_maps_is_given_one_after_the_other_and_ends_with_the_training(toy_corpus, monkeypatch):
    program = "import sys; given = sys.stdin.read().split(); sys.exit(len(given))"
    monkeypatch.setattr(local, "waiting_command", lambda: [sys.executable, "-S", "-c", program])
    with local.drawing_ready():
        drawing = local._ready["jobs"]
        jobs = [create_run("map", {"corpus": toy_corpus.fingerprint}) for _ in range(2)]
        assert [local._given(job) for job in jobs] == [drawing, drawing]
        assert local._given(create_run("train", {"corpus": toy_corpus.fingerprint})) is None
    assert drawing.wait(PATIENCE) == 2 and not local._ready and local._given(jobs[0]) is None


def test_maps_are_worked_on_in_their_own_folders_with_the_threads_that_each_may_have(store, monkeypatch):
    jobs, worked = [create_run("map", {}) for _ in range(2)], []

    def work(path: str) -> int:
        worked.append((path, str(Path.cwd()), os.environ.get("OMP_NUM_THREADS")))
        os.environ["OMP_NUM_THREADS"] = "1"  # as where others work
        return len(worked)

    monkeypatch.chdir(Path.cwd())
    monkeypatch.setattr("embedlab.jobs.worker_process.give_way", lambda: None)
    monkeypatch.setattr("embedlab.offline.go_offline", lambda: None)
    monkeypatch.setattr("embedlab.private.hide_in_tracebacks", lambda: None)
    monkeypatch.setattr("embedlab.worker.work.log_into", lambda folder: None)
    monkeypatch.setattr("embedlab.worker.work.main", work)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{job.path}\n" for job in jobs)))
    with patch.dict(os.environ):
        os.environ.pop("OMP_NUM_THREADS", None)
        assert waiting_module.draw() == 2
    assert worked == [(str(job.path), str(job.path), None) for job in jobs]


def test_it_works_in_the_folder_that_it_reads_and_ends_where_none_comes(toy_corpus, monkeypatch):
    run, logs = create_run("train", {"corpus": toy_corpus.fingerprint}), []
    monkeypatch.chdir(run.path.parent)
    monkeypatch.setattr("embedlab.offline.go_offline", lambda: None)
    monkeypatch.setattr("embedlab.worker.work.log_into", lambda folder: logs.append(folder.id))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{run.path}\n"))
    assert waiting_module.given_folder() == str(run.path)
    assert Path.cwd() == run.path and logs == [run.id]
    assert waiting_module.given_folder() is None
