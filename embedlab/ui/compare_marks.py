"""Which rows are best: at once where a formula stands, else from a job that resamples beside the page."""

import streamlit as st

from embedlab.runs.compared_rows import Row
from embedlab.runs.comparing import compare_rows, is_quick, state_of_knowledge, values_only
from embedlab.runs.state import State
from embedlab.runs.store import read_result
from embedlab.store_root import store_root
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.state import start_once


def comparison_of(rows: list[Row], source: str, metrics: list[str]) -> tuple[dict, bool]:
    """What ``compare_rows`` gives, and whether it is complete; until then the slow metrics have no marks."""
    known = state_of_knowledge(rows, source)
    quick = [metric for metric in metrics if is_quick(rows, source, metric)]
    slow = [metric for metric in metrics if metric not in quick]
    found = _quick(str(store_root()), known, source, tuple(quick), rows) if quick else {}
    done = _by_job(rows, source, slow, known) if slow else {}
    found = found | (values_only(rows, source=source, metrics=slow) if done is None else done)
    return {metric: found[metric] for metric in metrics}, done is not None


@st.cache_data(max_entries=64, show_spinner=False)
def _quick(store: str, known: str, source: str, metrics: tuple[str, ...], _rows: list[Row]) -> dict:
    return compare_rows(_rows, source=source, metrics=metrics)


def _by_job(rows: list[Row], source: str, metrics: list[str], known: str) -> dict | None:
    """The result of the job that compares exactly this; started by the first look at it."""
    asked = {"rows": [row.key for row in rows], "source": source, "metrics": metrics, "of": known}
    job = job_for("compare", **asked)
    if job is None:
        job = start_once("compare", asked)
    if follow_job(job, stop="") is State.FINISHED:
        return (read_result(job) or {}).get("metrics")
    return None
