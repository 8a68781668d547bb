"""Runs side by side: one row per run, their curves, and the settings in which they differ."""

import pyarrow as pa
import streamlit as st

from embedlab.example import LAYERS, TOKEN, WORDS, example_run
from embedlab.report.run_rows import differences, run_row
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.built_in import example_instead
from embedlab.ui.frame.layout import show_table
from embedlab.ui.frame.state import shown_distance


def settings_that_differ(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The settings in which these runs differ, one column per run."""
    if len(chosen) < 2:
        return
    st.subheader("Settings that differ", anchor=False)
    table = differences(chosen, names)
    if table is None:
        st.caption("None: all settings are the same.")
    else:
        show_table(table, alt="Settings in which the chosen runs differ, one column per run.")


_COMPARED = {
    WORDS: "token layer from word statistics",
    TOKEN: "token layer from random vectors",
    LAYERS: "encoder with four layers",
}
_ALL = "two token layers and a small encoder with four layers, on the same texts (`docs`)"


def example_compared() -> None:
    """Shows the packaged runs side by side until there are own ones."""
    if example_instead("Your runs appear here side by side, with the best ones marked.", whose=_ALL) is None:
        return
    runs = {name: example_run(kind) for kind, name in _COMPARED.items()}
    rows = [run_row(run, name, "docs", shown_distance()) for name, run in runs.items() if run is not None]
    columns = [head for head in rows[0] if any(row[head] is not None for row in rows) and head not in ("made", "state")]
    table = pa.table({head: [row[head] for row in rows] for head in columns})
    kinds = {head: st.column_config.NumberColumn(format="%.1f") for head in columns if "kNN" in head or "±" in head}
    show_table(table, alt="The example's runs, one row each.", formats=kinds)
