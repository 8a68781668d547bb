"""The texts, classes and clusters that moved, ranked, with the neighbors of a chosen text before and after."""

from dataclasses import replace

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import EUCLIDEAN
from embedlab.metrics.movement import GroupMoves
from embedlab.report.moved_tables import groups_table, in_order, moved_sentence, moves_table
from embedlab.report.nearest_texts import Nearest, compared_label, nearest_of_row, same_label
from embedlab.runs.map_readings import Clusters, Moves
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.ui.components.listed_texts import listed, text_with_way
from embedlab.ui.components.loaded_maps import clusters
from embedlab.ui.components.nearest import SIDES, both_lists
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.state import AS_DRAWN, opened

ORDERS = {"most": "Most moved", "gained": "Gained", "lost": "Lost"}
SHOWN = 200


def moved_texts(corpus: Corpus, moved: Moves, positions: np.ndarray, order: str, *, key: str) -> int | None:
    """Draws the table; returns the corpus row chosen in it."""
    if not len(positions):
        st.caption({"most": "No text is ranked.", "gained": "No text gained.", "lost": "No text lost."}[order])
        return None
    line = listed(
        moves_table(corpus, moved, positions[:SHOWN]), key=f"{key}-{order}", formats=_TEXT_COLUMNS, most=6,
        alt="Texts that moved, one per row, in the chosen order.", file=f"{corpus.name}-{order}-moved.csv",
        whole=lambda: moves_table(corpus, moved, positions, whole=True), of=len(positions),
        hint="Choose a row to see its neighbors before and after.",
    )  # fmt: skip
    return None if line is None else int(moved.rows[positions[line]])


_TEXT_COLUMNS = {
    "movement": st.column_config.NumberColumn("movement", format="%.2f", width=90),
    "same label": st.column_config.TextColumn("same label", width=100, help="Of its ten nearest, before → after."),
    "label": st.column_config.TextColumn("label", width=170),
    "text": st.column_config.TextColumn("text", width="large"),
}


CHARACTERS = 600


def moved_text(view: Compared, corpus: Corpus, moved: Moves, row: int) -> None:
    """The text, what changed around it in one sentence, and both lists side by side."""
    position = moved.position(row)
    if position is None:
        return
    label = compared_label(corpus, row)
    text_with_way(corpus, row, key="moves", characters=CHARACTERS)
    st.subheader(moved_sentence(moved, position, view.words), anchor=False)
    near = (moved.nearest_before[position], moved.nearest_after[position])
    lists = [_with_distances(side, corpus, row, rows) for side, rows in zip(view.encoders, near, strict=True)]
    both_lists(dict(zip(SIDES, lists, strict=True)), corpus, label=label, titles=view.titles, on_pick=None)
    st.caption(f"Ten nearest texts {AS_DRAWN}.")


def _with_distances(side: tuple, corpus: Corpus, row: int, rows: np.ndarray) -> Nearest:
    """The same rows with their distances; searched among ninety, because copies may lie between them."""
    run, name = side
    rows = rows[rows >= 0]
    stored = nearest_of_row(run, name, corpus, row, k=90, distance=EUCLIDEAN)  # movement is by it
    if stored is None:
        return Nearest(rows, EUCLIDEAN)
    in_list = np.isin(stored.rows, rows)
    assert stored.distances is not None and stored.cosines is not None, "both are measured with what is stored"
    return Nearest(stored.rows[in_list], EUCLIDEAN, stored.distances[in_list], stored.cosines[in_list])


def moved_groups(view: Compared, moved: Moves, kind: str, order: str) -> tuple[np.ndarray | None, str]:
    """Draws the table of ``classes`` or ``clusters``; returns (texts,) bool of the chosen one's texts, and its name."""
    groups = in_order(moved.facts.classes if kind == "classes" else _named_clusters(moved), order)
    hint = "Groups of at least ten texts, with 95 % intervals over their texts."
    if kind == "clusters":
        hint += " Clusters are those of the left side, by k-means, named by their most characteristic words."
    alt = f"{kind.capitalize()} of at least ten texts with their mean movement and class effect, one per row."
    line = listed(
        groups_table(groups, kind), key=f"moves.{kind}-{view.run.id}-{view.against}-{order}", alt=alt, formats=_COLUMNS,
        file=f"moved-{kind}.csv", hint=f"{hint} Choose a row for its texts.", most=7,
        changes={"class effect": (2, "")},
    )  # fmt: skip
    if line is None:
        return None, ""
    name = str(groups[line].name)
    return _members(moved, kind, name, opened(fingerprint_of(view.run))), name


_COLUMNS = {
    "class": st.column_config.TextColumn("class", width="medium"),
    "cluster": st.column_config.TextColumn("cluster", width="medium"),
    "above noise": st.column_config.NumberColumn("above noise", format="%.0f %%"),
    "movement": st.column_config.NumberColumn("movement", format="%.2f"),
    "class effect": st.column_config.NumberColumn(
        "class effect", help="Change of the share of neighbors of the same class."
    ),
}


def _named_clusters(moved: Moves) -> list[GroupMoves]:
    """The ranked clusters under their words instead of their numbers."""
    grouping, groups = _clusters(moved), moved.facts.clusters
    if grouping is None:
        return [replace(each, name=f"cluster {int(each.name) + 1}") for each in groups]
    names = grouping.names
    return [replace(each, name=names[int(each.name)]) for each in groups]


def _members(moved: Moves, kind: str, name: str, corpus: Corpus) -> np.ndarray:
    if kind == "classes":
        return same_label(corpus, moved.rows, name)
    grouping = _clusters(moved)
    if grouping is None:
        return np.zeros(len(moved.rows), bool)
    return grouping.clusters == grouping.names.index(name)


def _clusters(moved: Moves) -> Clusters | None:
    run, name = moved.facts.clusters_of
    grouping = clusters(open_run(run), name)
    return grouping if grouping is not None and len(grouping.rows) == len(moved.rows) else None
