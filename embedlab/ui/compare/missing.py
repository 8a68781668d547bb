"""What was not measured yet of the chosen runs: the button that has it measured, and where its jobs stand."""

import streamlit as st

from embedlab.compare.rows import Row
from embedlab.compare.values import units_of, values_of
from embedlab.distance import DISTANCES
from embedlab.requests.measuring import Evaluate
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import escaped

AT_ONCE = 4  # jobs that one click starts: each reads a corpus


def measure_missing(rows: list[Row], source: str, metrics: list[str]) -> None:
    """The button, for the runs of which no job measures anything yet."""
    missing = missing_of(rows, source, metrics)
    waiting = {run: lacking for run, lacking in missing.items() if not _is_at_work(run)}
    if waiting:
        runs = "run" if len(waiting) == 1 else "runs"
        label = f"Measure what is missing of {len(waiting)} {runs}"
        explained = "Before and after, beside other work. It takes minutes on a large corpus."
        if len(waiting) > AT_ONCE:
            explained += f" One click measures {AT_ONCE} of them."
        st.button(label, key="compare.measure", on_click=_measure, args=(waiting, source), help=explained)


def show_measuring(rows: list[Row], source: str, metrics: list[str], names: dict[str, str]) -> None:
    """Where the jobs stand that measure what is missing, or what they failed of."""
    for run, lacking in missing_of(rows, source, metrics).items():
        job = newest_job(Evaluate.task, run=run)
        if job is not None and read_state(job).state is not State.FINISHED:
            st.caption(escaped(f"Metrics of {names.get(run, run)}"))
            job_panel(_request(run, lacking, source), key=f"compare.measure-{run}", job=job)


def missing_of(rows: list[Row], source: str, metrics: list[str]) -> dict[str, list[str]]:
    """By run, the metrics of which it has no value, or no single texts to be compared by, by any of their distances."""
    found = {}
    for row in rows:
        if row.is_reference or read_result(RunFolder(row.path)) is None:
            continue
        lacking = [metric for metric in metrics if "/" not in metric and _lacks(row, source, metric)]
        if lacking:
            found[row.path.name] = lacking
    return found


def _lacks(row: Row, source: str, metric: str) -> bool:
    return any(
        metric not in values_of(row, source, distance) or units_of(row, source, metric, distance) is None
        for distance in DISTANCES
    )


def _is_at_work(run: str) -> bool:
    job = newest_job(Evaluate.task, run=run)
    return job is not None and not read_state(job).is_over


def _measure(missing: dict[str, list[str]], source: str) -> None:
    for run, metrics in list(missing.items())[:AT_ONCE]:
        start_once(_request(run, metrics, source))


def _request(run: str, metrics: list[str], source: str) -> Evaluate:
    return Evaluate(run=run, metrics=tuple(metrics), source=source)
