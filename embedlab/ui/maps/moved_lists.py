"""The texts, classes and clusters that moved, ranked, with the neighbors of a chosen text before and after."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import EUCLIDEAN
from embedlab.figures.text import shortened
from embedlab.numbers import count, fixed, signed
from embedlab.runs.map_readings import Clusters, GroupMoves, Moves
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.ui.components.listed_texts import csv_download
from embedlab.ui.components.loaded_maps import clusters
from embedlab.ui.components.nearest import MARKS, Nearest, list_lines, nearest_of_row, same_label
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.pick_text import heading_of, label_of, take
from embedlab.ui.frame.layout import pair, table_height
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import opened
from embedlab.ui.frame.switches import AS_DRAWN
from embedlab.ui.frame.text import escaped, show_text

ORDERS = {"most": "Most moved", "gained": "Gained", "lost": "Lost"}
SHOWN = 200
_CHARACTERS = 160


def moved_texts(corpus: Corpus, moved: Moves, positions: np.ndarray, order: str, *, key: str) -> int | None:
    """Draws the table; returns the corpus row chosen in it."""
    if not len(positions):
        st.caption({"most": "No text is ranked.", "gained": "No text gained.", "lost": "No text lost."}[order])
        return None
    listed = positions[:SHOWN]
    table = moves_table(corpus, moved, listed)
    event = st.dataframe(
        table,
        key=f"{key}-{order}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        width="stretch",
        height=table_height(len(listed), most=6),
        column_order=[name for name in table.column_names if name != "row"],
        column_config={
            "movement": st.column_config.NumberColumn("movement", format="%.2f", width=90),
            "same label": st.column_config.TextColumn(
                "same label", width=100, help="Of its ten nearest, before → after."
            ),
            "label": st.column_config.TextColumn("label", width=170),
            "text": st.column_config.TextColumn("text", width="large"),
        },
        alt="Texts that moved, one per row, in the chosen order.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"{corpus.name}-{order}-moved.csv"
        csv_download(lambda: moves_table(corpus, moved, positions, whole=True), name, "Download CSV", key=f"{key}.csv")
        caption = "Choose a row to see its neighbors before and after."
        if len(positions) > SHOWN:
            caption += f" The table has the first {count(SHOWN)}, the download all {count(len(positions))}."
        st.caption(caption)
    chosen = event.selection.rows
    return int(moved.rows[listed[chosen[0]]]) if chosen and chosen[0] < len(listed) else None


def moves_table(corpus: Corpus, moved: Moves, positions: np.ndarray, *, whole: bool = False) -> pa.Table:
    """Movement, neighbors of the same class before and after, label, and the text (its beginning, unless ``whole``)."""
    rows = moved.rows[positions]
    columns = {"row": pa.array(rows, pa.int64()), "movement": pa.array(moved.movement[positions], pa.float32())}
    if corpus.labels is not None:
        both = zip(moved.same_before[positions].tolist(), moved.same_after[positions].tolist(), strict=True)
        columns["same label"] = pa.array(["" if before < 0 else f"{before} → {after}" for before, after in both])
        columns["label"] = pa.array(corpus.labels[rows], pa.string())
    if corpus.titles is not None:
        columns["title"] = pa.array([corpus.titles[row] for row in rows], pa.string())
    texts = [corpus.texts[row] for row in rows]
    columns["text"] = pa.array(
        texts if whole else [shortened(" ".join(text[:600].split()), _CHARACTERS) for text in texts]
    )
    return pa.table(columns)


CHARACTERS = 600


def moved_text(view: Compared, corpus: Corpus, moved: Moves, row: int) -> None:
    """The text, what changed around it in one sentence, and both lists side by side."""
    position = moved.position(row)
    if position is None:
        return
    label = label_of(corpus, row)
    with st.container(border=True, gap="small"):
        if heading := heading_of(corpus, row):
            st.markdown(heading)
        show_text(corpus.texts[row], characters=CHARACTERS)
        if st.button("Show its nearest texts", key="moves.nearest"):
            take(row)
            go_to("neighbors")
    line = moved_sentence(moved, position, view.words)
    st.subheader(line, anchor=False)
    both = (moved.nearest_before[position], moved.nearest_after[position])
    for side, near, other, name, spot in zip(
        view.encoders, both, reversed(both), view.titles, pair("moved"), strict=True
    ):
        with spot:
            st.markdown(f"**{escaped(name)}**")
            rows = near[near >= 0]
            nearest = _with_distances(side, corpus, row, rows)
            mark = MARKS["before" if near is both[0] else "after"]
            lines = list_lines(corpus, nearest, label=label, mark=mark, marked=~np.isin(nearest.rows, other))
            st.markdown("\n".join(lines) or "No text is near it.")
    st.caption(f"Ten nearest texts {AS_DRAWN}.")


def moved_sentence(moved: Moves, position: int, words: tuple[str, str]) -> str:
    """``Movement 0.82: 3 of its ten nearest texts stayed. 8 share its label after, 2 before: +6.``"""
    before, after = moved.nearest_before[position], moved.nearest_after[position]
    stayed = int(np.isin(after[after >= 0], before).sum())
    line = f"Movement {moved.movement[position]:.2f}: {stayed} of its ten nearest texts stayed."
    was, now = int(moved.same_before[position]), int(moved.same_after[position])
    if was < 0:
        return line
    change = signed(now - was) if now != was else "no change"
    return f"{line} {now} share its label {words[1]}, {was} {words[0]}: {change}."


def _with_distances(side: tuple, corpus: Corpus, row: int, rows: np.ndarray) -> Nearest:
    """The same rows with their distances; searched among ninety, because copies may lie between them."""
    run, name = side
    stored = nearest_of_row(run, name, corpus, row, k=90, distance=EUCLIDEAN)  # movement is by it
    if stored is None:
        return Nearest(rows, EUCLIDEAN)
    in_list = np.isin(stored.rows, rows)
    assert stored.distances is not None and stored.cosines is not None, "both are measured with what is stored"
    return Nearest(stored.rows[in_list], EUCLIDEAN, stored.distances[in_list], stored.cosines[in_list])


def moved_groups(view: Compared, moved: Moves, kind: str, order: str) -> tuple[np.ndarray | None, str]:
    """Draws the table of ``classes`` or ``clusters``; returns (texts,) bool of the chosen one's texts, and its name."""
    groups, names = _groups(moved, kind), _names(moved, kind)
    rows = in_order([{**row, "name": names[number]} for number, row in enumerate(groups)], order)
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
        csv_download(lambda: table, f"moved-{kind}.csv", "Download CSV", key=f"moves.{kind}.csv")
        caption = "Groups of at least ten texts, with 95 % intervals over their texts."
        if kind == "clusters":
            caption += " Clusters are those of the left side, by k-means, named by their most characteristic words."
        st.caption(caption + " Choose a row for its texts.")
    chosen = event.selection.rows
    if not chosen or chosen[0] >= len(rows):
        return None, ""
    return _members(moved, kind, rows[chosen[0]], opened(fingerprint_of(view.run))), rows[chosen[0]]["name"]


def in_order(rows: list[dict], order: str) -> list[dict]:
    """Most moved first, or by class effect; for gained and lost only those whose interval excludes 0 on that side."""
    if order == "most":
        return sorted(rows, key=lambda row: -row["movement"][0])
    sign = 1 if order == "gained" else -1
    clear = [row for row in rows if row["effect"] is not None and min(sign * bound for bound in row["effect"][1:]) > 0]
    return sorted(clear, key=lambda row: -sign * row["effect"][0])


def groups_table(rows: list[dict], kind: str) -> pa.Table:
    """One row per group: mean movement and class effect with their intervals."""
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
    return " … ".join(fixed(bound, 2) for bound in of[1:])


def _names(moved: Moves, kind: str) -> list[str]:
    """The names of the ranked groups, in order."""
    if kind == "classes":
        return [str(row["name"]) for row in moved.facts["classes"]]
    grouping, numbers = _clusters(moved), [int(row["name"]) for row in moved.facts["clusters"]]
    return [f"cluster {number + 1}" if grouping is None else grouping.names[number] for number in numbers]


def _groups(moved: Moves, kind: str) -> list[GroupMoves]:
    return moved.facts["classes"] if kind == "classes" else moved.facts["clusters"]


def _members(moved: Moves, kind: str, row: dict, corpus: Corpus) -> np.ndarray:
    if kind == "classes":
        return same_label(corpus, moved.rows, str(row["name"]))
    grouping = _clusters(moved)
    if grouping is None:
        return np.zeros(len(moved.rows), bool)
    return grouping.clusters == grouping.names.index(row["name"])


def _clusters(moved: Moves) -> Clusters | None:
    run, name = moved.facts["clusters_of"]
    grouping = clusters(open_run(run), name)
    return grouping if grouping is not None and len(grouping.rows) == len(moved.rows) else None
