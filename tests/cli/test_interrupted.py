"""Ctrl-C: what keeps running is named, and nothing is where nothing was started."""

import pytest

from embedlab.cli import main
from embedlab.jobs import runner
from embedlab.runs.state import State, write_state
from embedlab.runs.store import list_runs


@pytest.fixture(autouse=True)
def nothing_started(monkeypatch):
    monkeypatch.setattr(runner, "started_here", type(runner.started_here)(maxlen=100))
    monkeypatch.setattr(type(runner.LOCAL), "submit", lambda self, folder, job=None: 0)


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_a_command_that_started_nothing_leaves_nothing(store, monkeypatch, capsys):
    monkeypatch.setattr("embedlab.cli.listing.list_rows", interrupt)
    assert main(["runs", "list"]) == 130
    message = capsys.readouterr().err
    assert "Interrupted" in message and "runs stop" not in message and "keeps running" in message


TRAIN = ["train", "--encoder", "token", "--recipe", "crops", "--corpus"]


def test_a_run_that_was_started_is_named(toy_corpus, monkeypatch, capsys):
    monkeypatch.setattr("embedlab.cli.running.wait", interrupt)
    assert main([*TRAIN, toy_corpus.fingerprint]) == 130
    assert f"runs stop {list_runs()[0].id}" in capsys.readouterr().err


def test_a_run_that_is_over_or_told_to_stop_is_not(toy_corpus, monkeypatch, capsys):
    monkeypatch.setattr("embedlab.cli.running.wait", interrupt)
    main([*TRAIN, toy_corpus.fingerprint])
    run = list_runs()[0]
    assert runner.left_at_work() == [run]
    runner.request_stop(run)
    assert runner.left_at_work() == []
    run.stop.unlink()
    write_state(run, State.FINISHED)
    assert runner.left_at_work() == []


def test_reading_that_a_worker_did_is_stopped_with_the_command(store, tmp_path, monkeypatch, capsys):
    (tmp_path / "texts.csv").write_text("text\none two three. four five.\n")
    monkeypatch.setattr(runner, "wait", interrupt)
    assert main([*TRAIN, str(tmp_path / "texts.csv")]) == 130
    assert "runs stop" not in capsys.readouterr().err
    assert runner.left_at_work() == []
