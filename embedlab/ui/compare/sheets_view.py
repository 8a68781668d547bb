"""Tables over runs with their files: all measurements side by side, and recipe by corpus with the papers' values."""

from functools import partial

import pyarrow as pa
import streamlit as st

from embedlab.comparison.best import measured_metrics, title_of
from embedlab.comparison.columns import Column, ColumnRequest, columns_of
from embedlab.comparison.pivot import head_of_column, pivot_of, pivot_sheet, published_in
from embedlab.comparison.rows import BASELINE, RUN, ComparedRow, compared_rows
from embedlab.comparison.side_sheet import side_sheet
from embedlab.comparison.tables import ENDINGS, FORMATS, Sheet
from embedlab.diagnostics import NUMBERS
from embedlab.distance import EUCLIDEAN
from embedlab.figures.metric_bars import Arrow, before_after
from embedlab.palette import QUIET_INK, shade
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.table_files import as_csv_file
from embedlab.ui.frame.files import download
from embedlab.ui.frame.layout import chart, escaped, show_table
from embedlab.ui.frame.state import is_dark, several_of, shown_distance

COLUMNS, GAINS, SCORE, PRINTED, ARROWS = (
    f"compare.side_{name}" for name in ("columns", "gains", "score", "printed", "arrows")
)
FIRST_SHOWN = 4  # columns that a page of 1400 px shows with their gains


def side_view(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The choices, one table per corpus, the papers' tables below, explanations, the files."""
    rows = compared_rows(chosen, names)
    columns = columns_of(rows, ColumnRequest(shown_distance(), NUMBERS))
    if not columns:
        st.info("These runs have not been measured yet. Measure them on the page Run, Scores, or choose others.")
        return
    by_key = {column.key: column.name for column in columns}
    first = [column.key for column in columns if column.counts][:FIRST_SHOWN] or list(by_key)[:FIRST_SHOWN]
    keys = several_of("Columns", by_key, key=COLUMNS, first=first, at_least_one=True, placeholder="Choose columns")
    selected = [column for column in columns if column.key in keys]
    with st.popover("Rows and gains", width="content"):
        gains = st.toggle("Gains", True, key=GAINS, persist_state="session", help="After minus before for each run.")
        score = st.toggle("Performance score", key=SCORE, persist_state="session",
                          help="SemCSE's one number over all shown columns; it needs four rows.")  # fmt: skip
        printed = st.toggle("Papers' rows", key=PRINTED, persist_state="session",
                            help="The papers' values in the shown columns.")  # fmt: skip
    _arrows(rows, [column for column in selected if column.gains])
    sheet = side_sheet(rows, selected, gains=gains, score=score, printed=printed)
    for group in sheet.groups:
        if group.title:
            st.markdown(f"**{escaped(group.title)}**")
        texts = {"run": [line.words[0] for line in group.lines]}
        for number, head in enumerate(sheet.cell_heads):
            texts[head] = [line.cells[number].in_words for line in group.lines]
        show_table(
            pa.table(texts),
            alt=f"{len(group.lines)} rows by {len(sheet.cell_heads)} columns.",
            formats={"run": st.column_config.TextColumn(pinned=True)},
        )
    st.caption("  \n".join(escaped(note, 1000) for note in sheet.notes_with_legend()))
    export_button(sheet, "side-by-side", key="compare.side_export")


def _arrows(rows: list[ComparedRow], columns: list[Column]) -> None:
    """Draws the change by training for one column, with a choice if there are several."""
    if not columns:
        return
    drawn = columns[0]
    if len(columns) > 1:
        by_key = {column.key: column for column in columns}
        if st.session_state.get(ARROWS) not in by_key:
            st.session_state[ARROWS] = drawn.key
        key = st.selectbox("Drawn", list(by_key), format_func=lambda key: by_key[key].name, key=ARROWS, width=420)
        drawn = by_key[key]
    changes = []
    for row in sorted((row for row in rows if row.key in drawn.gains), key=lambda row: row.encoder or ""):
        value, gain = drawn.values[row.key].value, drawn.gains[row.key]
        change = drawn.cell(gain.value, is_change=True).in_words
        changes.append(Arrow(row.name, drawn.scale * (value - gain.value), drawn.scale * value, change))
    references = {
        row.name: drawn.scale * drawn.values[row.key].value
        for row in rows if row.kind == BASELINE and row.key in drawn.values
    }  # fmt: skip
    figure = before_after(changes, title=drawn.name, unit=drawn.unit, digits=drawn.digits, references=references,
                          dark=is_dark())  # fmt: skip
    chart(figure, key="compare.arrows")


METRIC = "compare.pivot_metric"


def pivot_view(runs: list[RunFolder], names: dict[str, str]) -> None:
    """The choice of the metric, the table with published cells grey, its sources and the export."""
    import pandas as pd

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
    formats = {head: st.column_config.TextColumn(pinned=True) for head in sheet.word_heads}
    formats[sheet.word_heads[0]] = st.column_config.TextColumn(pinned=True, width=150)
    for corpus in pivot.corpora:  # paper and table of a published column, shown when hovering over its heading
        distance = EUCLIDEAN if pivot.is_by_both else None
        if (head := head_of_column(pivot, corpus, distance, is_published=True)) in sheet.cell_heads:
            formats[head] = st.column_config.TextColumn(help=escaped("; ".join(published_in(pivot, corpus)), 1000))
    frame = pd.DataFrame(
        [[*line.words, *(cell.in_words for cell in line.cells)] for line in sheet.lines],
        columns=[*sheet.word_heads, *sheet.cell_heads],
    )
    grey = [head for number, head in enumerate(sheet.cell_heads) if sheet.lines[0].cells[number].is_published]
    styled = frame.style.set_properties(subset=grey, color=shade(QUIET_INK, is_dark())) if grey else frame
    alt = f"{title_of(metric)} of {len(sheet.lines)} encoders and recipes on {len(pivot.corpora)} corpora."
    show_table(styled, alt=alt, formats=formats)
    for note in sheet.notes:
        st.caption(escaped(note, 2000))


_FILES = {
    "csv": ("CSV", "All digits; a name that would run as a formula gets a leading apostrophe."),
    "latex": ("LaTeX", "A booktabs table: the best bold, not separable underlined."),
    "markdown": ("Markdown", "A pipe table: the best bold, not separable in italics."),
}


def export_button(sheet: Sheet, name: str, *, key: str) -> None:
    """One button that opens three; a file is made when its button is pressed."""
    with st.popover("Export the table"):
        for written, (label, explained) in _FILES.items():
            make, file = partial(exported, sheet, written), f"{name}{ENDINGS[written]}"
            download(f"Download {label}", make, file, key=f"{key}.{written}", help=explained)


def exported(sheet: Sheet, written: str) -> bytes:
    """The file."""
    text = FORMATS[written](sheet)
    return as_csv_file(text) if written == "csv" else text.encode("utf-8", "replace")
