"""Waits for a worker that a notebook started: a progress bar, a clean stop by Ctrl-C, its error raised here."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from embedlab.config import Request
from embedlab.damage import Content, read_model
from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError, RunError
from embedlab.jobs.runner import stop, stop_all, submit_once, wait
from embedlab.jobs.why_ended import error_of, no_result
from embedlab.plain_text import printable
from embedlab.progress import Progress, silent
from embedlab.runs.folder import RunFolder
from embedlab.runs.readers import register_reader, run_ids_in
from embedlab.runs.state import RunState, State, read_state
from embedlab.session import NOTEBOOK, working_for

P = ParamSpec("P")
T = TypeVar("T")


def from_a_notebook(call: Callable[P, T]) -> Callable[P, T]:
    """Mark a function of the API: its jobs carry a notebook's session; what the machine refuses is an EmbedlabError."""

    @wraps(call)
    def wrapped(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            read = run_ids_in([*arguments, *named.values()])
            noted = register_reader(f"A notebook’s “{call.__name__}”", read) if read else nullcontext()
            with working_for(NOTEBOOK), noted:
                return call(*arguments, **named)
        except Exception as error:
            refusal = trouble_said(error)
            if refusal is None:
                raise
            raise refusal from error

    return wrapped


class Bar:
    """A progress bar on standard error labelled with the stage; a line per stage if tqdm is not installed."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Show the progress; total 0 = unknown."""
        if stage != self._stage:
            self.close()
            self._stage, self._bar = stage, None
            try:
                from tqdm import tqdm
            except ImportError:
                print(printable(stage), file=sys.stderr, flush=True)
            else:
                form = "{desc} {bar:20} {n_fmt}/{total_fmt}, {remaining} left" if total else "{desc}"
                self._bar = tqdm(
                    desc=printable(stage), total=total or None, file=sys.stderr, leave=False, bar_format=form
                )
        if self._bar is not None and total:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress_bar(visible: bool) -> Iterator[Progress]:
    """A bar that disappears afterwards, or silence."""
    if not visible:
        yield silent
        return
    with closing(Bar()) as bar:
        yield bar


def worked(request: Request, result: type[Content], *, progress: bool) -> Content:
    """The result of a job that a worker does now, or is doing already.

    Raises
    ------
    EmbedlabError
        what the worker raised, with its code and sentence.
    """
    job = submit_once(request)
    require_finished(job, followed(job, progress=progress))
    return read_model(job.result, result)


def followed(folder: RunFolder, *, progress: bool) -> RunState:
    """The final state of a run or job; ``KeyboardInterrupt`` stops it first, and is raised again."""
    with progress_bar(progress) as says:
        try:
            return wait(folder, says)
        except KeyboardInterrupt as interrupt:
            stopped(folder)
            if folder.path.parent.name == "runs":
                interrupt.add_note(f"Run {folder.id} was stopped. Open it with: embedlab.open_run({folder.id!r})")
            raise


def stopped(folder: RunFolder) -> None:
    """Ask for a stop and wait for it; a second ``KeyboardInterrupt`` skips measuring what was kept."""
    try:
        stop(folder)
    except KeyboardInterrupt:
        stop_all([folder])


def require_finished(folder: RunFolder, state: RunState) -> None:
    """Raise what ended a job without a result: its own error, or that it was stopped or interrupted."""
    if state.state is State.FAILED:
        raise failure_of(folder, state)
    if state.state is not State.FINISHED:
        raise no_result(folder, state)


def no_result_yet(run: RunFolder) -> EmbedlabError:
    """The error for a run whose result is needed: why it failed, or its state."""
    state = read_state(run)
    if state.state is State.FAILED:
        return failure_of(run, state)
    if state.is_over:
        return no_result(run, state)
    return RunError("E-RUN-BUSY", f"Run {run.id} is {state.state} and has no result yet. Wait for it: run.wait().")


def failure_of(folder: RunFolder, state: RunState) -> EmbedlabError:
    """The error of a failed run or job with its code and sentence; a note names the log."""
    error = error_of(state, folder)
    error.add_note(f"Log of {folder.id}: {folder.log}")
    return error
