"""Readers for what may be missing or damaged: the value where it is whole, None otherwise, no error."""

import pytest
from builders import leave_state
from damage import SETTINGS

from embedlab.config import with_settings
from embedlab.damage import read_model_if_whole
from embedlab.errors import SettingsError
from embedlab.jobs.progress import FolderProgress, Position, read_progress
from embedlab.runs.store import corpus_key, create_run, request_if_readable, run_if_readable
from embedlab.store_root import read_json_if_whole, write_json


@pytest.fixture
def run(store):
    return create_run("train", {"corpus": "docs", "seed": 3}, name="mine")


def test_a_readable_run_is_itself_and_an_unknown_one_nothing(run):
    assert run_if_readable(run.id) == run and request_if_readable(run).settings["seed"] == 3
    assert run_if_readable(None) is None and run_if_readable("0mwy4mee52kpk") is None


@pytest.mark.parametrize("how", SETTINGS)
def test_damaged_settings_are_none_and_a_group_of_their_own(run, how):
    SETTINGS[how](run)
    assert run_if_readable(run.id) is None and request_if_readable(run) is None
    assert corpus_key(run) == "unreadable"


def test_the_group_of_a_run_is_the_corpus_that_its_worker_identified(run):
    assert corpus_key(run) == "docs"
    leave_state(run, "running", fingerprint="16 hex digits")
    assert corpus_key(run) == "16 hex digits"


def test_the_last_position_is_read_as_it_was_written(run):
    assert read_progress(run) is None
    FolderProgress(run)("Embedding", 3, 12)
    position = read_progress(run)
    assert (position.stage, position.done, position.total, position.seconds_left) == ("Embedding", 3, 12, None)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"stage": "Embedding"}', '{"stage": 1, "done": 1, "total": 1, "at": 1}']
)
def test_half_a_position_is_none(run, content):
    run.progress.write_text(content, encoding="utf-8")
    assert read_progress(run) is None and read_model_if_whole(run.progress, Position) is None


def test_an_object_is_read_and_anything_else_is_none(tmp_path):
    file = tmp_path / "facts.json"
    assert read_json_if_whole(file) is None
    write_json(file, {"a": 1})
    assert read_json_if_whole(file) == {"a": 1}
    for damaged in ("", "[1]", '{"a": '):
        file.write_text(damaged, encoding="utf-8")
        assert read_json_if_whole(file) is None


def test_settings_are_merged_into_nested_values_that_stay_as_they_were():
    values = {"objective": {"temperature": 0.05, "push": True}, "epochs": 1}
    merged = with_settings(values, ["objective.temperature=0.5", "batch_size=32", "prompts.query=find: "])
    assert merged == {
        "objective": {"temperature": 0.5, "push": True},
        "epochs": 1,
        "batch_size": 32,
        "prompts": {"query": "find: "},  # the blank at its end is part of a prompt
    }
    assert values["objective"]["temperature"] == 0.05
    for wrong in ("batch_size", "=3", " =3"):
        with pytest.raises(SettingsError, match="SETTING=VALUE"):
            with_settings({}, [wrong])
