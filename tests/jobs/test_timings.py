"""A timing that a form began gives way: to whatever else is started, to what waits, and it holds nobody up."""

import pytest
from filelock import FileLock

from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.jobs.runner import submit
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.tasks.device_queue import queued_before
from embedlab.training.settings import Estimate, RunSettings


@pytest.fixture
def unstarted(monkeypatch):
    """No process is started."""
    monkeypatch.setattr("embedlab.jobs.runner.LOCAL.submit", lambda folder: None)


def timing_of(corpus, **settings):
    return create_run("estimate", Estimate(corpus=corpus.fingerprint, **settings).stored)


WORK = [RunSettings(corpus="another"), DrawMaps(run="abc"), ReadCorpus(reference="docs")]


@pytest.mark.parametrize("asked", WORK, ids=lambda each: each.task)
def test_any_work_that_is_started_ends_a_timing(toy_corpus, unstarted, asked):
    timing = timing_of(toy_corpus)
    write_state(timing, State.RUNNING, device="cpu")
    with FileLock(timing.lock):
        submit(asked)
        assert timing.stop.exists()


@pytest.mark.parametrize("asked", [AnswerTexts(), Estimate(corpus="another")], ids=lambda each: each.task)
def test_what_nobody_waits_for_ends_none(toy_corpus, unstarted, asked):
    timing = timing_of(toy_corpus)
    write_state(timing, State.RUNNING, device="cpu")
    with FileLock(timing.lock):
        submit(asked)
        assert not timing.stop.exists()


def test_a_timing_that_waits_stands_before_nobody(toy_corpus, unstarted):
    for seed in range(3):
        submit(Estimate(corpus=toy_corpus.fingerprint, seed=seed))
    run = create_run("train", RunSettings(corpus=toy_corpus.fingerprint).stored)
    assert queued_before(run, "cpu") == 0
    first = submit(RunSettings(corpus=toy_corpus.fingerprint))
    second = create_run("train", RunSettings(corpus=toy_corpus.fingerprint).stored)
    assert queued_before(second, "cpu") >= 1 and first.id < second.id
