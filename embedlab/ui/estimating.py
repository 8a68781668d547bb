"""How long the run in the form would take: timed on a few of its steps, before it is started."""

import streamlit as st

from embedlab.runs.state import State
from embedlab.runs.store import read_result
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.text import count, duration, escaped


def estimate_button(**press) -> None:
    """Times a few steps in a worker."""
    explained = "Times a few steps on this computer and multiplies. Nothing is kept."
    st.button("Estimate the time", key="train.estimate", help=explained, **press)


def show_estimate(asked: dict, recipe: dict) -> None:
    """What was found for exactly these settings, or where the timing stands; and the paper's own length."""
    job = job_for("estimate", **asked)
    if job is not None and follow_job(job) is State.FINISHED:
        found = read_result(job)
        took = (
            f"About {duration(found['seconds'])}: {count(found['steps'])} steps of {_short(found['seconds_per_step'])}"
        )
        st.caption(f"{took}, live points included, on {count(found['usable_texts'])} usable texts.")
    if recipe.get("schedule_line"):
        line = f"One epoch is the default. The paper: {recipe['schedule_line']} (Advanced, Schedule)."
        st.caption(escaped(line, 300))


def _short(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.0f} ms"
