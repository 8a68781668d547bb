"""Classes and clusters ranked by how far their texts moved, with 95 % intervals; a chosen one narrows the texts."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.map_readings import Moves
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.ui.components.listed_texts import take_away_csv
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.readings import clusters
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.opened import opened


def moved_groups(view: Compared, found: Moves, kind: str, order: str) -> tuple[np.ndarray | None, str]:
    """Draw the table of ``classes`` or ``clusters``; (texts,) bool of the chosen one's texts, and its name."""
    rows, names = found.facts[kind], _names(found, kind)
    rows = in_order([{**row, "name": names[place]} for place, row in enumerate(rows)], order)
    table = groups_table(rows, kind)
    event = st.dataframe(
        table,
        key=f"moves.{kind}-{view.run.id}-{view.against}-{order}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        width="stretch",
        height=table_height(len(rows), most=7),
        column_config=_COLUMNS,
        alt=f"{kind.capitalize()} of at least ten texts with their mean movement and class effect, one per row.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away_csv(lambda: table, f"moved-{kind}.csv", "Download CSV", key=f"moves.{kind}.csv")
        caption = "Groups of at least ten texts, with 95 % intervals over their texts."
        if kind == "clusters":
            caption += " Clusters are those of the left side, by k-means, named by their most characteristic words."
        st.caption(caption + " Choose a row for its texts.")
    chosen = event.selection.rows
    if not chosen or chosen[0] >= len(rows):
        return None, ""
    return _members(found, kind, rows[chosen[0]], opened(fingerprint_of(view.run))), rows[chosen[0]]["name"]


def in_order(rows: list[dict], order: str) -> list[dict]:
    """Most moved first, or by class effect; of gained and lost only those whose interval leaves 0 on that side."""
    if order == "most":
        return sorted(rows, key=lambda row: -row["movement"][0])
    sign = 1 if order == "gained" else -1
    clear = [row for row in rows if row["effect"] is not None and min(sign * bound for bound in row["effect"][1:]) > 0]
    return sorted(clear, key=lambda row: -sign * row["effect"][0])


def groups_table(rows: list[dict], kind: str) -> pa.Table:
    """One group a row: mean movement and class effect with their intervals."""
    columns = {
        "class" if kind == "classes" else "cluster": [row["name"] for row in rows],
        "texts": [row["texts"] for row in rows],
        "above noise": [100 * row["above"] / row["texts"] for row in rows],
        "movement": [row["movement"][0] for row in rows],
        "95 %": [_interval(row["movement"]) for row in rows],
    }
    if any(row["effect"] is not None for row in rows):
        columns["class effect"] = [None if row["effect"] is None else row["effect"][0] for row in rows]
        columns["95 % of the effect"] = ["" if row["effect"] is None else _interval(row["effect"]) for row in rows]
    return pa.table(columns)


_COLUMNS = {
    "class": st.column_config.TextColumn("class", width="medium"),
    "cluster": st.column_config.TextColumn("cluster", width="medium"),
    "above noise": st.column_config.NumberColumn("above noise", format="%.0f %%"),
    "movement": st.column_config.NumberColumn("movement", format="%.2f"),
    "class effect": st.column_config.NumberColumn(
        "class effect", format="%+.2f", help="Change of the share of neighbors of the same class."
    ),
}


def _interval(of: list[float]) -> str:
    """``0.21 … 0.27``"""
    return " … ".join(f"{round(bound, 2) + 0.0:.2f}".replace("-", "−") for bound in of[1:])


def _names(found: Moves, kind: str) -> list[str]:
    """Of the ranked groups, in their order."""
    rows = found.facts[kind]
    if kind == "classes":
        return [row["name"] for row in rows]
    known = _clusters(found)
    return [f"cluster {row['name'] + 1}" if known is None else known.names[row["name"]] for row in rows]


def _members(found: Moves, kind: str, row: dict, corpus: Corpus) -> np.ndarray:
    if kind == "classes":
        return corpus.labels[found.rows] == row["name"]
    known = _clusters(found)
    if known is None:
        return np.zeros(len(found.rows), bool)
    return known.clusters == known.names.index(row["name"])


def _clusters(found: Moves):
    run, name = found.facts["clusters_of"]
    known = clusters(open_run(run), name)
    return known if known is not None and len(known.rows) == len(found.rows) else None
