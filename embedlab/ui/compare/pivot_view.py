"""Recipe by corpus over all finished runs, as the papers' tables are, their own values grey beside ours."""

import streamlit as st

from embedlab.compare.best import measured_metrics, title_of
from embedlab.compare.pivot import Pivot, head_of_column, pivot_of, pivot_sheet, published_in
from embedlab.compare.rows import RUN, compared_rows
from embedlab.compare.tables import ENDINGS, FORMATS, Sheet
from embedlab.distance import EUCLIDEAN
from embedlab.figures.palette import QUIET_INK, shade
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.table_files import as_csv_file
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.switches import shown_distance
from embedlab.ui.frame.text import escaped

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
        [[*line.words, *(cell.in_words for cell in line.cells)] for line in sheet.lines],
        columns=[*sheet.word_heads, *sheet.cell_heads],
    )
    grey = [head for place, head in enumerate(sheet.cell_heads) if sheet.lines[0].cells[place].is_published]
    return frame.style.set_properties(subset=grey, color=shade(QUIET_INK, is_dark())) if grey else frame


def _columns(pivot: Pivot, sheet: Sheet) -> dict:
    """Paper and table of a published column, where one points at its head."""
    found = {head: st.column_config.TextColumn(pinned=True) for head in sheet.word_heads}
    found[sheet.word_heads[0]] = st.column_config.TextColumn(pinned=True, width=150)
    for corpus in pivot.corpora:
        distance = EUCLIDEAN if pivot.is_by_both else None
        if (head := head_of_column(pivot, corpus, distance, is_published=True)) in sheet.cell_heads:
            found[head] = st.column_config.TextColumn(help=escaped("; ".join(published_in(pivot, corpus)), 1000))
    return found


_FILES = {
    "csv": ("CSV", "text/csv", "All digits; a name that would run as a formula gets a leading apostrophe."),
    "latex": ("LaTeX", "application/x-tex", "A booktabs table: the best bold, not separable underlined."),
    "markdown": ("Markdown", "text/markdown", "A pipe table: the best bold, not separable in italics."),
}


def export_button(sheet: Sheet, name: str, *, key: str) -> None:
    """One button that opens three; a file is made when its button is pressed."""
    with st.popover("Export the table"):
        for written, (label, mime, explained) in _FILES.items():
            st.download_button(
                f"Download {label}",
                lambda written=written: exported(sheet, written),
                file_name=f"{name}{ENDINGS[written]}",
                mime=mime,
                key=f"{key}.{written}",
                help=explained,
                on_click="ignore",
            )


def exported(sheet: Sheet, written: str) -> bytes:
    """The file."""
    text = FORMATS[written](sheet)
    return as_csv_file(text) if written == "csv" else text.encode("utf-8", "replace")
