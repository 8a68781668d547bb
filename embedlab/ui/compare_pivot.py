"""Recipe by corpus over all finished runs, as the papers' tables are, their own values grey beside ours."""

import streamlit as st

from embedlab.figures.palette import QUIET_INK, shade
from embedlab.metrics.distance import EUCLIDEAN
from embedlab.runs.compared_rows import RUN, compared_rows
from embedlab.runs.comparing import measured_metrics, title_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.pivot import Pivot, head_of_column, pivot_of, pivot_sheet, published_in
from embedlab.runs.store import read_result
from embedlab.runs.tables import Sheet
from embedlab.ui.compare_export import export_button
from embedlab.ui.distance import shown_distance
from embedlab.ui.state import is_dark
from embedlab.ui.table import table_height
from embedlab.ui.text import escaped

METRIC = "compare.pivot_metric"


def pivot_view(runs: list[RunFolder], names: dict[str, str]) -> None:
    """The choice of the metric, the table, its sources and the export."""
    rows = compared_rows([run for run in runs if read_result(run) is not None], names)
    metrics = measured_metrics(rows)
    if not any(row.kind == RUN for row in rows) or not metrics:
        st.info("This table needs a finished run with a measured metric. There is none yet.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = st.selectbox("Metric", metrics, format_func=title_of, key=METRIC, width=340, persist_state="session")
        pivot = pivot_of(rows, metric)
        sheet = pivot_sheet(pivot, shown_distance())
        export_button(sheet, f"recipes-{metric.replace('/', '-')}", key="compare.pivot_export")
    alt = f"{title_of(metric)} of {len(sheet.lines)} encoders and recipes on {len(pivot.corpora)} corpora."
    st.dataframe(_styled(sheet), hide_index=True, column_config=_columns(pivot, sheet), width="stretch", alt=alt,
                 height=table_height(len(sheet.lines)))  # fmt: skip
    for note in sheet.notes:
        st.caption(escaped(note, 2000))


def _styled(sheet: Sheet):
    """The cells as words, the published ones grey."""
    import pandas as pd

    frame = pd.DataFrame(
        [[*line.words, *(cell.said for cell in line.cells)] for line in sheet.lines],
        columns=[*sheet.word_heads, *sheet.cell_heads],
    )
    grey = [head for place, head in enumerate(sheet.cell_heads) if sheet.lines[0].cells[place].is_published]
    return frame.style.set_properties(subset=grey, color=shade(QUIET_INK, is_dark())) if grey else frame


def _columns(pivot: Pivot, sheet: Sheet) -> dict:
    """Paper and table of a published column, where one points at its head."""
    found = {head: st.column_config.TextColumn(pinned=True) for head in sheet.word_heads}
    found[sheet.word_heads[0]] = st.column_config.TextColumn(pinned=True, width=150)
    for corpus in pivot.corpora:
        distance = EUCLIDEAN if pivot.cosine else None
        if (head := head_of_column(pivot, corpus, distance, is_published=True)) in sheet.cell_heads:
            found[head] = st.column_config.TextColumn(help=escaped("; ".join(published_in(pivot, corpus)), 1000))
    return found
