"""However a training ends once step 0 is measured, an encoder is kept and becomes its result; the state says how."""

import os
import signal
from types import SimpleNamespace

import pytest
from patience import until
from slowing import SLOW

from embedlab.encoders.load import load_encoder
from embedlab.jobs.runner import enforce_stop, look_after, request_stop, resume, stop, stop_all, submit, wait
from embedlab.runs.beat import read_beat
from embedlab.runs.index.find import at_work
from embedlab.runs.kept import newest_kept
from embedlab.runs.lease import has_worker
from embedlab.runs.result import W_NOT_MEASURED, read_result
from embedlab.runs.state import State, read_state, written_state
from embedlab.runs.store import read_rows
from embedlab.store_root import read_json
from embedlab.training.checkpoints import newest_checkpoint
from embedlab.training.settings import RunSettings

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
STEPS = 8
LONG = "600"  # seconds: no test waits for the end of such a step


@pytest.fixture
def settings(toy_corpus) -> dict:
    room = {"batch_size": 16, "vocabulary_size": 300, "max_steps": STEPS, "evaluate_every": 1, "checkpoint_every": 2}
    room |= {
        "encoder": "token",
        "recipe": "crops",
        "maps": False,
        "inside": False,
        "live_map": False,
        "live_texts": 200,
    }
    return {**room, "corpus": toy_corpus.info.fingerprint}


@pytest.fixture
def started(settings, monkeypatch):
    """``started(slow)``: a run whose steps are so slow, once its step 0 is measured."""
    runs = []

    def start(slow: str, step: int = 0):
        monkeypatch.setenv(SLOW, slow)
        run = submit(RunSettings(**settings))
        runs.append(run)
        until(lambda: newest_kept(run) is not None and (seen := read_beat(run)) is not None and seen.beat.done >= step)
        until(lambda: read_beat(run).beat.current_step is not None)
        return run

    yield start
    for run in runs:
        facts = read_state(run)
        if not facts.is_over:
            os.kill(facts.pid, signal.SIGKILL)


def kill(run, number: int = signal.SIGKILL) -> None:
    """Send a signal to its worker, and wait until that is gone."""
    os.kill(read_state(run).pid, number)
    until(lambda: not has_worker(run))


def require_kept(run, step: int) -> None:
    """Its encoder is that of this step, as its result says."""
    result = read_result(run)
    assert result.kept.step == step and result.stopped and result.knn is None and result.warned(W_NOT_MEASURED)
    assert load_encoder(str(run.encoder)).weights_hash() == result.weights_hash


def test_a_step_that_hangs_is_ended_and_the_best_encoder_so_far_is_the_result(started, monkeypatch):
    run = started(f"0:hang:{3}", step=2)
    monkeypatch.setattr("embedlab.jobs.runner.STOP_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("embedlab.jobs.runner.STOP_HANGING_SECONDS", 0.5)
    best = newest_kept(run)[1].step
    stop(run)
    assert written_state(run) is State.STOPPED and run.stop_signal.exists()
    require_kept(run, best)
    assert read_result(run).kept.reason.startswith(f"Stopped at step 2 of {STEPS}; step 3 was not kept. ")


def test_a_worker_that_is_found_dead_after_stop_is_stopped_for_whoever_looks(started):
    run = started(LONG)
    request_stop(run)
    kill(run)
    assert written_state(run) is State.RUNNING
    assert at_work("runs") == []  # any page and any list looks there
    assert written_state(run) is State.STOPPED
    require_kept(run, 0)
    sentence = f"Stopped at step 0 of {STEPS}; step 1 was not kept. Kept the encoder of step 0, before training, "
    assert read_result(run).kept.reason == f"{sentence}the best so far by the development texts."


def test_what_is_found_dead_becomes_a_result_once(started):
    run = started(LONG)
    request_stop(run)
    kill(run)
    look_after(run)
    written = run.result.stat(), run.state.stat()
    for _ in range(2):
        look_after(run)
        enforce_stop(run)
    assert (run.result.stat(), run.state.stat()) == written


def test_one_that_is_killed_without_stop_stays_interrupted_and_keeps_its_encoder(started):
    run = started(LONG)
    kill(run)
    facts = look_after(run)
    assert facts.state is State.INTERRUPTED and facts.worker_vanished
    require_kept(run, 0)
    assert read_result(run).kept.reason.startswith(f"Interrupted at step 0 of {STEPS}; step 1 was not kept. ")


def test_sigterm_lets_a_step_end_and_saves_a_checkpoint_of_it(started):
    run = started("0.4")
    kill(run, signal.SIGTERM)
    assert written_state(run) is State.INTERRUPTED and not read_state(run).worker_vanished
    done = read_rows(run.terms)[-1]["step"]
    assert newest_checkpoint(run.checkpoints).steps == done < STEPS
    result = read_result(run)
    require_kept(run, result.kept.step)
    assert result.steps == done and "was not kept" not in result.kept.reason


def test_sigterm_after_stop_is_no_reason_to_lose_the_step(started):
    run = started("0.8")
    request_stop(run)
    os.kill(read_state(run).pid, signal.SIGTERM)
    assert wait(run).state is State.STOPPED
    result = read_result(run)
    assert result.steps == read_rows(run.terms)[-1]["step"] >= 1


def test_two_signals_end_a_long_step_at_once_and_the_encoder_is_kept(started):
    run = started(LONG)
    before = run.beat.stat().st_mtime_ns
    os.kill(read_state(run).pid, signal.SIGTERM)
    until(lambda: run.beat.stat().st_mtime_ns > before)  # it was seen: two at one moment are one
    kill(run, signal.SIGTERM)
    assert look_after(run).state is State.INTERRUPTED
    require_kept(run, 0)


def test_stop_before_step_0_is_measured_keeps_nothing_and_says_so(settings):
    run = submit(RunSettings(**settings))
    request_stop(run)
    assert wait(run).state is State.STOPPED
    assert written_state(run) is State.STOPPED and read_result(run) is None and not run.encoder.exists()


def test_stop_all_keeps_the_encoder_without_measuring_it(started):
    run = started("0.4")
    stop_all([run])
    assert written_state(run) is State.STOPPED
    require_kept(run, read_result(run).kept.step)


def test_a_plain_stop_measures_and_leaves_nothing_beside_the_encoder(started):
    run = started("0.4")
    stop(run)
    result = read_result(run)
    assert result.stopped and result.knn is not None and not result.is_unmeasured
    assert not run.encoder_so_far.exists()


@pytest.mark.parametrize("is_stopped", [True, False])
def test_resume_after_such_an_end_is_exact(started, settings, monkeypatch, is_stopped):
    run = started("0:hang:6", step=5)
    if is_stopped:
        request_stop(run)
    kill(run)
    look_after(run)
    require_kept(run, read_result(run).kept.step)
    monkeypatch.delenv(SLOW)
    resume(run)
    assert wait(run).state is State.FINISHED and not read_result(run).is_unmeasured and not run.encoder_so_far.exists()
    whole = submit(RunSettings(**settings))
    assert wait(whole).state is State.FINISHED
    names = ("weights_hash", "steps", "knn", "kept")
    ours, theirs = (read_json(each.result) for each in (run, whole))
    assert {name: ours[name] for name in names} == {name: theirs[name] for name in names}
    losses = [[row["loss"] for row in read_rows(each.terms)] for each in (run, whole)]
    assert losses[0] == losses[1] and len(losses[0]) == STEPS


def test_a_run_without_live_texts_keeps_the_encoder_of_its_newest_checkpoint(settings, monkeypatch):
    settings |= {"live_texts": 0}
    monkeypatch.setenv(SLOW, "0:hang:6")
    run = submit(RunSettings(**settings))
    until(lambda: newest_kept(run) is not None and read_beat(run).beat.current_step == 6)
    request_stop(run)
    kill(run)
    assert look_after(run).state is State.STOPPED
    require_kept(run, newest_checkpoint(run.checkpoints).steps)
    assert "the last that was saved" in read_result(run).kept.reason


def test_what_is_kept_has_a_share_of_the_time_and_is_caught_up(started, monkeypatch):
    """Not by a worker: saving that takes long is put off, and the best is saved once there was time again."""
    from embedlab.tasks.fine_tune import keeping

    clock, saved = [0.0], []
    monkeypatch.setattr(keeping, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    training = SimpleNamespace(
        is_judged=True, curve=object(), folder=SimpleNamespace(stop=SimpleNamespace(exists=bool))
    )
    listener = keeping.KeepingBest(training, judge="", describe=None, labels=None)

    def save() -> None:
        saved.append(clock[0])
        listener.seconds, listener.is_due = listener.seconds + 10.0, False

    monkeypatch.setattr(listener, "_save", save)
    best = SimpleNamespace(row={"best": True}, ends=False)
    listener.at_live_point(best)  # the first encoder is always saved: ten seconds
    for clock[0] in (50.0, 199.0, 200.0, 201.0):
        listener.at_live_point(SimpleNamespace(row={"best": clock[0] == 50.0}, ends=False))
        listener.before_next_step(None)
    assert saved == [0.0, 200.0]  # twenty times as long
