"""The time of a run that nobody has made yet, found out by itself: a job that times a few of its steps, followed."""

import streamlit as st

from embedlab.jobs.requests.base import find_job
from embedlab.jobs.runner import request_stop
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.state import State, read_state
from embedlab.training.settings import Estimate
from embedlab.ui.frame.progress import show_outcome
from embedlab.ui.frame.session import start_once

FOUND_OUT = "Estimating the time: a few steps are being timed. You can already start it."


def time_by_itself(request: Estimate, *, key: str) -> None:
    """Follow the job that times a few steps of exactly this; it begins by itself, and an earlier one of this page ends.

    While a run is at work nothing begins: it would disturb the run, and measure less than the machine can do.
    """
    slot, job = f"{key}.timing", find_job(request)
    if job is not None and read_state(job).state in (State.FAILED, State.INTERRUPTED):
        show_outcome(read_state(job))
        return
    if job is None or read_state(job).is_over:
        if at_work("runs"):
            st.caption("An estimate will appear when the current run finishes.")
            return
        last = st.session_state.get(slot)
        if last is not None and not read_state(last).is_over:
            request_stop(last)
        job = st.session_state[slot] = start_once(request)
    st.fragment(_until_timed, run_every=1.0, key=f"{slot}-{job.id}")(job)


def _until_timed(job: RunFolder) -> None:
    if read_state(job).is_over:
        st.rerun()
    st.caption(FOUND_OUT)
