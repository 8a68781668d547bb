"""What a study will take: each setting by a run like it or its timing, the others as the nearest."""

import platform

import pytest
from builders import leave_stages

from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, write_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import write_json
from embedlab.studies.expected import StudyExpectation, expected_study, to_time
from embedlab.studies.plan import cells, settings_of
from embedlab.studies.request import asked_study


@pytest.fixture
def asked(toy_corpus):
    """Four temperatures with two seeds each."""
    return asked_study("temperature", toy_corpus.info, values=(0.01, 0.1, 1.0, 2.0), seeds=(0, 1), layers=0)


def told(asked, value: float, seed: int = 0) -> dict:
    cell = next(each for each in cells(asked) if (each.value, each.seed) == (value, seed))
    return settings_of(asked, cell).stored


def finished(settings: dict, seconds: float, *, versions: dict | None = None, stopped: bool = False) -> RunFolder:
    run = create_run("train", settings)
    write_result(run, RunResult.model_validate({"run": run.id, "steps": 9, "stopped": stopped}))
    times = leave_stages(run, tuning=2, seconds=seconds)
    write_state(run, State.FINISHED, peak_bytes=10**9, versions=versions or {"torch": "0.1"}, **times)
    (run.path / "encoder.bin").write_bytes(b"0" * 1_000_000)
    return run


def timed(settings: dict, seconds: float, state: State = State.FINISHED) -> RunFolder:
    job = create_run("estimate", settings)
    found = {"verdict_seconds": seconds, "peak_bytes": 2 * 10**9, "disk_bytes": 5 * 10**6, "steps": 7}
    write_json(
        job.result,
        found | {"usable_texts": 90, "seconds_per_step": 0.5, "seconds": 3.5, "schedule": "fitted", "held_bytes": {}},
    )
    write_state(job, state)
    return job


def test_of_nothing_known_nothing_is_said_and_three_of_four_settings_are_timed(asked, toy_corpus):
    assert expected_study(asked) is None
    assert [each.stored for each in to_time(asked)] == [told(asked, value) for value in (0.01, 1.0, 2.0)]
    timed(told(asked, 1.0), 30, State.FAILED)
    assert [each.stored for each in to_time(asked)] == [told(asked, 0.01), told(asked, 2.0)] and expected_study(
        asked
    ) is None


def test_what_is_not_known_is_as_the_nearest_and_the_largest_run_says_the_memory(asked):
    finished(told(asked, 0.01, seed=0), 10)
    timed(told(asked, 2.0), 40)
    found = expected_study(asked)
    assert (found.runs, found.there, found.settings, found.known) == (8, 0, 4, 2)
    assert found.seconds == pytest.approx(2 * (10 + 10 + 40 + 40))  # 0.1 lies next to 0.01, and 1 next to 2
    assert found.peak_bytes == 2 * 10**9 and 2 * (1 + 1 + 5 + 5) * 10**6 < found.disk_bytes < 25 * 10**6
    assert [each.stored for each in to_time(asked)] == [told(asked, 1.0)] and found.out_of_reach is None


def test_a_run_that_would_be_taken_as_it_is_is_not_made_again(asked):
    finished(told(asked, 0.01), 10, versions={"filelock": "0.0"})
    assert expected_study(asked).there == 0  # of other versions
    for each in cells(asked):
        finished(settings_of(asked, each).stored | {"maps": True}, 10, versions={"python": platform.python_version()})
    found = expected_study(asked)
    assert (found.there, found.seconds, found.disk_bytes, found.peak_bytes) == (8, 0, 0, None)


def test_a_stopped_run_tells_nothing(asked):
    finished(told(asked, 0.01), 10, stopped=True)
    assert expected_study(asked) is None


def test_a_second_phase_is_timed_from_the_encoder_of_the_first(toy_corpus):
    asked = asked_study("labels-after", toy_corpus.info, values=(8, 16), seeds=(0,), layers=0)
    assert all(each.encoder == "token" for each in to_time(asked))


def test_what_no_computer_has_is_out_of_reach():
    found = StudyExpectation(8, 0, 1.0, 10**15, 1, 4, 4)
    assert found.out_of_reach.startswith("This study would take 1000000.0 GB of memory, but this computer has ")
    found = StudyExpectation(8, 0, 1.0, 1, 10**15, 4, 4)
    assert "of space on the disk" in found.out_of_reach and found.out_of_reach.endswith("or free some space")
