"""The packaged example on pages that have nothing of the user's yet: what will be there, and the example's."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.example import LAYERS, TOKEN, example_run
from embedlab.figures.classes import class_changes
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.runs.store import read_result
from embedlab.ui.chart import chart
from embedlab.ui.class_tables import class_rows
from embedlab.ui.comparison import run_row
from embedlab.ui.coordinates import RunMap, load_map
from embedlab.ui.distance import by_distance, shown_distance
from embedlab.ui.nearest import SIDES, Nearest, same_label
from embedlab.ui.neighbor_view import both_lists
from embedlab.ui.packaged_example import example_needed
from embedlab.ui.result_view import numbers, titles_of
from embedlab.ui.run_view import curves
from embedlab.ui.state import corpus_of, is_dark
from embedlab.ui.table import table_height
from embedlab.ui.text import count, escaped
from embedlab.ui.words_explained import chosen_text, name_of

NEAREST = 5
_COMPARED = {TOKEN: "token layer", LAYERS: "encoder with four layers"}
_BOTH = "a token layer and a small encoder with four layers, on the same texts (`docs`)"


def example_page(page: str) -> None:
    """One sentence on what will be here, one on whose it is, and what the package holds of it."""
    sentence, shown = _PAGES[page]
    if example_run(TOKEN) is not None:
        st.write(sentence)
    run = example_needed(TOKEN, whose=_BOTH if page == "compare" else "")
    if run is not None:
        shown(run)


def _classes(run: RunFolder) -> None:
    numbers(run, read_result(run))
    found = folds_of(run, shown_distance(), only_test_texts=True)
    if found is not None:
        by = by_distance(found.distance)
        chart(class_changes(class_rows(found), measured=by, dark=is_dark()), key="example.classes")
        st.caption(f"{count(len(found.rows))} test texts, {by}. Whiskers: 95 % of the change.")


def _training(run: RunFolder) -> None:
    numbers(run, read_result(run))
    curves(run)


def _compared(_: RunFolder) -> None:
    runs = {name: example_run(kind) for kind, name in _COMPARED.items()}
    rows = [run_row(run, name, "docs", shown_distance()) for name, run in runs.items() if run is not None]
    kept = [head for head in rows[0] if any(row[head] is not None for row in rows) and head not in ("made", "state")]
    table = pa.table({head: [row[head] for row in rows] for head in kept})
    kinds = {head: st.column_config.NumberColumn(format="%.1f") for head in kept if "kNN" in head or "±" in head}
    st.dataframe(table, hide_index=True, column_config=kinds, height=table_height(len(rows)),
                 alt="Both runs of the example, one row each.")  # fmt: skip


def _neighbors(run: RunFolder) -> None:
    corpus, drawn = corpus_of(run), {side: load_map(run, side) for side in SIDES}
    chosen = None if corpus is None or None in drawn.values() else chosen_text(run, corpus, drawn["after"], "cosine")
    if chosen is None:
        return
    label, distance = corpus.labels[chosen.row], shown_distance()
    both = {side: Nearest(nearest_on_map(drawn[side], chosen.row, NEAREST), distance) for side in SIDES}
    before, after = (int(same_label(corpus, both[side].rows, label).sum()) for side in SIDES)
    said = f"{after} of the {NEAREST} texts nearest to {name_of(corpus, chosen.row)} ({label}) share its label"
    st.subheader(escaped(f"{said} after fine-tuning, {before} before.", 300), anchor=False)
    both_lists(both, corpus, label=label, titles=titles_of(run))
    st.caption("Nearest on the maps: the package holds no embeddings.")


def nearest_on_map(drawn: RunMap, row: int, k: int) -> np.ndarray:
    """The corpus rows of the k texts that lie nearest to this one.  -> (k,)"""
    own = drawn.coordinates[np.flatnonzero(drawn.rows == row)[0]]
    order = np.argsort(((drawn.coordinates - own) ** 2).sum(axis=1), kind="stable")
    return drawn.rows[order[drawn.rows[order] != row][:k]]


_PAGES = {
    "evaluate": ("Here stand a run's measures, its benchmarks, and each class before and after.", _classes),
    "neighbors": ("Here stand the texts nearest to any text, before and after.", _neighbors),
    "compare": ("Here your runs stand side by side, the best ones marked.", _compared),
    "train": ("Here kNN accuracy is drawn while an encoder trains.", _training),
}
