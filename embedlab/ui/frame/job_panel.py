"""One job of a page: its button, progress, failure and result; and the job that a form began last."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from embedlab.errors import RunError
from embedlab.jobs.requests.base import Request, find_job
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State
from embedlab.runs.store import open_run
from embedlab.ui.frame.progress import follow_job, watch_for_resume
from embedlab.ui.frame.session import start_once

TRY_AGAIN = "Try again"


def job_panel(
    request: Request, *, key: str, start: str | None = None, line: str = "",
    show: Callable[[RunFolder], None] | None = None, is_outdated: Callable[[RunFolder], bool] | None = None,
    job: RunFolder | None = None, stop: str = "Cancel", primary: bool = True, help: str | None = None,  # noqa: A002
) -> None:  # fmt: skip
    """The newest job that was asked this, else the button that starts it.

    ``job`` stands for it where that is not only one that was asked exactly this.  ``start``: what the button says,
    without it the job begins by itself; ``line`` stands beside it.  ``show`` draws what was found, in place of the
    button.  ``is_outdated``: whether what a finished job found holds no longer.
    """
    newest = find_job(request)
    job = job or newest
    if job is None and start is None:
        job = start_once(request)
    state = None if job is None else follow_job(job, stop=stop)
    if state is State.FINISHED and is_outdated is not None and is_outdated(job):
        state = None
    if state is State.FINISHED and show is not None:
        show(job)
        return
    if state in (State.FAILED, State.INTERRUPTED):
        watch_for_resume(job.id, lambda: find_job(request) == newest)  # another tab may try again
    label = TRY_AGAIN if state in (State.FAILED, State.INTERRUPTED) else start
    if label is not None and (state is None or state.is_over):
        place = st.container(border=True, horizontal=True, vertical_alignment="center") if line else st.container()
        with place:
            if line:
                st.write(line)
            kind = "primary" if primary else "secondary"
            st.button(label, key=key, type=kind, help=help, on_click=start_once, args=(request,))


@dataclass(frozen=True)
class FormJob:
    """``slot``: where the session keeps its id."""

    slot: str

    @property
    def folder(self) -> RunFolder | None:
        """None where nothing was begun, or what was begun went with the old jobs."""
        job = st.session_state.get(self.slot)
        try:
            return open_run(job) if job else None
        except RunError:
            self.forget()
            return None

    def start(self, request: Request) -> None:
        """Begin a job; for a button's callback."""
        self.keep(start_once(request))

    def keep(self, job: RunFolder) -> None:
        """Another job takes its place."""
        st.session_state[self.slot] = job.id

    def forget(self) -> None:
        """There is none any more."""
        st.session_state.pop(self.slot, None)
