"""Starts, stops and waits for workers: a worker is one process, one folder, one command line."""

import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from embedlab.config import Request
from embedlab.damage import Content, read_model
from embedlab.errors import RunError, StopRequested, UserError
from embedlab.jobs.executors import LOCAL, executor_of, executor_with
from embedlab.jobs.executors.cluster import fail
from embedlab.jobs.progress import read_progress
from embedlab.jobs.why_ended import error_of
from embedlab.jobs.worker_process import TOKEN
from embedlab.numbers import duration
from embedlab.plain_text import clean_name
from embedlab.progress import Progress, silent
from embedlab.runs.beat import LIVE_POINT, MEASURING, STEP, read_beat
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work, unsettled
from embedlab.runs.kept import record_ending
from embedlab.runs.lease import disk_time, has_worker, read_job, waits_elsewhere, write_job
from embedlab.runs.state import RunState, State, now, read_state, write_state
from embedlab.runs.store import create_run, stored_request, task_of
from embedlab.session import current_session
from embedlab.store_root import alone, make_folder

STOP_PATIENCE_SECONDS = 20  # at least, for what is computed when Stop is pressed; then the worker is asked by a signal
STOP_HANGING_SECONDS = 30  # at least, until it is ended by force
PATIENCE_TIMES, HANGING_TIMES = 3, 10  # the longest work of the same kind so far
POLL_SECONDS = 0.3
SECOND_CLICK_SECONDS = 10  # a click on Start is repeated by whoever sees nothing happen
LEAVING = ("runs", "trainings")  # rooms whose jobs may leave this machine: runs, and the candidates of a Find
STARTING = "start"  # the lock of whoever starts a job
TIMING = "estimate"  # the task that times a few steps of a run, for whoever looks at a form
started_here: deque[RunFolder] = deque(maxlen=100)  # by this process, newest last
NO_WORK = (TIMING, "ask")  # tasks that nobody waits for


def submit(request: Request, *, name: str = "", on: str | None = None) -> RunFolder:
    """Create a run and start its worker."""
    if request.task not in NO_WORK:
        _stop_timings()
    return start(create_run(request.task, request.stored, name=name), on)


def start(folder: RunFolder, on: str | None = None) -> RunFolder:
    """Start the worker of a queued run: it outlives the app and the browser.

    ``on``: a key of ``EXECUTORS``, else what ``EMBEDLAB_EXECUTOR`` says. Only trainings leave this machine; the other
    jobs are work of seconds. A run that its executor does not take has failed, with the reason; it can be resumed here.
    """
    started_here.append(folder)
    try:
        (executor_of(on) if folder.path.parent.name in LEAVING else LOCAL).take(folder)
    except UserError as error:
        fail(folder, error.code, error.message, error.exit_code)
    except FileNotFoundError:
        if folder.settings.exists():
            raise
        raise RunError("E-DELETED", f"Run {folder.id} was deleted before it could start.") from None
    return folder


def _stop_timings() -> None:
    """Stop what is timed for a form: somebody has decided by now."""
    for timing in (job for job in at_work("jobs") if task_of(job) == TIMING and not job.stop.exists()):
        request_stop(timing)


def enqueue_followup(request: Request) -> RunFolder:
    """For a run's worker: what to do afterwards. On another machine the same worker does it after its run (worker.py),
    because it has that machine only as long as its job lasts.
    """
    token = os.environ.get(TOKEN)
    jobs = () if token is None else (read_job(run) for run, _ in unsettled("runs"))
    served = next((job for job in jobs if job is not None and job.token == token), None)
    if served is None:  # on this machine, or its run was given to another worker, and this one is about to end
        return submit(request)
    folder = create_run(request.task, request.stored)
    write_job(folder, served)
    return folder


def submit_once(request: Request, *, name: str = "", is_own_name: bool = False) -> RunFolder:
    """The job that already does exactly this under this name, otherwise a new one: two tabs or commands start nothing
    twice.

    ``is_own_name``: a person typed the name, and it makes a run of its own: another session's of the same name is
    another one, and so is this session's own of more than ten seconds ago. What is left is a second click.
    """
    with alone(STARTING):
        described = (request.task, request.stored, clean_name(name))
        for folder in reversed(at_work()):
            earlier = stored_request(folder)
            is_same = (earlier.task, earlier.settings, earlier.name) == described
            if is_same and name and is_own_name:
                age = (datetime.now(UTC) - datetime.fromisoformat(earlier.created)).total_seconds()
                is_same = earlier.session == current_session() and age <= SECOND_CLICK_SECONDS
            if is_same:
                return folder
        return submit(request, name=name)


def request_stop(folder: RunFolder) -> None:
    """Ask for a stop after the step; asked again, skip measuring what was kept."""
    make_folder(folder.stop.parent)
    (folder.stop_now if folder.stop.exists() else folder.stop).touch()


def enforce_stop(folder: RunFolder) -> None:
    """End a worker that computes for longer after Stop than its own pace explains: first by a signal it can handle,
    then by force.
    """
    if look_after(folder).is_over or not folder.stop.exists():
        return
    if waits_elsewhere(folder):
        executor_with(folder).stop(folder)
        if waits_elsewhere(folder):  # else it began at this very moment, and sees the wish to stop itself
            write_state(folder, State.STOPPED, ended=now())
        return
    pace = stopping_pace(folder)
    if not pace.is_over_patience or not has_worker(folder):
        return
    if pace.is_hanging:
        executor_with(folder).stop(folder, firmly=True)
    elif not folder.stop_signal.exists():  # once: a second signal would end it within its step
        folder.stop_signal.touch()
        executor_with(folder).stop(folder, firmly=False)


@dataclass(frozen=True)
class StoppingPace:
    """How long a worker that was asked to stop has been quiet, and what its pace allows, in seconds."""

    since_stop: float
    quiet: float  # since the current work began, or the last progress
    longest: float = 0.0  # the longest work of the same kind so far

    @property
    def patience(self) -> float:
        """Return the seconds that the work may take until its worker is asked by a signal."""
        return max(STOP_PATIENCE_SECONDS, PATIENCE_TIMES * self.longest)

    @property
    def hanging(self) -> float:
        """Return the seconds that the work may take until its worker is ended by force."""
        return max(STOP_HANGING_SECONDS, HANGING_TIMES * self.longest)

    @property
    def is_over_patience(self) -> bool:
        """Return whether the worker should be asked by a signal."""
        return self.quiet >= self.patience and self.since_stop >= STOP_PATIENCE_SECONDS

    @property
    def is_hanging(self) -> bool:
        """Return whether the worker should be ended by force."""
        return self.quiet >= self.hanging and self.since_stop >= STOP_HANGING_SECONDS


def stopping_pace(folder: RunFolder) -> StoppingPace:
    """Return the pace of a worker that was asked to stop. Jobs that write no beat are as slow as their progress."""
    clock, times = disk_time(), {}
    for file in (folder.stop, folder.progress, folder.terms):
        with suppress(OSError):  # it is not there yet, or the run was deleted
            times[file] = file.stat().st_mtime
    since_stop = clock - times.get(folder.stop, clock)
    since_progress = clock - max(times.values(), default=clock)
    seen = read_beat(folder)
    if seen is None or seen.beat.work is None:
        return StoppingPace(since_stop, since_progress)
    is_skipped = folder.stop_now.exists() and seen.beat.work == MEASURING  # nobody waits for this work
    longest = 0.0 if is_skipped else seen.beat.longest or 0.0
    since_other_progress = clock - max(times.get(folder.progress, 0.0), times.get(folder.terms, 0.0))
    return StoppingPace(since_stop, min(seen.seconds, since_other_progress), longest)


def stopping_line(folder: RunFolder) -> str | None:
    """Say what a run that was asked to stop still computes, how long that takes, and when it is ended; None for what
    is over within the second, and for jobs that do not train.
    """
    seen = read_beat(folder)
    if seen is None or seen.beat.work is None:
        return None
    work = {STEP: f"step {seen.beat.done + 1:,}", LIVE_POINT: "this live point", MEASURING: "this measurement"}
    longest, is_long = seen.beat.longest, seen.seconds >= 2 or (seen.beat.longest or 0) >= 2
    if not is_long or seen.beat.work not in work:
        return None
    pace = "" if longest is None else f" The longest so far took {duration(longest)}."
    ends = duration(stopping_pace(folder).hanging)
    began = f"Stopping after {work[seen.beat.work]}, which began {duration(seen.seconds)} ago."
    return f"{began}{pace} It is ended if it takes longer than {ends}; the best encoder so far is kept either way."


def stop(folder: RunFolder) -> None:
    """Ask for a stop after the step, and return once the run has ended and what it kept is measured."""
    request_stop(folder)
    while not is_over(folder):
        enforce_stop(folder)
        time.sleep(POLL_SECONDS)


def stop_all(folders: list[RunFolder]) -> None:
    """End running runs without measuring what they kept, and wait for them."""
    for folder in folders:
        request_stop(folder)
        request_stop(folder)
    while folders := [folder for folder in folders if not is_over(folder)]:
        for folder in folders:
            enforce_stop(folder)
        time.sleep(POLL_SECONDS)


def left_at_work() -> list[RunFolder]:
    """Return what this process started and leaves at work: not over, and not asked to stop."""
    return [folder for folder in started_here if not read_state(folder).is_over and not folder.stop.exists()]


def is_over(folder: RunFolder) -> bool:
    """Whether nothing more will happen by itself, including what only its executor knows."""
    return look_after(folder).is_over


def resume(folder: RunFolder, on: str | None = None) -> RunFolder:
    """Start a new worker on a run that ended early; it continues from the newest checkpoint.

    ``on``: with this executor, else with the one it was given to, else as a new run.
    """
    job = read_job(folder)
    if on is None and job is not None:
        on = job.executor
    executor_of(on)  # a wrong name is said before anything is changed
    state = record_ending(folder).state
    if state in (State.QUEUED, State.RUNNING, State.FINISHED):
        raise RunError(
            "E-RUN-BUSY", f"Run {folder.id} is {state}: only interrupted, stopped or failed runs can be resumed."
        )
    for file in (folder.stop, folder.stop_now, folder.stop_signal, folder.progress):
        file.unlink(missing_ok=True)
    write_state(folder, State.QUEUED, error=None)
    _stop_timings()
    return start(folder, on)


def wait(folder: RunFolder, progress: Progress = silent, *, poll_seconds: float = 0.2) -> RunState:
    """Wait until the run has ended, relaying its worker's progress; returns its final state."""
    while True:
        facts = look_after(folder)
        if facts.is_over:
            return facts
        if progress is not silent and facts.state is State.RUNNING and (at := read_progress(folder)) is not None:
            progress(at.stage, at.done, at.total)
        time.sleep(poll_seconds)


def look_after(folder: RunFolder) -> RunState:
    """The state of a run, as its executor knows it; how a worker ended that could not write it is written now."""
    facts = executor_with(folder).look_after(folder)
    return record_ending(folder) if facts.is_over else facts


def done_by_worker(request: Request, result: type[Content], progress: Progress) -> Content:
    """Let a worker do this, wait for it and relay its progress; returns its result or raises its error."""
    job = submit_once(request)
    try:
        facts = wait(job, progress)
        if facts.state is State.FINISHED:
            return read_model(job.result, result)
        raise error_of(facts, job)
    except (StopRequested, KeyboardInterrupt):
        request_stop(job)
        raise
