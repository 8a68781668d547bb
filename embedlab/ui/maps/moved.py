"""What moved: the numbers, the ranked texts and groups with a chosen text's neighbors, and the map with trails."""

from dataclasses import replace

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import EUCLIDEAN
from embedlab.jobs.requests.drawing import MeasureMoves
from embedlab.numbers import accuracy, count, counted, percent
from embedlab.report.moved_tables import groups_table, in_order, moved_sentence, moves_table
from embedlab.report.nearest_texts import Nearest, compared_label, nearest_of_row, same_label
from embedlab.runs.drawn_map import DrawnMap, place_of_row
from embedlab.runs.map_readings import Moves
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.ui.components.listed_texts import listed, text_with_way
from embedlab.ui.components.loaded_maps import clusters, is_untrained, morph, moves, ranked
from embedlab.ui.components.nearest import SIDES, both_lists
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.run_maps import methods_of
from embedlab.ui.frame.layout import escaped, kept_place, number_row
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import AS_DRAWN, one_of, opened
from embedlab.ui.maps.colour_by import EFFECT, MOVEMENT, coloured_map, colouring

TEXTS, CLASSES, CLUSTERS = "Texts", "Classes", "Clusters"
ORDERS = {"most": "Most moved", "gained": "Gained", "lost": "Lost"}


def show_moves(view: Compared, corpus: Corpus) -> None:
    """The ranked lists, and the texts with their neighbors before and after."""
    moved = moves_needed(view)
    if moved is None:
        return
    _numbers(moved)
    kinds = [TEXTS, *([CLASSES] if moved.facts.classes else []), *([CLUSTERS] if moved.facts.clusters else [])]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = one_of("Rank", kinds, key="moves.kind", first=TEXTS)
        orders = ORDERS if moved.facts.classes else {name: ORDERS[name] for name in list(ORDERS)[:1]}
        order = one_of("By", orders, key="moves.order", first="most")
    if kind not in kinds or order not in orders:
        kind, order = TEXTS, "most"
    is_drawn = method_drawn(view) is not None
    map_box = kept_place("moves") if is_drawn else st.container()  # above the lists that decide what it shows
    _what_is_ranked(moved)
    members, label = (None, "") if kind == TEXTS else moved_groups(view, moved, kind.lower(), order)
    positions = ranked(view.run, view.against, order)
    if members is not None:
        positions = positions[members[positions]]
        line = f"**{escaped(label)}**: {count(len(positions))} of its {count(int(members.sum()))} texts are ranked."
        st.markdown(line)
    chosen = None
    if kind == TEXTS or members is not None:
        chosen = moved_texts(corpus, moved, positions, order, key=f"moves.texts-{view.run.id}-{view.against}-{kind}")
    with map_box:
        clicked = moved_map(view, corpus, moved, positions, members, chosen)
    row = clicked if chosen is None else chosen
    if row is not None:
        moved_text(view, corpus, moved, row)


def moves_needed(view: Compared) -> Moves | None:
    """What moved; if it was not measured, the button that does it, or why it cannot be."""
    if view.is_single:
        why = "Nothing was trained" if is_untrained(view.run) else "Only one file was imported"
        st.info(f"{why}, so there is one map and nothing moved. Compare it with another run.")
        return None
    moved = moves(view.run, view.against)
    if moved is not None:
        return moved
    if not all(run.embeddings(name).exists() for run, name in view.encoders):
        st.info("What moved is measured on embeddings, and this run has only coordinates of a map. Choose another run.")
        return None
    with st.container(border=True):
        st.write(
            "How many of each text's ten nearest texts changed has not been measured for these two yet. It is "
            "measured once and stored."
        )
        request = MeasureMoves(run=view.run.id, against=view.against)
        job_panel(request, start="Measure what moved", key=f"moves.measure-{view.run.id}-{view.against}")
    return None


def _numbers(measured: Moves) -> None:
    """Shares of texts with their error, the median, and the noise floor."""
    facts, row = measured.facts, number_row()
    moved = facts.moved
    of = f"Of {counted(moved.of, 'text')}."
    if moved.share is not None:
        row.metric("Moved above noise", accuracy(moved.share, moved.standard_error), help=f"{of} ± one standard error.")
        explained = (
            f"1 − shared / all of the ten nearest texts before and after {AS_DRAWN}: 0 the same ten, 1 ten others."
        )
        row.metric("Median movement", f"{facts.median:.2f}", help=explained)
    for name, each, direction in (("helped", facts.helped, "more"), ("hurt", facts.hurt, "fewer")):
        if each.share is not None:
            explained = (
                f"Of {count(each.of)} labeled texts: moved above noise, and {direction} of the ten nearest texts "
                f"are of the same class than before. ± one standard error."
            )
            row.metric(name.capitalize(), accuracy(each.share, each.standard_error), help=explained)
    floor = facts.floor
    row.metric("Noise floor", "none" if floor.value is None else f"{floor.value:.2f}", help=floor.sentence)
    if facts.labels_read and facts.classes:
        st.caption(facts.labels_read.sentence)


def _what_is_ranked(moved: Moves) -> None:
    floor = moved.facts.floor
    if floor.value is None:
        st.caption(f"{escaped(floor.sentence, 300)} So every text that moved at all is ranked {AS_DRAWN}.")
    elif not moved.above.any():
        st.caption(f"No text moved by more than noise {AS_DRAWN}, so none is ranked.")
    else:
        total, share = int(moved.above.sum()), float(moved.above.mean())
        st.caption(f"Ranked: the {count(total)} texts ({percent(share, 0)}) that moved by more than noise {AS_DRAWN}.")


TRAILS = 150  # of the first in the ranking: more cover each other
HEIGHT = 460  # frame.css keeps as much free (.st-key-kept-moves)


def method_drawn(view: Compared) -> tuple[str, tuple[DrawnMap, DrawnMap]] | None:
    """The first method with both maps drawn, and the maps."""
    for method in methods_of(view.run):
        drawn = view.maps(method)
        if drawn is not None:
            return method, drawn
    return None


def moved_map(
    view: Compared, corpus: Corpus, moved: Moves, positions: np.ndarray, members: np.ndarray | None, chosen: int | None
) -> int | None:
    """Draws the right map with the trails of the ranked texts; returns the clicked corpus row."""
    method_maps = method_drawn(view)
    if method_maps is None:
        st.caption("The maps of these two are not drawn yet; once drawn, they show the paths of these texts.")
        return None
    method, (left, right) = method_maps
    groups = colouring(
        corpus, view.run, EFFECT if moved.facts.classes else MOVEMENT, method=method, against=view.against
    )
    if chosen is None:
        trailing, bright = moved.rows[positions[:TRAILS]], None if members is None else moved.rows[members]
    else:
        trailing, position = np.array([chosen]), moved.position(chosen)
        near = [] if position is None else [moved.nearest_before[position], moved.nearest_after[position]]
        bright = np.concatenate([trailing, *near])  # with -1, which is no row, where there are fewer
    trails = np.isin(right.rows, trailing)
    lines = f"Lines: the paths of the first {counted(int(trails.sum()), 'ranked text')}, from left to right map. "
    caption = f"{lines * bool(trails.any())}Click a point for its neighbors."
    if chosen is not None:
        caption = "Bright: the text and its ten nearest before and after."
    state = coloured_map(
        groups,
        right,
        side="after",
        key=f"moves-{method}-{view.run.id}-{view.against}",
        bright=None if bright is None else np.isin(right.rows, bright),
        trails=trails,
        frames=morph(view.titles, left, right),
        marks=[] if chosen is None else place_of_row(right, chosen, "this text"),
        names_on_map=False,
        headings=[(title, "") for title in view.titles],
        caption=caption,
        corpus=corpus.fingerprint,
        height=HEIGHT,
    )
    if groups.note:
        st.caption(groups.note)
    return state.picked


def moved_texts(corpus: Corpus, moved: Moves, positions: np.ndarray, order: str, *, key: str) -> int | None:
    """Draws the table; returns the corpus row chosen in it."""
    if not len(positions):
        st.caption({"most": "No text is ranked.", "gained": "No text gained.", "lost": "No text lost."}[order])
        return None
    line = listed(
        moves_table(corpus, moved, positions[:200]), key=f"{key}-{order}", formats=_TEXT_COLUMNS, most=6,
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


def moved_text(view: Compared, corpus: Corpus, moved: Moves, row: int) -> None:
    """The text, what changed around it in one sentence, and both lists side by side."""
    position = moved.position(row)
    if position is None:
        return
    label = compared_label(corpus, row)
    text_with_way(corpus, row, key="moves", characters=600)
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
    groups, grouping = moved.facts.classes, None
    hint = "Groups of at least ten texts, with 95 % intervals over their texts."
    if kind == "clusters":
        hint += " Clusters are those of the left side, by k-means, named by their most characteristic words."
        run, of = moved.facts.clusters_of
        grouping = clusters(open_run(run), of)
        if grouping is not None and len(grouping.rows) != len(moved.rows):
            grouping = None
        names = None if grouping is None else grouping.names  # else they are numbered
        groups = [
            replace(each, name=f"cluster {int(each.name) + 1}" if names is None else names[int(each.name)])
            for each in moved.facts.clusters
        ]
    groups = in_order(groups, order)
    alt = f"{kind.capitalize()} of at least ten texts with their mean movement and class effect, one per row."
    line = listed(
        groups_table(groups, kind), key=f"moves.{kind}-{view.run.id}-{view.against}-{order}", alt=alt, formats=_COLUMNS,
        file=f"moved-{kind}.csv", hint=f"{hint} Choose a row for its texts.", most=7,
        changes={"class effect": (2, "")},
    )  # fmt: skip
    if line is None:
        return None, ""
    name = str(groups[line].name)
    if kind == "classes":
        return same_label(opened(fingerprint_of(view.run)), moved.rows, name), name
    if grouping is None:
        return np.zeros(len(moved.rows), bool), name
    return grouping.clusters == grouping.names.index(name), name


_COLUMNS = {
    "class": st.column_config.TextColumn("class", width="medium"),
    "cluster": st.column_config.TextColumn("cluster", width="medium"),
    "above noise": st.column_config.NumberColumn("above noise", format="%.0f %%"),
    "movement": st.column_config.NumberColumn("movement", format="%.2f"),
    "class effect": st.column_config.NumberColumn(
        "class effect", help="Change of the share of neighbors of the same class."
    ),
}
