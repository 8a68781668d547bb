"""The texts that a lasso or a search holds: a table to read, and both downloads."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.selections import texts_table
from embedlab.table_files import csv_bytes, parquet_bytes
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.text import count, escaped, shortened

SHOWN = 500  # rows on the page; the downloads have them all
SHOWN_CHARACTERS = 600
_CSV = "For spreadsheets: a cell that would run as a formula gets a leading apostrophe."
_PARQUET = "For programs: every value exactly as it is."


def chosen_texts(corpus: Corpus, rows: np.ndarray, *, key: str) -> None:
    """The table and what to take away; cells are plain text."""
    shown = texts_table(corpus, rows[:SHOWN]).to_pandas()
    for name in ("title", "text"):
        if name in shown:
            shown[name] = [shortened(text, SHOWN_CHARACTERS) for text in shown[name].fillna("")]
    st.dataframe(
        shown,
        key=f"{key}.table",
        hide_index=True,
        width="stretch",
        height=table_height(len(shown)),
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
