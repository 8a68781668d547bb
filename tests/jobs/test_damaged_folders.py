"""One damaged folder stops nothing: no training, no answer, no command; it is named once."""

from dataclasses import replace

import pytest
from damage import ALL, SETTINGS

from embedlab.cli.listing import runs
from embedlab.cli.terminal import Terminal
from embedlab.errors import RunError
from embedlab.jobs.campaigns import job_of
from embedlab.jobs.cost_estimate import expected, seconds_by_encoder, timing_of
from embedlab.jobs.eta import eta_of
from embedlab.jobs.executors import LOCAL
from embedlab.jobs.progress import FolderProgress, worked_beside
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.jobs.runner import enqueue_followup, look_after, submit_once
from embedlab.jobs.storage import prune_jobs
from embedlab.progress import silent
from embedlab.runs.index.find import at_work, damaged, newest_job
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, delete_run, find_run, list_runs
from embedlab.studies.store import Study
from embedlab.tasks import device_queue
from embedlab.tasks import questions as ask
from embedlab.training.settings import RunSettings
from embedlab.worker import work as worker


@pytest.fixture(params=["queued", "finished"])
def damage(request, store):
    """``damage(how)``: a run and a job of each kind, damaged so; at work, or over and already known to the index."""

    def done(how: str):
        folders = [create_run(task, {"corpus": "docs", "run": "abc", "of": "abc"}) for task in TASKS]
        if request.param == "finished":
            for folder in folders:
                write_state(folder, State.FINISHED)
            at_work()
        for folder in folders:
            ALL[how](folder)
        return folders

    return done


TASKS = ("train", "map", "estimate", "ask", "study", "fetch")


@pytest.mark.parametrize("how", ALL)
def test_a_training_an_answer_and_a_new_job_begin_all_the_same(damage, monkeypatch, how):
    folders = damage(how)
    monkeypatch.setattr(type(LOCAL), "submit", lambda *_: None)
    job = submit_once(RunSettings(corpus="another"))
    assert job in at_work() and submit_once(RunSettings(corpus="another")) == job
    device_queue.ask_to_give_way("cpu")
    worker._step_aside(job, folders[0].id)
    assert device_queue.queued_before(job, "cpu") in (0, 1, 2)  # the damaged ones, where they still say they wait
    monkeypatch.setattr(ask, "LIMITS", replace(ask.LIMITS, ask_idle_seconds=0))
    ask.run(job, AnswerTexts(), silent)
    look_after(job)
    FolderProgress(job)("Fine-tuning")
    assert worked_beside(job) is not None and eta_of(job) is not None and enqueue_followup(DrawMaps(run=job.id)).path
    assert expected({"corpus": "another"}) is None and timing_of({"a": 1}) is None
    assert seconds_by_encoder("docs", ["token"]) == {} and job_of(Study(folders[0].path)) is None
    prune_jobs()
    assert newest_job("train", corpus="another") == job


@pytest.mark.parametrize("how", SETTINGS)
def test_each_is_named_once_and_can_be_deleted(damage, how):
    folders = damage(how)
    assert damaged().keys() == {folder.id for folder in folders}
    lines = runs(Terminal(quiet=True)).lines
    assert [sum(folder.id in line for line in lines) for folder in folders] == [1] * len(TASKS)
    for folder in folders:
        with pytest.raises(RunError, match="another version of embedlab|cannot be read"):
            raise RunError("", damaged()[folder.id])
        delete_run(find_run(folder.id))
    assert (
        damaged() == {}
        and not list_runs()
        and not list_runs("jobs")
        and "damaged" not in runs(Terminal(quiet=True)).facts
    )


def test_what_was_mended_is_named_no_longer(damage):
    run = damage("no JSON")[0]
    assert run.id in damaged()
    run.settings.write_bytes(create_run("train", {"corpus": "docs"}).settings.read_bytes())
    assert run.id not in damaged() and newest_job("train", corpus="docs") is not None
