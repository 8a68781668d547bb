"""The status at the foot of the sidebar: device and work in progress; a mark and a notification when a run ends."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.jobs.executors import chosen_line
from embedlab.jobs.requests.corpora import ChooseTexts
from embedlab.jobs.requests.drawing import DrawMapBefore, DrawMaps
from embedlab.jobs.requests.measuring import MeasureInside
from embedlab.jobs.requests.working import RunFind
from embedlab.jobs.runner import look_after
from embedlab.report.verdict_words import headline
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of, task_of
from embedlab.training.titles import run_title
from embedlab.ui.frame.background import device, run_in_background
from embedlab.ui.frame.layout import browser_component, escaped, fragment
from embedlab.ui.frame.progress import find_bar, progress_bar, started_elsewhere
from embedlab.ui.frame.state import shown_distance

SHOWN = 4
QUIET = ("ask",)  # it serves the pages and is not work of the user's
_TITLES = {
    "ingest": "Reading a corpus",
    "fetch": "Download",
    "fetch_encoder": "Download",
    "fetch_table": "Download",
    "mine": "Hard negatives",
    "map": "Maps",
    "map_before": "Map before training",
    "figure": "Figure",
    "neighbors_file": "Neighbors as a file",
    "subset": "Corpus from a selection",
    "bring": "Imported embeddings",
    "gallery": "Maps side by side",
    "lab": "Test your reading",
    "moves": "What moved",
    "replay": "Replay",
    "folds": "Ten folds",
    "diagnose": "Diagnostics",
    "benchmark": "Benchmark",
    "inside": "Layers and length",
    "layers": "Layers",
    "length": "Length attack",
    "length_scores": "Length attack on scored pairs",
    "evaluate": "Metrics",
    "compare": "Comparison",
    "embed_and_evaluate": "Metrics",
    "read_set": "Reading an evaluation set",
    "read_pairs": "Reading pairs",
    "summarise": "Summaries",
    "push": "Upload to the hub",
    "export_encoder": "Export",
    "estimate": "Time of a run",
    "study": "Study",
    RunFind.task: "Find",
    "candidate": "Candidate of a Find",
    ChooseTexts.task: "Texts to label",
}


def sidebar_status() -> None:
    """Running jobs, the device line, and where new runs go if not here; refreshed every two seconds."""
    fragment(_foot, run_every=2, key="foot")()


def _foot() -> None:
    active = active_jobs()
    for folder in active:
        run_in_background(folder.id, partial(look_after, folder))
    for folder in active[:SHOWN]:
        name = f"**{escaped(title_of(folder), 30)}**"
        if task_of(folder) == RunFind.task:
            find_bar(folder, name)
        else:
            progress_bar(folder, read_state(folder), name=name)
    alerts(active)
    if len(active) > SHOWN:
        st.caption(f"and {len(active) - SHOWN} more")
    hardware = device()
    st.caption(escaped(hardware.line) if hardware else "Detecting hardware")
    if (line := chosen_line()) is not None:
        st.caption(escaped(line, 300))


def active_jobs() -> list[RunFolder]:
    """Runs and jobs that are queued or running, oldest first."""
    working = {folder: task_of(folder) for folder in at_work()}
    runs = {folder.id for folder, task in working.items() if task == "train"}  # whose line tells of what follows
    return [
        folder
        for folder, task in working.items()
        if task not in QUIET
        and not (task in (DrawMaps.task, MeasureInside.task) and settings_of(folder).get("run") in runs)
        and not (task == DrawMapBefore.task and settings_of(folder).get("of") in runs)
    ]


def title_of(folder: RunFolder) -> str:
    """The title of a run or job: a training's name, otherwise what it does."""
    task = task_of(folder) or folder.id
    return run_title(folder) if task == "train" else _TITLES.get(task, task)


WHOLE = ("study", RunFind.task)  # their own runs are not told one by one
TOLD = ("train", *WHOLE)
ENDED_KEPT = 5
_ACTIVE, _ENDED = "alerts.active", "alerts.ended"
_alerts_component = browser_component("alerts", Path(__file__).with_name("alerts"), "alerts", ["alerts"])


def alerts(active: Iterable[RunFolder]) -> None:
    """Compare current work with the last check, and tell the browser what ended."""
    tasks = {folder: task_of(folder) for folder in active}
    own_folders = [folder for folder, task in tasks.items() if task in TOLD and started_elsewhere(folder) is None]
    whole = any(task in WHOLE for task in tasks.values())
    before: dict[str, tuple[RunFolder, str]] = st.session_state.get(_ACTIVE, {})
    working = {folder.id: (folder, title_of(folder)) for folder in own_folders}
    ended = st.session_state.get(_ENDED, [])
    for run_id, (folder, title) in before.items():
        if run_id not in working and not (whole and task_of(folder) == "train") and (line := ended_line(folder)):
            ended = [*ended, {"id": run_id, "title": title, "line": line}][-ENDED_KEPT:]
    st.session_state[_ACTIVE], st.session_state[_ENDED] = working, ended
    _alerts_component(key="alerts", data={"ended": ended, "working": bool(working)}, height="content")


def ended_line(folder: RunFolder) -> str | None:
    """How it ended, in one line; None if it is still at work or deleted."""
    try:
        state = read_state(folder)
        if state.damaged or not state.is_over:
            return None
        result = read_result(folder) if state.state is State.FINISHED and task_of(folder) == "train" else None
    except EmbedlabError:
        return None
    if state.state is State.FAILED:
        return f"Failed: {state.failure.message}"
    return (headline(result, shown_distance()) if result is not None else "") or state.state.sentence
