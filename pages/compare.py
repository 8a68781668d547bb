"""Compare: runs by every metric with the best marked, their curves, and recipe by corpus as the papers print it."""

import pyarrow as pa
import streamlit as st

from embedlab.compare.rows import not_followed_by, run_names
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import run_title
from embedlab.runs.result import read_result
from embedlab.runs.store import list_runs
from embedlab.table_files import csv_bytes
from embedlab.ui.compare.curves_view import cautions, choose_runs, race_or_curves, view_switch
from embedlab.ui.compare.diagnosed_numbers import diagnosed_numbers
from embedlab.ui.compare.gallery import gallery
from embedlab.ui.compare.metrics_view import metrics_view
from embedlab.ui.compare.pivot_view import pivot_view
from embedlab.ui.compare.run_table import differences, example_compared, failures, runs_table
from embedlab.ui.compare.side_view import side_view
from embedlab.ui.frame.distance import shown_distance
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.page import faults_line, no_run_yet, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import SHOWN_RUNS
from embedlab.ui.frame.state import picked_run
from embedlab.ui.frame.text import escaped
from embedlab.ui.result.run_actions import delete_section, export_section

FAILURES_SHOWN = 5
_WORDS = ("run", "corpus", "encoder", "recipe", "started from", "outcome", "trained on", "state", "made")
_WHOLE = ("steps", "usable texts", "seconds")


def comparison(runs: list[RunFolder]) -> None:
    """What is shown of which runs; then all runs, and what can be done with the picked one."""
    names = run_names(runs)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = view_switch()
        chosen = choose_runs(runs, names) if view != "recipes" else []
    for line in not_followed_by(runs if view == "recipes" else chosen, names):
        st.caption(escaped(line, 600))
    if view == "recipes":
        pivot_view(runs, names)
    elif not chosen:
        st.info("Choose the runs to compare.")
    else:
        cautions(chosen, across_corpora=view == "curves")
        for each in chosen:
            if (result := read_result(each)) is not None:
                faults_line(result, of=names[each.id] if len(chosen) > 1 else "")
        if view == "maps":
            gallery(chosen, names)
        elif view == "curves":
            race_or_curves(chosen, names)
            settings(chosen, names)
        elif view == "side":
            side_view(chosen, names)
        else:
            metrics_view(chosen, names)
            diagnosed_numbers(chosen, names)
    all_runs(runs, names)
    picked_section()


def settings(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The settings in which the chosen runs differ."""
    if len(chosen) < 2:
        return
    st.subheader("Settings that differ", anchor=False)
    found = differences(chosen, names)
    if found is None:
        st.caption("Nothing: all settings are the same.")
    else:
        st.dataframe(found, hide_index=True, height=table_height(len(found)),
                     alt="Settings in which the chosen runs differ, one column a run.")  # fmt: skip


def all_runs(runs: list[RunFolder], names: dict[str, str]) -> None:
    """Every run, the failed ones with their sentence; the table as a file."""
    st.subheader("All runs", anchor=False)
    table = runs_table(runs, names, shown_distance())
    alt = f"All {len(runs)} runs, one row each."
    height = table_height(table.num_rows)
    st.dataframe(table, hide_index=True, column_config=columns_of(table), placeholder="–", height=height, alt=alt)
    for run_id, sentence in list(failures(runs).items())[:FAILURES_SHOWN]:
        line = f":red[Failed:] {escaped(names[run_id])}. {escaped(sentence, 400)}"
        st.caption(line)
    file = csv_bytes(table)
    st.download_button("Download the table as CSV", file, "runs.csv", "text/csv", key="compare.csv", on_click="ignore")


def columns_of(table: pa.Table) -> dict:
    """Words as words, accuracies with one digit."""
    kinds = {"run": st.column_config.TextColumn(pinned=True), "outcome": st.column_config.TextColumn(width=150)}
    for name in table.column_names:
        if name not in _WORDS:
            kinds[name] = st.column_config.NumberColumn(format="localized" if name in _WHOLE else "%.1f")
    return kinds


def picked_section() -> None:
    """The run of the picker: take it away or delete it."""
    run = picked_run()
    if run is not None:
        with st.expander(f"Take away or delete {escaped(run_title(run))}"):
            export_section(run)
            delete_section(run)


page_head("Compare", "Which run sorts the texts better, and how do its settings differ?")
known = list_runs()[:SHOWN_RUNS]
if known:
    comparison(known)
else:
    no_run_yet()
    example_compared()
what_am_i_looking_at(
    "One row is one run; above the runs stand what they started from and what needs no training. The best run (●) and "
    "all that cannot be told apart from it (○) are marked: differences are paired over the same texts, and with m runs "
    "each is judged at level 5 %/(m − 1). ★ is a reference that beats the best run. kNN accuracy stands by both "
    "distances, first by the one chosen at the left. Diamonds in the curves are of all test texts, where a line is of "
    "a sample. Side by side holds all that was measured of the runs in columns, each with what training changed of it, "
    "its interval from the same texts measured twice. Recipe × corpus is the mean over seeds; the papers' values, by "
    "Euclidean distance, stand beside it in grey where corpus, encoder and recipe match.",
    "Crops paper, section 4.1, Tables 1 and S2.",
)
