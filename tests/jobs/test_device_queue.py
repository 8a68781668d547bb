"""A run that waits for its device says for whom, how long that still takes, and how many stand before it."""

from filelock import FileLock

from embedlab.jobs.requests.working import RunFind
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.tasks.device_queue import queued_line
from embedlab.training.settings import RunSettings


def test_a_waiting_run_names_the_one_at_work_and_says_how_long_it_still_takes(toy_corpus, monkeypatch):
    run = create_run("train", RunSettings(corpus=toy_corpus.fingerprint).stored, name="my run")
    write_state(run, State.RUNNING, device="cpu")
    assert queued_line("cpu", 0) == "Queued: waiting"  # nobody holds it: its worker is gone
    with FileLock(run.lock):
        assert queued_line("cpu", 0) == "Queued: waiting for “my run”"
        assert queued_line("cuda", 0) == "Queued: waiting"
        assert queued_line("cpu", 2) == "Queued: waiting for “my run”, 2 more before this one"
        left = type("Left", (), {"left": 360.0})
        monkeypatch.setattr("embedlab.tasks.device_queue.eta_of", lambda folder: left)
        assert queued_line("cpu", 0) == "Queued: waiting for “my run” (about 6 min)"


def test_work_that_needs_no_device_is_not_waited_for(toy_corpus):
    job = create_run("map", {})
    write_state(job, State.RUNNING, device="cpu")
    with FileLock(job.lock):
        assert queued_line("cpu", 0) == "Queued: waiting"


def test_a_find_at_work_is_named_and_a_damaged_folder_ends_nobody_who_waits(toy_corpus):
    find = create_run(RunFind.task, {})
    write_state(find, State.RUNNING, device="cpu")
    with FileLock(find.lock):
        assert queued_line("cpu", 0) == "Queued: waiting for “Find an encoder”"
        find.settings.write_text("{", encoding="utf-8")
        assert queued_line("cpu", 0) == "Queued: waiting"
