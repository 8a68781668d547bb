"""When a run of this browser ends while nobody looks: a mark in the tab's title, and a notification where it may be."""

from collections.abc import Iterable
from pathlib import Path

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.working import RunFind
from embedlab.report.verdict_words import headline
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import task_of
from embedlab.ui.frame.distance import shown_distance
from embedlab.ui.frame.session import started_elsewhere

WHOLE = ("study", RunFind.task)  # their own runs are not told one by one
TOLD = ("train", *WHOLE)
KEPT = 5
_ACTIVE, _ENDED = "alerts.active", "alerts.ended"
_WORDS = {
    State.FINISHED: "Finished.",
    State.FAILED: "Failed.",
    State.STOPPED: "Stopped.",
    State.INTERRUPTED: "Interrupted: the process ended early.",
}
_FOLDER = Path(__file__).parent


def _source(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "embedlab.alerts", html=_source("alerts.html"), css=_source("alerts.css"), js=_source("alerts.js")
)


def alerts(active: Iterable[RunFolder], named) -> None:
    """Compare what works now with the last look, and tell the browser what ended; ``named``: a folder's title."""
    tasks = {folder: task_of(folder) for folder in active}
    own = [folder for folder, task in tasks.items() if task in TOLD and started_elsewhere(folder) is None]
    whole = any(task in WHOLE for task in tasks.values())
    before: dict[str, tuple[RunFolder, str]] = st.session_state.get(_ACTIVE, {})
    working = {folder.id: (folder, named(folder)) for folder in own}
    ended = st.session_state.get(_ENDED, [])
    for run_id, (folder, title) in before.items():
        if run_id not in working and not (whole and task_of(folder) == "train") and (line := ended_line(folder)):
            ended = [*ended, {"id": run_id, "title": title, "line": line}][-KEPT:]
    st.session_state[_ACTIVE], st.session_state[_ENDED] = working, ended
    _component(key="alerts", data={"ended": ended, "working": bool(working)}, height="content")


def ended_line(folder: RunFolder) -> str | None:
    """How it ended, in one line; None where it is still at work or gone."""
    try:
        state = read_state(folder)
        if state.damaged or not state.is_over:
            return None
        result = read_result(folder) if state.state is State.FINISHED and task_of(folder) == "train" else None
    except EmbedlabError:
        return None
    if state.state is State.FAILED:
        return f"Failed: {state.failure.message}"
    return (headline(result, shown_distance()) if result is not None else "") or _WORDS[state.state]
