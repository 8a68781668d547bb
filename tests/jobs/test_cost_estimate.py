"""What a run will take is told by one of the same settings, and by no other."""

import pytest
from builders import BEGAN, leave_stages

from embedlab.jobs import cost_estimate
from embedlab.jobs.cost_estimate import CostEstimate, expected, seconds_by_encoder, timing_of
from embedlab.jobs.progress import FOLDS, note_stage
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, write_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import write_json

ASKED = {"corpus": "0123456789abcdef", "encoder": "token", "recipe": "crops", "epochs": 2, "max_steps": None}
ASKED |= {"batch_size": 64, "objective": {"temperature": 0.05}}


def finished(settings: dict, state: State = State.FINISHED, **facts) -> RunFolder:
    """A run of 100 steps in 30 seconds, begun 5 seconds after its worker and ``seconds`` long as a whole."""
    run, seconds = create_run("train", settings), facts.pop("seconds", 50.0)
    write_result(run, RunResult.model_validate({"run": run.id, "steps": 100, **facts}))
    times = leave_stages(run, tuning=30, seconds=seconds)
    write_state(run, state, settings=settings, peak_bytes=1_500_000_000, **times)
    (run.path / "encoder.bin").write_bytes(b"0" * 4_000_000)
    return run


def test_epochs_change_the_training_and_nothing_else(store):
    run = finished(ASKED)
    same, longer = expected({**ASKED, "seed": 3}), expected({**ASKED, "epochs": 6})
    assert same.by.id == run.id and same.seconds == pytest.approx(50) and longer.seconds == pytest.approx(20 + 90)
    assert same.device_peak_bytes is None  # it ran without a GPU
    assert same.peak_bytes == 1_500_000_000 and 4_000_000 < same.disk_bytes < 4_100_000


@pytest.mark.parametrize(
    "other", [{"encoder": "minilm"}, {"batch_size": 32}, {"max_steps": 10}, {"objective": {"temperature": 1}}]
)
def test_another_setting_is_another_run(store, other):
    finished(ASKED)
    assert expected({**ASKED, **other}) is None


def test_the_verdict_was_there_when_the_folds_were(store):
    note_stage(finished(ASKED, seconds=90.0), FOLDS, BEGAN.timestamp() + 38)
    assert expected(ASKED).seconds == pytest.approx(90)
    assert expected({**ASKED, "epochs": 4}).seconds == pytest.approx(120)


def test_a_run_whose_stages_are_gone_tells_nothing(store):
    finished(ASKED).stages.unlink()
    assert expected(ASKED) is None and seconds_by_encoder(ASKED["corpus"], ["token"]) == {}
    finished(ASKED)
    assert seconds_by_encoder(ASKED["corpus"], ["token"]) == {"token": pytest.approx(50)}


def test_few_of_many_runs_without_stages_are_read(store, monkeypatch):
    for _ in range(cost_estimate._WITHOUT_STAGES + 2):
        finished(ASKED)
    read = []
    monkeypatch.setattr(cost_estimate, "stages_of", read.append)
    assert seconds_by_encoder(ASKED["corpus"], ["token", "minilm"]) == {}
    assert len(read) == cost_estimate._WITHOUT_STAGES


def test_without_such_a_run_the_timing_of_exactly_this_tells(store):
    job = create_run("estimate", ASKED)
    timed = {"verdict_seconds": 12.5, "peak_bytes": 10**9, "disk_bytes": 10**6, "steps": 7, "usable_texts": 90}
    write_json(
        job.result,
        timed
        | {
            "seconds_per_step": 0.5,
            "device_peak_bytes": 3 * 10**9,
            "seconds": 3.5,
            "schedule": "fitted",
            "held_bytes": {},
        },
    )
    assert expected(ASKED) is None and timing_of(ASKED).id == job.id
    write_state(job, State.FINISHED)
    found = expected(ASKED)
    assert (found.seconds, found.timing.steps, found.timing.seconds_per_step) == (12.5, 7, 0.5)
    assert found.out_of_reach is None
    assert found.device_peak_bytes == 3 * 10**9
    again = create_run("estimate", ASKED)  # has yet to begin
    assert timing_of(ASKED).id == again.id and expected(ASKED).by.id == job.id
    assert expected({**ASKED, "epochs": 7}) is None and timing_of({**ASKED, "epochs": 7}) is None
    finished(ASKED)
    assert expected(ASKED).timing is None


def test_a_run_that_ended_early_by_itself_tells_of_the_same_length_alone(store):
    run = finished(ASKED, stopped=True)
    assert expected(ASKED).by.id == run.id
    assert expected({**ASKED, "epochs": 6}) is None


@pytest.mark.parametrize(("name", "what"), [("peak_bytes", "memory"), ("disk_bytes", "space on the disk")])
def test_what_no_computer_has_is_out_of_reach(store, name, what):
    needs = {"peak_bytes": 1, "disk_bytes": 1, name: 2 * 10**15}
    found = CostEstimate(create_run("estimate", {}), 1.0, **needs)
    assert found.out_of_reach.startswith(f"This run would take 2000000.0 GB of {what}, but this computer has ")


def test_only_a_whole_run_tells(store):
    assert expected(ASKED) is None
    for state in (State.STOPPED, State.FAILED):
        finished(ASKED, state)
    create_run("train", ASKED)
    assert expected(ASKED) is None
    older, newer = finished(ASKED), finished(ASKED, seconds=70.0)
    assert expected(ASKED).by.id == newer.id != older.id and expected(ASKED).seconds == pytest.approx(70)
