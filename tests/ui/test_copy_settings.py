"""Copy these settings: what is chosen on Train, and what a run was told, as a command and as a file."""

import json
import shlex

import pytest
from doing import queued

from embedlab.cli.arguments import parser
from embedlab.config import validated
from embedlab.report.settings_file import named_run
from embedlab.runs.store import list_runs, stored_request
from embedlab.training.settings import RunSettings


@pytest.fixture
def page(open_page, monkeypatch):
    """``page("train")`` ; starting a run creates its folder and no process."""

    def opened(key, **address):
        monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
        return open_page(key, **address)

    return opened


def copied(at, key: str) -> tuple[RunSettings, RunSettings]:
    """The settings of the command and those of the file behind the open button."""
    at.session_state[f"{key}.copy"] = True
    at.run()
    assert not at.exception
    line = next(code.value for code in at.code if code.value.startswith("python -m embedlab train"))
    file = next(code.value for code in at.code if code.value.startswith("{"))
    named = parser().parse_args(shlex.split(line)[3:])
    typed = named_run(vars(named), named.sets, None, kind=RunSettings, usual={}, unread={})
    return typed.settings, validated(RunSettings, json.loads(file))


def test_what_is_chosen_is_what_would_start(page, toy_corpus):
    at = page("train")
    assert not any("embedlab train" in code.value for code in at.code)  # nothing until it is opened
    at.number_input(key="train.sentences.words.epochs").set_value(3).run()
    at.number_input(key="train.sentences.words.augmentation.sentences").set_value(1).run()
    by_command, by_file = copied(at, "train")
    at.button(key="train.start").click().run()
    (run,) = list_runs()
    started = validated(RunSettings, stored_request(run).settings)
    assert by_command == by_file == started
    assert started.epochs == 3 and started.augmentation["sentences"] == 1


def test_a_run_gives_what_it_was_told(page, made_run, toy_corpus):
    run = made_run(seed=5, batch_size=32, objective={"temperature": 0.2})
    by_command, by_file = copied(page("settings", run=run.id), f"away.{run.id}")
    assert by_command == by_file == validated(RunSettings, stored_request(run).settings)
    assert by_command.seed == 5 and by_command.objective["temperature"] == 0.2
