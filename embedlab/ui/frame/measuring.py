"""What is measured when somebody asks: the button, the job's progress, its failure."""

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job
from embedlab.runs.result import RunResult
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import escaped


def measure_button(
    task: str, asked: dict, label: str, *, key: str, primary: bool = True, help: str | None = None
) -> None:  # noqa: A002
    """Starts this job; while it works its progress stands here instead, and what it failed of stands above."""
    job = find_job(task, **asked)
    if job is None or follow_job(job).is_over:
        kind = "primary" if primary else "secondary"
        st.button(label, key=key, type=kind, on_click=start_once, args=(task, asked), help=help)


def needs_labels(run: RunFolder, result: RunResult) -> bool:
    """Says why there is no kNN accuracy, where there is none."""
    if result.knn is None:
        seen = result.warned("W-NO-UNSEEN-TEXTS")
        none = "kNN accuracy needs labels, and the corpus of this run has none. Choose another run."
        st.info(escaped(seen[0], 400) if seen else none)
    return result.knn is None
