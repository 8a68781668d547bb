"""The foot of the frame: the device, and what is running now; in a narrow window the sidebar is folded at first."""

from functools import partial

import streamlit as st

from embedlab.jobs.executors import chosen_line
from embedlab.jobs.runner import look_after
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import run_title
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs, read_settings
from embedlab.ui.frame.background import beside
from embedlab.ui.frame.progress import progress_bar
from embedlab.ui.frame.state import parts
from embedlab.ui.frame.text import escaped

LOOKED_AT = 30  # the newest runs and jobs; older ones still at work would have to be weeks old
SHOWN = 4
_QUIET = ("parts", "ask")  # they serve the pages and are not work of the user's
_TITLES = {
    "ingest": "Reading a corpus",
    "fetch": "Download",
    "map": "Maps",
    "map_before": "Map before",
    "figure": "Figure",
    "neighbors_file": "Neighbors as a file",
    "subset": "Corpus of a selection",
    "bring": "Own embeddings",
    "gallery": "Maps side by side",
    "layers": "Layers",
    "length": "Length attack",
    "evaluate": "Metrics",
    "compare": "Comparison",
    "embed_and_evaluate": "Metrics",
    "read_set": "Reading a set",
    "summarise": "Summaries",
    "estimate": "Time of a run",
    "study": "Study",
}


def foot() -> None:
    """Running jobs, the device line, and where new runs go if not here; looks again every two seconds."""
    st.fragment(_foot, run_every=2, key="foot")()


def _foot() -> None:
    active = active_jobs()
    for folder in active:
        beside(folder.id, partial(look_after, folder))
    for folder in active[:SHOWN]:
        progress_bar(folder, read_state(folder), name=f"**{escaped(_title(folder), 30)}**")
    if len(active) > SHOWN:
        more = f"and {len(active) - SHOWN} more"
        st.caption(more)
    found = parts()
    st.caption(escaped(found["device"]["line"]) if found else "Looking at the device")
    if (line := chosen_line()) is not None:
        st.caption(escaped(line, 300))


def active_jobs() -> list[RunFolder]:
    """Runs and jobs that are queued or running, oldest first."""
    runs = [folder for folder in list_runs("runs")[:LOOKED_AT] if _is_shown(folder)]
    own = {folder.id for folder in runs}  # a run's line tells of its maps too
    jobs = [folder for folder in list_runs("jobs")[:LOOKED_AT] if _is_shown(folder) and not _draws_for(folder, own)]
    return sorted([*runs, *jobs], key=lambda folder: folder.id)


def _draws_for(job: RunFolder, runs: set[str]) -> bool:
    asked = read_settings(job)
    return (
        asked["task"] in ("map", "map_before") and {asked["settings"].get(key) for key in ("run", "of")} & runs != set()
    )


def _is_shown(folder: RunFolder) -> bool:
    return read_state(folder).state in (State.QUEUED, State.RUNNING) and read_settings(folder)["task"] not in _QUIET


def _title(folder: RunFolder) -> str:
    task = read_settings(folder)["task"]
    return run_title(folder) if task == "train" else _TITLES.get(task, task)


NARROW = 900  # pixels; below 768 Streamlit folds it itself

_JS = """
export default function ({ data }) {
  if (window.embedlabFolded) return;
  window.embedlabFolded = true; // once a page load: who opens it again wants it open
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (window.innerWidth >= data.narrow || !sidebar || sidebar.getBoundingClientRect().right < 100) return;
  sidebar.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
}
"""
_component = st.components.v2.component("embedlab.folding", js=_JS, isolate_styles=False)


def fold_sidebar() -> None:
    """Folded once, if the window is narrow."""
    _component(key="folding", data={"narrow": NARROW})
