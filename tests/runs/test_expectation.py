"""What a run will take is told by one of the same settings, and by no other."""

import pytest

from embedlab.runs.expectation import expected
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import write_json

ASKED = {"corpus": "0123456789abcdef", "encoder": "token", "recipe": "crops", "epochs": 2, "max_steps": None}
ASKED |= {"batch_size": 64, "objective": {"temperature": 0.05}}


def finished(settings: dict, state: State = State.FINISHED, **facts) -> RunFolder:
    run = create_run("train", settings)
    write_json(run.result, {"run": run.id, "steps": 100, "seconds": 50.0, "training_seconds": 30.0, **facts})
    write_state(run, state, settings=settings, peak_bytes=1_500_000_000)
    (run.path / "encoder.bin").write_bytes(b"0" * 4_000_000)
    return run


def test_epochs_change_the_training_and_nothing_else(store):
    run = finished(ASKED)
    same, longer = expected({**ASKED, "seed": 3}), expected({**ASKED, "epochs": 6})
    assert same.run.id == run.id and same.seconds == pytest.approx(50) and longer.seconds == pytest.approx(20 + 90)
    assert same.peak_bytes == 1_500_000_000 and 4_000_000 < same.disk_bytes < 4_100_000
    assert expected({**ASKED, "of_a_later_version": None}) == same


@pytest.mark.parametrize(
    "other", [{"encoder": "minilm"}, {"batch_size": 32}, {"max_steps": 10}, {"objective": {"temperature": 1}}]
)
def test_another_setting_is_another_run(store, other):
    finished(ASKED)
    assert expected({**ASKED, **other}) is None


def test_only_a_whole_run_tells(store):
    assert expected(ASKED) is None
    for state, facts in ((State.STOPPED, {}), (State.FAILED, {}), (State.FINISHED, {"stopped": True})):
        finished(ASKED, state, **facts)
    create_run("train", ASKED)
    assert expected(ASKED) is None
    older, newer = finished(ASKED), finished(ASKED, seconds=70.0)
    assert expected(ASKED).run.id == newer.id != older.id and expected(ASKED).seconds == pytest.approx(70)
