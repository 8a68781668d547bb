"""The views of the page Runs below its table: recipes by corpus, and those of the chosen runs."""

import streamlit as st

from embedlab.comparison.rows import not_followed_by, run_names
from embedlab.report.run_rows import why_no_result
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.ui.compare.curves_view import cautions, choose_runs, race_or_curves
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.compare.metrics_view import diagnosed_numbers, metrics_view
from embedlab.ui.compare.runs_list import settings_that_differ
from embedlab.ui.compare.sheets_view import pivot_view, side_view
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.page import faults_line


def recipes_by_corpus(runs: list[RunFolder]) -> None:
    """Recipe by corpus, over these runs."""
    names = run_names(runs)
    _not_followed(runs, names)
    pivot_view(runs, names)


def chosen_runs(view: str, runs: list[RunFolder]) -> None:
    """A view of those among these runs that the user chooses."""
    names = run_names(runs)
    chosen = choose_runs(runs, names)
    _not_followed(chosen, names)
    if not chosen:
        st.info("Choose the runs to compare.")
        return
    cautions(chosen, across_corpora=view == "curves")
    measured = _with_result(chosen, names)
    if view == "curves":
        race_or_curves(chosen, names)
        settings_that_differ(chosen, names)
    elif not measured:
        st.info("None of these runs has a result to compare. Choose others.")
    elif view == "maps":
        gallery(measured, names)
    elif view == "side":
        side_view(measured, names)
    else:
        metrics_view(measured, names)
        diagnosed_numbers(measured, names)


def _not_followed(runs: list[RunFolder], names: dict[str, str]) -> None:
    """What embedlab does not do although an encoder of these runs requests it, a line each."""
    for line in not_followed_by(runs, names):
        st.caption(escaped(line, 600))


def _with_result(chosen: list[RunFolder], names: dict[str, str]) -> list[RunFolder]:
    """Those that have one, with a line for defects of their vectors; the others are named with the reason."""
    results = {run: read_result(run) for run in chosen}
    for run, result in results.items():
        if result is None:
            st.caption(escaped(f"{names[run.id]} has no result. {why_no_result(run)}", 600))
        else:
            faults_line(result.vector_faults, of=names[run.id] if len(chosen) > 1 else "")
    return [run for run, result in results.items() if result is not None]
