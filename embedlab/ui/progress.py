"""Where a job is: stage, share, time left and Stop; when it ends, the page runs once more."""

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.progress import read_progress
from embedlab.runs.runner import enforce_stop, request_stop
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs, read_settings
from embedlab.ui.text import duration, escaped, percent

POLL_SECONDS = 1.0
LOOKED_AT = 200  # the newest jobs, when one is looked for


def follow_job(folder: RunFolder, *, stop: str = "Cancel") -> State:
    """Show a job until it is over (then the page runs again); afterwards what it failed of, if it failed."""
    facts = read_state(folder)
    if facts["state"].is_over:
        show_outcome(facts)
    else:
        st.fragment(_follow, run_every=POLL_SECONDS, key=f"follow-{folder.id}")(folder, stop)
    return facts["state"]


def _follow(folder: RunFolder, stop: str) -> None:
    facts = read_state(folder)
    if facts["state"].is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        progress_bar(folder, facts)
        if stop:
            stop_button(folder, stop)


def progress_bar(folder: RunFolder, facts: dict) -> None:
    """The bar and the line above it."""
    row = read_progress(folder)
    share = row["done"] / row["total"] if row and row["total"] else 0.0
    st.progress(min(max(share, 0.0), 1.0), text=progress_line(row, facts))


def progress_line(row: dict | None, facts: dict) -> str:
    """``Embedding 8,022 texts, 41 %, 12 s left``"""
    if row is None:
        return "Waiting for its worker" if facts["state"] is State.QUEUED else "Starting"
    line = escaped(row["stage"])
    if row["total"]:
        line += f", {percent(row['done'] / row['total'], 0)}"
    if row["seconds_left"] is not None and row["done"] < row["total"]:
        line += f", about {duration(row['seconds_left'])} left"
    return line


def stop_button(folder: RunFolder, label: str) -> None:
    """Ask the worker to stop; a worker that shows no life after that is ended."""
    asked = folder.stop.exists()
    if asked:
        enforce_stop(folder)
    said = "Stopping" if asked else label
    st.button(said, key=f"stop-{folder.id}", on_click=request_stop, args=(folder,), disabled=asked)


def show_outcome(facts: dict) -> None:
    """How a job that did not finish ended; nothing for one that did."""
    state = facts["state"]
    if state is State.FAILED:
        error = facts.get("error") or {}
        st.error(escaped(error.get("message") or "This failed without saying why. Its log has the details.", 1000))
    elif state is State.INTERRUPTED:
        st.warning("Interrupted: its process ended early. What was finished before is kept; start it again.")
    elif state is State.STOPPED:
        st.info("Stopped as asked.")


def job_for(task: str, **settings) -> RunFolder | None:
    """The newest job of this task whose settings include these, in whatever state."""
    for folder in list_runs("jobs")[:LOOKED_AT]:
        try:
            asked = read_settings(folder)
        except EmbedlabError:
            continue
        if asked["task"] == task and settings.items() <= asked["settings"].items():
            return folder
    return None


def active_corpus_job() -> RunFolder | None:
    """A corpus that is being read or downloaded now, from whichever tab."""
    for task in ("ingest", "fetch"):
        job = job_for(task)
        if job is not None and not read_state(job)["state"].is_over and "encoder" not in read_settings(job)["settings"]:
            return job
    return None
