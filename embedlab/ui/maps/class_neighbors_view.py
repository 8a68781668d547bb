"""Who neighbors whom: the share of each class among the neighbors of each class, before, after, and the change."""

import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.class_neighbors import AFTER, BEFORE, CHANGE, class_neighbor_map
from embedlab.metrics.neighbor_shares import largest_changes
from embedlab.runs.map_readings import ClassNeighbors
from embedlab.ui.components.chart import chart, clicked
from embedlab.ui.components.listed_texts import take_away_csv
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.readings import class_neighbors
from embedlab.ui.frame.distance import AS_DRAWN
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import count
from embedlab.ui.maps.moved.view import moves_needed
from embedlab.ui.maps.neighbor_cell import texts_of_cell

_KINDS = {CHANGE: "Change", BEFORE: "Before", AFTER: "After"}
_KINDS_OF_TWO = {CHANGE: "Change", BEFORE: "Left", AFTER: "Right"}
LISTED = 100


def show_class_neighbors(view: Compared, corpus: Corpus) -> None:
    """Class by class, with the texts behind each cell."""
    if not corpus.info.classes:
        st.info("Who neighbors whom is told by labels, and this corpus has none. What moved needs no labels.")
        return
    moved = moves_needed(view)
    found = class_neighbors(view.run, view.against)
    if moved is None or found is None:
        return
    key = f"{view.run.id}-{view.against}"
    changes = largest_changes(*found.shares, most=LISTED)
    _first_cell(key, found, changes)
    names, words = dict(enumerate(found.names)), view.words
    kinds = _KINDS if words == ("before", "after") else _KINDS_OF_TWO
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control(
            "Show", list(kinds), format_func=kinds.get, default=CHANGE, required=True, key="neighbor-classes.kind"
        )
        row = st.selectbox("Texts of", list(names), format_func=names.get, key=f"neighbor-classes.row-{key}")
        column = st.selectbox(
            "with neighbors of", list(names), format_func=names.get, key=f"neighbor-classes.column-{key}"
        )
    before, after = found.shares
    figure = class_neighbor_map(
        found.names, before=before, after=after, kind=kind or CHANGE, titles=words, marked=(row, column),
        identity=key, dark=is_dark(),
    )  # fmt: skip
    chart_key = f"neighbor-classes-{key}"
    chart(figure, key=chart_key, on_click=lambda: _take_clicked(chart_key, key))
    left_out = len(corpus.info.classes) - int(found.own.sum())
    if left_out > 0:
        st.caption(f"The {count(int(found.own.sum()))} largest classes; {count(left_out)} smaller ones are one row.")
    how = f"Ten nearest texts {AS_DRAWN}. Rows add up to 100 %; related classes stand side by side."
    st.caption(f"{how} Click a cell for its texts.")
    texts_of_cell(view, corpus, moved, found, row, column)
    _largest(found, changes, words, key)


def _first_cell(key: str, found: ClassNeighbors, changes: list[tuple[int, int]]) -> None:
    """The pair of different classes that changed most is chosen first."""
    if f"neighbor-classes.row-{key}" not in st.session_state:
        row, column = changes[0] if changes else (0, min(1, len(found.names) - 1))
        st.session_state[f"neighbor-classes.row-{key}"], st.session_state[f"neighbor-classes.column-{key}"] = (
            row,
            column,
        )


def _take_clicked(chart_key: str, key: str) -> None:
    place = clicked(chart_key)
    if place is not None:
        _take(key, round(place[1]), round(place[0]))


def _take(key: str, row: int, column: int) -> None:
    """Make this the chosen cell; for callbacks."""
    st.session_state[f"neighbor-classes.row-{key}"] = row
    st.session_state[f"neighbor-classes.column-{key}"] = column


def _largest(found: ClassNeighbors, changes: list[tuple[int, int]], words: tuple[str, str], key: str) -> None:
    """The pairs of different classes that changed most; a chosen one is the cell above."""
    st.subheader("Largest changes between classes", anchor=False)
    if not changes:
        st.caption("No share of neighbors changed between different classes.")
        return
    table, table_key = changes_table(found, changes, words), f"neighbor-classes.changes-{key}"

    def take() -> None:
        chosen = st.session_state[table_key].selection.rows
        if chosen:
            _take(key, *changes[chosen[0]])

    st.dataframe(
        table, hide_index=True, height=table_height(len(changes), most=8), key=table_key, on_select=take,
        selection_mode="single-row", alt="Pairs of classes by the change of their share, one a row.",
        column_config={name: st.column_config.NumberColumn(name, format="%.1f %%") for name in words}
        | {"change": st.column_config.NumberColumn("change", format="%+.1f points")},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away_csv(lambda: table, "who-neighbors-whom.csv", "Download CSV", key=f"neighbor-classes.csv-{key}")
        st.caption("Choose a row for its texts. How far each class keeps to itself is the diagonal.")


def changes_table(found: ClassNeighbors, changes: list[tuple[int, int]], words: tuple[str, str]) -> pa.Table:
    """Pairs of classes with their shares in percent."""
    before, after = found.shares
    return pa.table(
        {
            "texts of": [found.names[row] for row, _ in changes],
            "neighbors of": [found.names[column] for _, column in changes],
            words[0]: [100 * float(before[pair]) for pair in changes],
            words[1]: [100 * float(after[pair]) for pair in changes],
            "change": [100 * float(after[pair] - before[pair]) for pair in changes],
        }
    )
