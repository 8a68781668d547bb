"""The texts behind one cell: those of a class that have neighbors of another, before or after."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.map_readings import ClassNeighbors, Moves
from embedlab.ui.components.coordinates import categories_of
from embedlab.ui.components.listed_texts import take_away_csv
from embedlab.ui.components.map_view import NO_CLASS
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.text import count, escaped, percent, points, shortened
from embedlab.ui.maps.moved.texts import moved_text

SHOWN = 200
_CHARACTERS = 160


def texts_of_cell(view: Compared, corpus: Corpus, moved: Moves, found: ClassNeighbors, row: int, column: int) -> None:
    """What the cell says, its texts in a table, and the chosen one with its neighbors."""
    before, after = (each[row, column] for each in found.shares)
    names = [escaped(found.names[place], 60) for place in (row, column)]
    of = "its own class" if row == column else names[1]
    words = view.words
    line = f"{names[0]}: {percent(before)} of the neighbors are of {of} {words[0]}, {percent(after)} {words[1]}"
    st.subheader(f"{line}: {points(after - before)}.", anchor=False)
    places, counts = cell_texts(corpus, moved, found, row, column)
    if not len(places):
        st.caption("No text has such a neighbor.")
        return
    shown, key = places[:SHOWN], f"neighbor-cell-{view.run.id}-{view.against}-{row}-{column}"
    event = st.dataframe(
        cell_table(corpus, moved, shown, counts, words), key=key, hide_index=True, on_select="rerun",
        selection_mode="single-row", height=table_height(len(shown), most=7),
        column_config={"text": st.column_config.TextColumn("text", width="large")},
        alt="Texts of the class with how many of their ten nearest are of the other class, one a row.",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away_csv(
            lambda: cell_table(corpus, moved, places, counts, words, whole=True), "neighbors-of-class.csv",
            "Download CSV", key=f"{key}.csv",
        )  # fmt: skip
        said = f"{count(len(places))} {'text' if len(places) == 1 else 'texts'}, those that changed most first."
        if len(places) > SHOWN:
            said += f" The table has the first {SHOWN}."
        st.caption(f"{said} Choose a row to see its neighbors.")
    chosen = event.selection.rows
    if chosen and chosen[0] < len(shown):
        moved_text(view, corpus, moved, int(moved.rows[shown[chosen[0]]]))


def cell_texts(
    corpus: Corpus, moved: Moves, found: ClassNeighbors, row: int, column: int
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the texts of class ``row`` with neighbors of class ``column``, most changed first; and how many
    neighbors each has.  -> (found,), (texts, 2)
    """
    codes = _codes(corpus, found)
    counts = np.zeros((len(moved.rows), 2), np.int64)
    was_read = (moved.same_before < 0) & (categories_of(corpus, moved.rows) != NO_CLASS)  # by an encoder, to learn
    own = np.flatnonzero((codes[moved.rows] == row) & ~was_read)
    for side, near in enumerate((moved.nearest_before, moved.nearest_after)):
        counts[own, side] = ((codes[near[own]] == column) & (near[own] >= 0)).sum(axis=1)
    some = own[counts[own].any(axis=1)]
    change = np.abs(counts[some, 1] - counts[some, 0])
    return some[np.lexsort((some, -counts[some].max(axis=1), -change))], counts


def cell_table(
    corpus: Corpus,
    moved: Moves,
    places: np.ndarray,
    counts: np.ndarray,
    words: tuple[str, str],
    *,
    whole: bool = False,
) -> pa.Table:
    """How many of the ten nearest are of the other class, and the text (its beginning, unless ``whole``)."""
    rows = moved.rows[places]
    columns = {f"neighbors {word}": counts[places, side] for side, word in enumerate(words)}
    columns["change"] = counts[places, 1] - counts[places, 0]
    if corpus.titles is not None:
        columns["title"] = [corpus.titles[row] for row in rows]
    texts = [corpus.texts[row] for row in rows]
    columns["text"] = texts if whole else [shortened(" ".join(text[:600].split()), _CHARACTERS) for text in texts]
    return pa.table(columns)


def _codes(corpus: Corpus, found: ClassNeighbors) -> np.ndarray:
    """The row of the matrix that each corpus row belongs to: its class, the smaller ones together, or no label."""
    classes = categories_of(corpus, np.arange(corpus.info.rows)).astype(np.int64)
    own = np.flatnonzero(found.own)
    by_name = {found.names[place]: place for place in own}
    others = [place for place in np.flatnonzero(~found.own)]
    left_out = len(corpus.info.classes) > len(own)
    small = others[0] if left_out else -1
    unlabeled = others[-1] if len(others) > left_out else -1
    number = np.array([by_name.get(each.label, small) for each in corpus.info.classes])
    return np.where(classes == NO_CLASS, unlabeled, number[np.minimum(classes, len(number) - 1)])
