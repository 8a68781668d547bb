"""Texts in a table: a chosen one is shown below, and all can be downloaded as CSV or Parquet."""

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus
from embedlab.numbers import count, counted
from embedlab.plain_text import shortened
from embedlab.runs.selections import texts_table
from embedlab.table_files import parquet_bytes
from embedlab.ui.components.nearest import heading_of, take
from embedlab.ui.frame.files import csv_download, download
from embedlab.ui.frame.layout import show_table, show_text, table_height, with_signs
from embedlab.ui.frame.navigation import go_to

_COLUMNS = {
    **{name: st.column_config.TextColumn(name, width=130) for name in ("label", "before", "after")},
    "title": st.column_config.TextColumn("title", width=180),
    "text": st.column_config.TextColumn("text", width="large"),
}


def listed(
    table: pa.Table, *, key: str, alt: str, file: str, hint: str, whole: Callable[[], pa.Table] | None = None,
    of: int = 0, most: int = 10, formats: Mapping | None = None, changes: Mapping[str, tuple[int, str]] | None = None,
) -> int | None:  # fmt: skip
    """A table with its download; returns the line that a reader chose. A column ``row`` is for the program.

    ``whole`` makes the file where the table holds only the first of its ``of`` lines; ``hint``: what a choice shows;
    ``changes``: columns with a sign, see ``with_signs``.
    """
    event = st.dataframe(
        table if changes is None else with_signs(table, changes), key=key, hide_index=True, on_select="rerun",
        selection_mode="single-row", alt=alt, column_config=formats,
        height=table_height(len(table), most=most), column_order=[name for name in table.column_names if name != "row"],
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        csv_download(whole or (lambda: table), file, "Download CSV", key=f"{key}.csv")
        first = f" The table shows the first {count(len(table))} of them, the download has all {count(of)}."
        st.caption(hint + first * (of > len(table)))
    lines = event.selection.rows
    return lines[0] if lines and lines[0] < len(table) else None


def listed_texts(
    corpus: Corpus, table: pa.Table, *, key: str, whole: Callable[[], pa.Table], name: str, of: int
) -> None:
    """The table (its column ``row`` holds corpus rows), the chosen text, and the download of all ``of`` texts."""
    if not len(table):
        return
    line = listed(
        table, key=key, alt="Texts with their label and their neighbors' votes, one per row.", file=name, whole=whole,
        of=of, hint="Choose a row to read its text and to see its neighbors.", formats=_COLUMNS,
    )  # fmt: skip
    if line is not None:
        text_with_way(corpus, int(table.column("row")[line].as_py()), key=key, characters=1500)


def text_with_way(corpus: Corpus, row: int, *, key: str, characters: int) -> None:
    """The text, and a link to its nearest texts."""
    with st.container(border=True, gap="small"):
        if heading := heading_of(corpus, row):
            st.markdown(heading)
        show_text(corpus.texts[row], characters=characters)
        if st.button("Show its nearest texts", key=f"{key}.nearest"):
            take(row)
            go_to("neighbors")


SHOWN = 500  # rows on the page; the downloads have them all
_PARQUET = "For programs: every value exactly as it is."


def chosen_texts(corpus: Corpus, rows: np.ndarray, *, key: str) -> DeltaGenerator:
    """The table, whose cells are plain text; returns the popover with its downloads, for further actions."""
    table = texts_table(corpus, rows[:SHOWN]).to_pandas()
    for name in ("title", "text"):
        if name in table:
            table[name] = [shortened(text, 600) for text in table[name].fillna("")]
    formats = {"text": _COLUMNS["text"]}
    show_table(table, alt="The chosen texts, one per row.", formats=formats, key=f"{key}.table")
    with st.container(horizontal=True, vertical_alignment="center"):
        actions = st.popover(f"Use {counted(len(rows), 'text')}", width="content")
        with actions:
            name = f"{corpus.name}-{len(rows)}-texts"
            csv_download(lambda: texts_table(corpus, rows), f"{name}.csv", "Download CSV", key=f"{key}.csv")
            content = lambda: parquet_bytes(texts_table(corpus, rows))  # noqa: E731
            download("Download Parquet", content, f"{name}.parquet", key=f"{key}.parquet", help=_PARQUET)
        if len(rows) > SHOWN:
            st.caption(f"The table shows the first {SHOWN} of them, the downloads have all {count(len(rows))}.")
    return actions
