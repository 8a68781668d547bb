"""Who neighbors whom: the share of each class among the neighbors of each class, the change, and one cell opened."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.classes import AFTER, BEFORE, CHANGE, class_neighbor_map
from embedlab.numbers import count, counted, percent, points
from embedlab.report.moved_tables import cell_table, cell_texts, changes_table, why_no_classes
from embedlab.runs.map_readings import ClassNeighbors, Moves
from embedlab.ui.components.listed_texts import listed
from embedlab.ui.components.loaded_maps import class_neighbors
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import chart, clicked, escaped, table_height, with_signs
from embedlab.ui.frame.state import AS_DRAWN, is_dark, named, one_of
from embedlab.ui.maps.moved import moved_text, moves_needed

MOST_SHOWN = 50  # classes of the picture, until a reader asks for all


def show_class_neighbors(view: Compared, corpus: Corpus) -> None:
    """Class by class, with the texts behind each cell."""
    if missing := why_no_classes(corpus.info):
        st.info(missing)
        return
    moved = moves_needed(view)
    neighbors = class_neighbors(view.run, view.against)
    if moved is None or neighbors is None:
        return
    key = f"{view.run.id}-{view.against}"
    changes = neighbors.largest_changes(at_most=100)
    row, column = (st.session_state.get(f"neighbor-classes.{name}-{key}", -1) for name in ("row", "column"))
    if not {row, column} <= set(range(len(neighbors.names))):  # at first the pair that changed most
        row, column = changes[0] if changes else (0, min(1, len(neighbors.names) - 1))
        _take(key, row, column)
    names, words = dict(enumerate(neighbors.names)), view.words
    kinds = {CHANGE: "Change", BEFORE: words[0].capitalize(), AFTER: words[1].capitalize()}
    kind = one_of("Show", kinds, key="neighbor-classes.kind", first=CHANGE)
    classes, all_of_them = np.arange(len(neighbors.names)), f"neighbor-classes.all-{key}"
    if len(classes) > MOST_SHOWN and not st.session_state.get(all_of_them):
        classes = neighbors.that_matter(MOST_SHOWN, always=(row, column))
    before, after = (each[np.ix_(classes, classes)] for each in neighbors.shares)
    figure = class_neighbor_map(
        [neighbors.names[number] for number in classes], before=before, after=after, kind=kind or CHANGE, titles=words,
        marked=tuple(np.searchsorted(classes, (row, column)).tolist()), identity=f"{key}-{hash(classes.tobytes())}",
        dark=is_dark(),
    )  # fmt: skip
    chart_key = f"neighbor-classes-{key}"
    chart(figure, key=chart_key, on_click=lambda: _take_clicked(chart_key, key, classes))
    with st.expander("Choose a cell by its classes"), st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Texts of", key=f"neighbor-classes.row-{key}", **named(names))
        st.selectbox("with neighbors of", key=f"neighbor-classes.column-{key}", **named(names))
        if len(names) > MOST_SHOWN:
            st.toggle(f"Draw all {count(len(names))} classes", key=all_of_them)
    if len(classes) < len(neighbors.names):
        matter = f"The {count(len(classes))} classes whose neighbors of other classes changed most"
        st.caption(f"{matter}, and the chosen ones.")
    left_out = len(corpus.info.classes) - int(neighbors.is_class.sum())
    if left_out > 0:
        st.caption(
            f"The {count(int(neighbors.is_class.sum()))} largest classes; {count(left_out)} smaller ones share one row."
        )
    how = f"Ten nearest texts {AS_DRAWN}. Rows add up to 100 % over all classes; related classes are side by side."
    st.caption(f"{how} Click a cell for its texts.")
    texts_of_cell(view, corpus, moved, neighbors, row, column)
    _largest(neighbors, changes, words, key)


def _take_clicked(chart_key: str, key: str, classes: np.ndarray) -> None:
    """``classes``: the class of each row and column of the figure."""
    point = clicked(chart_key)
    if point is not None:
        _take(key, int(classes[round(point[1])]), int(classes[round(point[0])]))


def _take(key: str, row: int, column: int) -> None:
    """Make this the chosen cell; for callbacks."""
    st.session_state[f"neighbor-classes.row-{key}"] = row
    st.session_state[f"neighbor-classes.column-{key}"] = column


def _largest(neighbors: ClassNeighbors, changes: list[tuple[int, int]], words: tuple[str, str], key: str) -> None:
    """The pairs of different classes that changed most; clicking one chooses its cell above."""
    st.subheader("Largest changes between classes", anchor=False)
    if not changes:
        st.caption("No share of neighbors changed between different classes.")
        return
    table, table_key = changes_table(neighbors, changes, words), f"neighbor-classes.changes-{key}"

    def take() -> None:
        chosen = st.session_state[table_key].selection.rows
        if chosen:
            _take(key, *changes[chosen[0]])

    st.dataframe(
        with_signs(table, {"change": (1, " points")}), hide_index=True, key=table_key, on_select=take,
        height=table_height(len(changes), most=8), selection_mode="single-row",
        alt="Pairs of classes by the change of their share, one per row.",
        column_config={name: st.column_config.NumberColumn(name, format="%.1f %%") for name in words},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        csv_download(lambda: table, "who-neighbors-whom.csv", "Download CSV", key=f"neighbor-classes.csv-{key}")
        st.caption("Choose a row for its texts. The diagonal shows how far each class keeps to itself.")


def texts_of_cell(
    view: Compared, corpus: Corpus, moved: Moves, neighbors: ClassNeighbors, row: int, column: int
) -> None:
    """The cell in a sentence, its texts in a table, and the chosen text with its neighbors."""
    before, after = (each[row, column] for each in neighbors.shares)
    names = [escaped(neighbors.names[class_row], 60) for class_row in (row, column)]
    of = "of the same class" if row == column else f"“{names[1]}”"
    words = view.words
    line = f"{names[0]} texts: {percent(before)} → {percent(after)} of neighbors are {of}"
    st.subheader(f"{line} ({points(after - before)}).", anchor=False)
    places, counts = cell_texts(corpus, moved, neighbors, row, column)
    if not len(places):
        st.caption("No text has such a neighbor.")
        return
    chosen = listed(
        cell_table(corpus, moved, places[:200], counts, words), file="neighbors-of-class.csv", of=len(places), most=7,
        key=f"neighbor-cell-{view.run.id}-{view.against}-{row}-{column}",
        formats={"text": st.column_config.TextColumn("text", width="large")},
        alt="Texts of the class with how many of their ten nearest are of the other class, one per row.",
        whole=lambda: cell_table(corpus, moved, places, counts, words, whole=True),
        hint=f"{counted(len(places), 'text')}, those that changed most first. Choose a row to see its neighbors.",
    )  # fmt: skip
    if chosen is not None:
        moved_text(view, corpus, moved, int(moved.rows[places[chosen]]))
