"""The status at the foot of the sidebar: device and work in progress; in a narrow window it starts folded."""

from functools import partial

import streamlit as st

from embedlab.jobs.executors import chosen_line
from embedlab.jobs.requests.corpora import ChooseTexts
from embedlab.jobs.requests.working import RunFind
from embedlab.jobs.runner import look_after
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work
from embedlab.runs.state import read_state
from embedlab.runs.store import settings_of, task_of
from embedlab.training.titles import run_title
from embedlab.ui.frame.alerts import alerts
from embedlab.ui.frame.background import run_in_background
from embedlab.ui.frame.progress import find_bar, progress_bar
from embedlab.ui.frame.state import device
from embedlab.ui.frame.text import escaped

SHOWN = 4
QUIET = ("ask",)  # it serves the pages and is not work of the user's
_TITLES = {
    "ingest": "Reading a corpus",
    "fetch": "Download",
    "fetch_encoder": "Download",
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
    "layers": "Layers",
    "length": "Length attack",
    "length_scores": "Length attack on scored pairs",
    "evaluate": "Metrics",
    "compare": "Comparison",
    "embed_and_evaluate": "Metrics",
    "read_set": "Reading an evaluation set",
    "read_pairs": "Reading pairs",
    "summarise": "Summaries",
    "estimate": "Time of a run",
    "study": "Study",
    RunFind.task: "Find",
    "candidate": "Candidate of a Find",
    ChooseTexts.task: "Texts to label",
}


def sidebar_status() -> None:
    """Running jobs, the device line, and where new runs go if not here; looks again every two seconds."""
    st.fragment(_foot, run_every=2, key="foot")()


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
    alerts(active, title_of)
    if len(active) > SHOWN:
        more = f"and {len(active) - SHOWN} more"
        st.caption(more)
    found = device()
    st.caption(escaped(found.line) if found else "Detecting hardware")
    if (line := chosen_line()) is not None:
        st.caption(escaped(line, 300))


def active_jobs() -> list[RunFolder]:
    """Runs and jobs that are queued or running, oldest first."""
    working = {folder: task_of(folder) for folder in at_work()}
    runs = {folder.id for folder, task in working.items() if task == "train"}  # a run's line tells of its maps too
    return [
        folder
        for folder, task in working.items()
        if task not in QUIET and not (task in ("map", "map_before") and _drawn_run(folder) in runs)
    ]


def _drawn_run(job: RunFolder) -> str | None:
    settings = settings_of(job)
    return settings.get("run") or settings.get("of")


def title_of(folder: RunFolder) -> str:
    """What a person calls a run or job: a training by its name, everything else by what it does."""
    task = task_of(folder) or folder.id
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
