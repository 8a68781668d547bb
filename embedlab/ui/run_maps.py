"""Both maps of a run: there already, being drawn, or a button that draws them."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_settings
from embedlab.ui.coordinates import RunMap, load_map
from embedlab.ui.navigation import go_button
from embedlab.ui.nearest import SIDES
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.result_view import METHODS
from embedlab.ui.state import corpus_of, start_once
from embedlab.ui.text import accuracy

TITLES = {"before": "Before: untouched", "after": "After: fine-tuned"}


def both_maps(run: RunFolder, method: str) -> dict[str, RunMap] | None:
    """The maps before and after by this method, or None until both are drawn."""
    drawn = {name: load_map(run, name, method) for name in SIDES}
    return None if None in drawn.values() else drawn


def corpus_needed(run: RunFolder) -> Corpus:
    """The corpus of this run; otherwise the page says that it is gone, and ends here."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The texts of this run are no longer in the store. Open their corpus again, and this page shows them.")
        go_button("Open Corpus", "corpus")
        st.stop()
    return corpus


def first_drawn(run: RunFolder) -> str | None:
    """The first method whose maps are there."""
    return next((method for method in METHODS if all(run.map(name, method).exists() for name in SIDES)), None)


def draw(run: RunFolder, method: str, config: dict | None = None) -> None:
    """Have the maps drawn by a worker; for callbacks."""
    asked = {"run": run.id, "method": method}
    start_once("map", {**asked, "config": config} if config else asked)


def show_drawing(run: RunFolder, method: str, *, there: bool) -> None:
    """Where the drawing stands; before anything is drawn also the button that starts it."""
    job = job_for("map", run=run.id, method=method)
    if job is not None and _is_news(job, run, method, there):
        follow_job(job)
    if not there and (job is None or read_state(job)["state"].is_over):
        with st.container(border=True):
            line = f"The {METHODS[method]} maps of this run are not drawn yet. They are drawn once and kept."
            st.write(line)
            st.button("Draw the maps", type="primary", key=f"draw-{method}-{run.id}", on_click=draw, args=(run, method))


def drawn_with(run: RunFolder, method: str) -> dict:
    """The settings of the newest drawing by this method that were not the defaults."""
    job = job_for("map", run=run.id, method=method)
    return {} if job is None else read_settings(job)["settings"].get("config", {})


def is_drawing(run: RunFolder, method: str) -> bool:
    """Whether a worker draws these maps now."""
    job = job_for("map", run=run.id, method=method)
    return job is not None and not read_state(job)["state"].is_over


def knn_corner(result: dict, side: str) -> str:
    """``kNN accuracy 58.9 % ± 1.4`` of the embeddings, for the corner of their map."""
    knn = result["knn"]
    if knn is None:
        return ""
    if side == "before":
        value, error = knn["before"], knn.get("standard_error_before", knn["standard_error"])
    else:
        value, error = knn["best" if result["stopped"] else "after"], knn["standard_error"]
    return f"kNN accuracy of the embeddings {accuracy(value, error)}"


def _is_news(job: RunFolder, run: RunFolder, method: str, there: bool) -> bool:
    """A job that works, or one that went wrong after the maps that are there were drawn."""
    state = read_state(job)["state"]
    if not state.is_over or not there:
        return True
    drawn = run.map("after", method).stat().st_mtime
    return state is not State.FINISHED and job.settings.stat().st_mtime > drawn
