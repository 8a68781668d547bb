"""Texts in a table: a chosen one is shown below, and all can be downloaded as CSV or Parquet."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.text import shortened
from embedlab.numbers import count
from embedlab.runs.selections import texts_table
from embedlab.table_files import csv_bytes, parquet_bytes
from embedlab.ui.components.pick_text import heading_of, take
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.text import escaped, show_text

_CSV = "For spreadsheets: a cell that would run as a formula gets a leading apostrophe."
_CHARACTERS = 1500
_COLUMNS = {
    "title": st.column_config.TextColumn("title", width=180),
    "text": st.column_config.TextColumn("text", width="large"),
}


def listed_texts(
    corpus: Corpus, table: pa.Table, *, key: str, whole: Callable[[], pa.Table], name: str, of: int
) -> None:
    """The table (its column ``row`` holds corpus rows), the chosen text, and the download of all ``of`` texts."""
    if table.num_rows == 0:
        return
    event = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        width="stretch",
        height=table_height(table.num_rows),
        key=key,
        column_order=[column for column in table.column_names if column != "row"],
        column_config=_COLUMNS,
        alt="Texts with their label and their neighbors' votes, one per row.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        csv_download(whole, name, "Download CSV", key=f"{key}.csv")
        if of > table.num_rows:
            line = f"The table shows the first {count(table.num_rows)} of them, the download has all {count(of)}."
            st.caption(line)
        elif not event.selection.rows:
            st.caption("Choose a row to read its text and to see its neighbors.")
    if event.selection.rows:
        _chosen(corpus, int(table.column("row")[event.selection.rows[0]].as_py()), key)


def csv_download(table: Callable[[], pa.Table], name: str, label: str, *, key: str) -> None:
    """The file is made when the button is pressed."""
    st.download_button(
        label, lambda: csv_bytes(table()), file_name=name, mime="text/csv", key=key, help=_CSV, on_click="ignore"
    )


def _chosen(corpus: Corpus, row: int, key: str) -> None:
    """The text, and a link to its nearest texts."""
    with st.container(border=True, gap="small"):
        st.markdown(heading_of(corpus, row))
        show_text(corpus.texts[row], characters=_CHARACTERS)
        if st.button("Show its nearest texts", key=f"{key}.nearest"):
            take(row)
            go_to("neighbors")


SHOWN = 500  # rows on the page; the downloads have them all
SHOWN_CHARACTERS = 600
_CSV = "For spreadsheets: a cell that would run as a formula gets a leading apostrophe."
_PARQUET = "For programs: every value exactly as it is."


def chosen_texts(corpus: Corpus, rows: np.ndarray, *, key: str) -> None:
    """The table and its downloads; cells are plain text."""
    table = texts_table(corpus, rows[:SHOWN]).to_pandas()
    for name in ("title", "text"):
        if name in table:
            table[name] = [shortened(text, SHOWN_CHARACTERS) for text in table[name].fillna("")]
    st.dataframe(
        table,
        key=f"{key}.table",
        hide_index=True,
        width="stretch",
        height=table_height(len(table)),
        lazy=True,  # without Streamlit's own CSV button, whose file a spreadsheet may run
        column_config={"text": st.column_config.TextColumn("text", width="large")},
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away(corpus, rows, key=key)
        if len(rows) > SHOWN:
            line = f"The table shows the first {SHOWN} of them, the downloads have all {count(len(rows))}."
            st.caption(line)


def take_away(corpus: Corpus, rows: np.ndarray, *, key: str) -> None:
    """Both downloads; a file is made when its button is pressed."""
    name = f"{corpus.name}-{len(rows)}-texts"
    st.download_button(
        "Download CSV",
        lambda: csv_bytes(texts_table(corpus, rows)),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"{key}.csv",
        help=_CSV,
        on_click="ignore",
    )
    st.download_button(
        "Download Parquet",
        lambda: parquet_bytes(texts_table(corpus, rows)),
        file_name=f"{name}.parquet",
        mime="application/vnd.apache.parquet",
        key=f"{key}.parquet",
        help=_PARQUET,
        on_click="ignore",
    )


def counted(rows: int, where: str, typed: str = "", of: int | None = None) -> str:
    """``312 texts in the lasso``, ``40 of the 312 texts in the lasso contain “court”``"""
    texts = "text" if rows == 1 else "texts"
    if not typed.strip():
        return f"{count(rows)} {texts} {where}"
    contain = "contains" if rows == 1 else "contain"
    return f"{count(rows)} of {count(of or 0)} texts {where} {contain} “{escaped(typed.strip(), 60)}”"
