"""Old jobs go by themselves; runs, what is at work and how a study ended stay."""

import json

import pytest

from embedlab.jobs import storage
from embedlab.jobs.storage import prune_jobs
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs, made_at
from embedlab.store_root import write_json

DAY = 24 * 3600


@pytest.fixture
def job_of_age(store):
    """``job_of_age(days, task)``: a job that was created so many days ago, and is over."""

    def made(days: float, task: str = "map", state: State = State.FINISHED, **settings) -> RunFolder:
        folder = create_run(task, settings)
        stamp, digits = int((made_at(folder) - days * DAY) * 1000), ""
        while stamp:
            stamp, digit = divmod(stamp, 36)
            digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        older = RunFolder(folder.path.with_name(digits.zfill(9) + folder.id[9:]))
        folder.path.rename(older.path)
        if state.is_over:
            write_state(older, state)
        assert made_at(older) == pytest.approx(made_at(folder) - days * DAY, abs=1)
        return older

    return made


def test_jobs_of_more_than_thirty_days_go_also_those_that_answered(job_of_age):
    kept = [job_of_age(29), job_of_age(40, state=State.QUEUED), job_of_age(1, "ask"), job_of_age(40, "train")]
    job_of_age(31), job_of_age(31, "ask"), job_of_age(90, state=State.FAILED), job_of_age(31, state=State.STOPPED)
    prune_jobs()
    assert {*list_runs(), *list_runs("jobs")} == set(kept) and at_work() == [kept[1]]


def test_only_the_newest_are_kept(job_of_age, monkeypatch):
    monkeypatch.setattr(storage, "JOBS_KEPT", 2)
    jobs = [job_of_age(days) for days in (4, 3, 2, 1)]
    at_work()
    prune_jobs()
    assert list_runs("jobs") == [jobs[3], jobs[2]]


@pytest.mark.parametrize(("task", "room"), [("study", "studies"), ("find", "finds")])
def test_the_newest_job_of_a_study_or_find_stays_as_long_as_that(job_of_age, store, task, room):
    job_of_age(50, task, **{task: "abcdef1"}), job_of_age(50, task, **{task: "deleted"})
    last = job_of_age(40, task, **{task: "abcdef1"})
    write_json(store / room / "abcdef1" / f"{task}.json", {})
    prune_jobs()
    assert list_runs("jobs") == [last] and json.loads(last.state.read_text("utf-8"))["state"] == "finished"
