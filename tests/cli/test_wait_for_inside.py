"""Whoever needs layers and length of a run waits for the measurement that follows it, or starts it."""

import json

import pytest
from doing import do

from embedlab.cli import diagnosing
from embedlab.cli.diagnosing import wait_for_inside
from embedlab.cli.terminal import Terminal
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import list_runs
from embedlab.tasks.fine_tune import train

TINY = {"encoder": "scratch:bert-tiny", "recipe": "crops", "vocabulary_size": 300, "batch_size": 16, "max_steps": 2}
TINY |= {"max_length": 32, "maps": False, "live_texts": 0, "live_map": False, "device": "cpu"}


@pytest.fixture
def run(toy_corpus, monkeypatch):
    """A run whose followup is only asked for; whoever starts a job waits until it is done in this process."""
    monkeypatch.setattr(train, "enqueue_followup", lambda request: None)
    monkeypatch.setattr(diagnosing, "submit_once", lambda request: do(request.task, request.stored))
    return do("train", {"corpus": toy_corpus.fingerprint, **TINY})


def test_it_is_started_once_and_printed_as_the_commands_of_these_names_print_it(run, call):
    both = wait_for_inside(run, Terminal(quiet=True))
    assert len(list_runs("jobs")) == 1
    assert wait_for_inside(run, Terminal(quiet=True)) == both and len(list_runs("jobs")) == 1
    for name, printed in both.items():
        code, shown = call(name, "--run", run.id, "--json")
        assert code == 0 and json.loads(json.dumps(printed)) == shown


def test_one_that_ended_without_a_result_is_started_again_and_a_missing_one_is_none(run, monkeypatch, capsys):
    wait_for_inside(run, Terminal(quiet=True))
    (job,) = list_runs("jobs")
    write_state(job, State.STOPPED)
    run.layers.unlink()
    monkeypatch.setattr("embedlab.tasks.measure.inside._Budget.seconds_of_layers", lambda self: 90.0)
    both = wait_for_inside(run, Terminal())
    assert both["layers"] is None and both["length"] is not None and len(list_runs("jobs")) == 2
    assert read_state(list_runs("jobs")[0]).state is State.FINISHED
    assert "Layers: not measured." in capsys.readouterr().err
