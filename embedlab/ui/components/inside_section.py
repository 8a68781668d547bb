"""Layers and Length while they are measured after a training: the progress, and why they were not measured."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from embedlab.damage import read_model_if_whole
from embedlab.jobs.requests.measuring import MeasuredInside, MeasureInside
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of
from embedlab.ui.frame.layout import escaped, fragment, rerun_when
from embedlab.ui.frame.progress import POLL_SECONDS, progress_bar, show_outcome, stop_button

Part = Literal["layers", "length"]
FOLLOWS = "This is measured without a click once the run has ended."


def is_awaited(run: RunFolder, part: Part, is_there: Callable[[], bool]) -> bool:
    """Show the measurement that follows a training until this part is there; return whether it is still to come.

    If it has ended without this part, the reason is shown.
    """
    job = _job_of(run)
    if job is None:
        is_coming = _is_coming(run)
        if is_coming:
            rerun_when(
                lambda: _job_of(run) is not None or read_state(run).is_over, every=POLL_SECONDS,
                key=f"inside-{part}-{run.id}", meanwhile=FOLLOWS,
            )  # fmt: skip
        return is_coming
    if read_state(job).is_over:
        _show_reason(job, part)
        return False
    fragment(_follow, run_every=POLL_SECONDS, key=f"inside-{part}-{job.id}")(job, is_there)
    return True


def has_followed(run: RunFolder) -> bool:
    """Whether the measurement that follows a training was started, or will be."""
    return _job_of(run) is not None or _is_coming(run)


def _is_coming(run: RunFolder) -> bool:
    return settings_of(run).get("inside", True) and not read_state(run).is_over


def _job_of(run: RunFolder) -> RunFolder | None:
    return newest_job(MeasureInside.task, run=run.id)


def _follow(job: RunFolder, is_there: Callable[[], bool]) -> None:
    facts = read_state(job)
    if facts.is_over or is_there():
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        progress_bar(job, facts)
        stop_button(job, "Cancel")


def _show_reason(job: RunFolder, part: Part) -> None:
    facts = read_state(job)
    if facts.state is not State.FINISHED:
        show_outcome(facts)
        return
    result = read_model_if_whole(job.result, MeasuredInside)
    reason = None if result is None else getattr(result, f"no_{part}")
    if reason is not None:
        st.caption(escaped(f"Not measured after the training. {reason}", 400))
