"""The beat of a training as a reader sees it: how long the current work has taken, by no clock of another machine."""

import os
import time

import pytest

from embedlab.runs.beat import MEASURING, STEP, Beat, read_beat
from embedlab.runs.store import create_run


@pytest.fixture
def run(store):
    return create_run("train", {"corpus": "docs"})


def written(run, beat: Beat, *, age: float) -> None:
    run.beat.write_text(beat.model_dump_json(), encoding="utf-8")
    now = time.time()
    os.utime(run.beat, (now - age, now - age))


def test_the_seconds_in_a_step_are_those_written_and_the_age_of_the_file(run, monkeypatch):
    written(run, Beat(work=STEP, seconds=12.0, longest=34.0, longest_step=34.0, done=1, planned=20), age=5.0)
    modified = run.beat.stat().st_mtime
    monkeypatch.setattr("embedlab.runs.beat.disk_time", lambda: modified + 5.0)
    seen = read_beat(run)
    assert (seen.seconds, seen.beat.current_step, seen.beat.longest) == (17.0, 2, 34.0)
    monkeypatch.setattr("embedlab.runs.beat.disk_time", lambda: modified - 3600.0)
    assert read_beat(run).seconds == 12.0  # never less than what the worker counted


def test_no_step_is_computed_while_something_is_measured(run):
    assert Beat(work=MEASURING, done=3).current_step is None and Beat(done=3).current_step is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", '{"seconds": -1}', '{"seconds": "many"}', '{"longest": NaN}', '{"done": 1.5}', "\0"]
)
def test_a_damaged_beat_is_none(run, content):
    assert read_beat(run) is None
    run.beat.write_text(content, encoding="utf-8")
    assert read_beat(run) is None
    run.beat.unlink()
    run.beat.mkdir()
    assert read_beat(run) is None
