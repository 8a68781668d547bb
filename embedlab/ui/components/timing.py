"""The expected time of a new run, found automatically by a job that times a few of its steps."""

import streamlit as st

from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.jobs.runner import request_stop
from embedlab.runs.index.find import at_work
from embedlab.runs.state import State, read_state
from embedlab.runs.store import task_of
from embedlab.training.settings import Estimate
from embedlab.ui.frame.layout import rerun_when
from embedlab.ui.frame.progress import show_outcome
from embedlab.ui.frame.session import start_once

FOUND_OUT = "Estimating the time: a few steps are being timed. You can already start it."
LATER = "An estimate will appear when the current work finishes."
SLOT = "timing"  # of a session: the timing that it began last, on whichever form


def time_by_itself(request: Estimate | None) -> None:
    """Follow the job that times a few steps of exactly this; it starts automatically and ends this session's earlier
    one.

    None: nothing is to be timed. While anything else is at work nothing begins: it would disturb that, and measure less
    than the machine can do.
    """
    job = find_job(request) if request is not None else None
    facts = None if job is None else read_state(job)
    last = st.session_state.get(SLOT)
    if last is not None and last != job and not read_state(last).is_over and not last.stop.exists():
        request_stop(last)
    if request is None:
        return
    if facts is not None and facts.state in (State.FAILED, State.INTERRUPTED):
        show_outcome(facts)
        return
    if job is None or facts is None or facts.is_over or job.stop.exists():
        if _is_busy():
            rerun_when(lambda: not _is_busy(), every=2.0, key=f"{SLOT}-later", meanwhile=LATER)
            return
        job = st.session_state[SLOT] = start_once(request)
    rerun_when(lambda: read_state(job).is_over, every=1.0, key=f"{SLOT}-{job.id}", meanwhile=FOUND_OUT)


def _is_busy() -> bool:
    """Whether a run, a job or another timing is queued or at work."""
    return any(task_of(job) != AnswerTexts.task for job in at_work())
