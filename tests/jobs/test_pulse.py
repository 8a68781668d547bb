"""The thread that writes the beat: it goes on while the main thread computes, and sees the signals meanwhile."""

import os
import signal
import threading

import pytest
from patience import until

from embedlab.jobs import pulse
from embedlab.jobs.progress import is_told_to_leave
from embedlab.runs.beat import LIVE_POINT, STEP, Beat, read_beat
from embedlab.runs.store import create_run

ENDS_IN_THREAD = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # by SystemExit


@pytest.fixture
def run(store):
    return create_run("train", {"corpus": "docs"})


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    moment = [100.0]
    monkeypatch.setattr("embedlab.jobs.pulse.time.monotonic", lambda: moment[0])
    return moment


@pytest.fixture
def ends(monkeypatch):
    """The exit codes with which the process would have ended; it is looked at soon."""
    codes: list[int] = []
    ended = threading.Event()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()
        raise SystemExit

    monkeypatch.setattr("embedlab.jobs.pulse.os._exit", end)
    monkeypatch.setattr("embedlab.jobs.pulse.BEAT_SECONDS", 0.05)
    return codes, ended


def test_the_longest_work_of_each_kind_is_counted_and_what_is_inside_another_replaces_it(run, clock):
    each = pulse.Pulse(run)
    for seconds in (2.0, 7.0, 3.0):
        with each.during(STEP):
            clock[0] += seconds
    assert each.beat() == Beat(longest_step=7.0)
    each.done, each.planned = 3, 9
    with each.during(STEP):
        clock[0] += 1.0
        with each.during(LIVE_POINT):
            clock[0] += 5.0
            assert each.beat() == Beat(work=LIVE_POINT, seconds=5.0, longest_step=7.0, done=3, planned=9)
        assert each.beat() == Beat(work=STEP, seconds=6.0, longest=7.0, longest_step=7.0, done=3, planned=9)


def test_what_a_step_takes_is_known_again_when_a_run_goes_on(run, clock):
    first = pulse.Pulse(run)
    with first.during(STEP):
        clock[0] += 30.0
    first.write()
    assert pulse.Pulse(run).longest == {STEP: 30.0}


def test_work_that_no_beat_is_written_of_is_done_all_the_same(run):
    with pulse.during(STEP, done=1):
        pass
    assert not run.beat.exists()


def test_the_beat_goes_on_while_the_main_thread_computes(run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.pulse.BEAT_SECONDS", 0.01)
    with pulse.beating(run), pulse.during(STEP, done=4, planned=9):
        until(lambda: (seen := read_beat(run)) is not None and seen.beat.current_step == 5)
        first = read_beat(run).beat.seconds
        until(lambda: read_beat(run).beat.seconds > first)
    assert read_beat(run).beat == Beat(longest_step=read_beat(run).beat.longest_step, done=4, planned=9)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@ENDS_IN_THREAD
def test_a_signal_lets_the_step_end_and_a_second_one_does_not(run, ends):
    codes, ended = ends
    before = signal.getsignal(signal.SIGTERM)
    with pulse.beating(run, leave=lambda: None), pulse.during(STEP):
        os.kill(os.getpid(), signal.SIGTERM)
        until(is_told_to_leave)
        assert codes == []
        os.kill(os.getpid(), signal.SIGTERM)
        assert ended.wait(60) and codes == [75]
    assert signal.getsignal(signal.SIGTERM) is before and not is_told_to_leave()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@ENDS_IN_THREAD
def test_a_step_that_lasts_is_left_after_a_signal_with_what_was_kept(run, ends, monkeypatch):
    codes, ended = ends
    left: list[bool] = []
    monkeypatch.setattr("embedlab.jobs.pulse.LEAVE_SECONDS", 0.0)
    with pulse.beating(run, leave=lambda: left.append(True)), pulse.during(STEP):
        os.kill(os.getpid(), signal.SIGTERM)
        assert ended.wait(60) and (left, codes) == ([True], [75])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_after_stop_a_signal_does_not_shorten_the_step(run, ends, monkeypatch):
    codes, _ = ends
    left: list[bool] = []
    monkeypatch.setattr("embedlab.jobs.pulse.LEAVE_SECONDS", 0.0)
    run.stop.parent.mkdir(exist_ok=True)
    run.stop.touch()
    with pulse.beating(run, leave=lambda: left.append(True)), pulse.during(STEP):
        os.kill(os.getpid(), signal.SIGTERM)
        until(is_told_to_leave)
        until(lambda: (seen := read_beat(run)) is not None and seen.beat.seconds > 0.3)  # several looks later
    assert (left, codes) == ([], [])
