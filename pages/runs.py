"""Runs: all of them in a table, and what distinguishes the chosen ones: metrics, maps, curves, recipes, studies."""

import streamlit as st

from embedlab.comparison.rows import not_followed_by, run_names
from embedlab.finds.store import list_finds
from embedlab.report.run_rows import why_no_result
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.store import list_runs
from embedlab.studies.store import list_studies
from embedlab.ui.compare.curves_view import VIEW_KEY, VIEWS, cautions, choose_runs, race_or_curves
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.compare.metrics_view import diagnosed_numbers, metrics_view
from embedlab.ui.compare.runs_list import example_compared, runs_list, settings_that_differ
from embedlab.ui.compare.sheets_view import pivot_view, side_view
from embedlab.ui.finds.find_view import finds_list
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.navigation import VIEW
from embedlab.ui.frame.page import faults_line, no_run_yet, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import SHOWN_RUNS
from embedlab.ui.frame.state import view_choice
from embedlab.ui.studies.studies_view import show_studies


def all_of(view: str, runs: list[RunFolder], names: dict[str, str]) -> None:
    """The views of all runs."""
    if view == "table":
        runs_list(runs, names)
        finds_list()
        return
    for line in not_followed_by(runs, names):
        st.caption(escaped(line, 600))
    pivot_view(runs, names)


def comparison(view: str, runs: list[RunFolder], names: dict[str, str]) -> None:
    """The views of the chosen runs."""
    chosen = choose_runs(runs, names)
    for line in not_followed_by(chosen, names):
        st.caption(escaped(line, 600))
    if not chosen:
        st.info("Choose the runs to compare.")
        return
    cautions(chosen, across_corpora=view == "curves")
    measured = with_result(chosen, names)
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


def with_result(chosen: list[RunFolder], names: dict[str, str]) -> list[RunFolder]:
    """Those that have one, with a line for defects of their vectors; the others are named with the reason."""
    results = {run: read_result(run) for run in chosen}
    for run, result in results.items():
        if result is None:
            st.caption(escaped(f"{names[run.id]} has no result. {why_no_result(run)}", 600))
        else:
            faults_line(result, of=names[run.id] if len(chosen) > 1 else "")
    return [run for run, result in results.items() if result is not None]


page_head("Runs", "Which run sorts the texts better, and how do its settings differ?")
runs = list_runs()[:SHOWN_RUNS]
if not runs and not list_studies() and not list_finds():
    no_run_yet()
    example_compared()
else:
    view = view_choice(VIEWS, key=VIEW_KEY, address=VIEW)
    if view == "studies":
        show_studies()
    elif not runs:
        no_run_yet()
        finds_list()
    elif view in ("table", "recipes"):
        all_of(view, runs, run_names(runs))
    else:
        comparison(view, runs, run_names(runs))
what_am_i_looking_at(
    "One row is one run; above the runs are the encoders they started from and baselines that need no training. The "
    "best run (●) and all that are not separable from it (○) are marked: differences are paired over the same texts, "
    "and with m runs each is judged at level 5 %/(m − 1). ★ is a reference that beats the best run. kNN accuracy is "
    "given for both distances, the one chosen at the left first. Diamonds in the curves use all test texts where a "
    "line uses a sample. Side by side shows everything measured for the runs in columns, each with its change by "
    "training and a paired interval. Recipe × corpus is the mean over seeds; the papers' values (Euclidean distance) "
    "appear in gray where corpus, encoder and recipe match.",
    "Crops paper, section 4.1, Tables 1 and S2.",
)
