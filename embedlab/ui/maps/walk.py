"""A walk from neighbor to neighbor: the nearest texts of a clicked one beside the maps, each of them the next step."""

from dataclasses import replace

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.report.nearest_texts import Nearest, compared_label, nearest_in_picture, same_label
from embedlab.runs.drawn_map import DrawnMap, dots, place_of_row
from embedlab.ui.components.map_view import MapState
from embedlab.ui.components.nearest import heading_of, take
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.layout import escaped, show_error, show_text
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import by_distance
from embedlab.ui.maps.finding import SearchHits, nearest_of_both

LISTED = 10
NEW = f"not among the {LISTED}"
KEY = "maps.walk"


def walked(view: Compared, method: str) -> int | None:
    """The corpus row beside the maps: of the latest click, or of the walk since then."""
    clicks = [state.get("picked") for state in view.states(method).values()]
    walk = st.session_state.get(KEY)
    if walk is None or walk["of"] != (view.group, method):
        walk = {"of": (view.group, method), "clicks": [None, None], "rows": []}
    clicked = [row for row, before in zip(clicks, walk["clicks"], strict=True) if row is not None and row != before]
    if clicked and clicked[0] not in walk["rows"][-1:]:
        walk = walk | {"rows": [*walk["rows"], int(clicked[0])]}
    elif clicks == [None, None] != walk["clicks"]:
        walk = walk | {"rows": []}  # the click was taken back
    st.session_state[KEY] = walk | {"clicks": clicks}
    return walk["rows"][-1] if walk["rows"] else None


def with_marks(
    view: Compared, corpus: Corpus, drawn: tuple[DrawnMap, DrawnMap], hits: SearchHits, row: int | None
) -> SearchHits:
    """The marks on the maps: the walk's text and its neighbors."""
    near = None if row is None else _near(view, corpus, drawn, row)
    if row is None or near is None:
        return hits
    left, right = (
        (*marks_of_side, *dots(each, side.rows[:LISTED]), *place_of_row(each, row, "this text"))
        for marks_of_side, each, side in zip(hits.marks, drawn, near, strict=True)
    )
    return replace(hits, marks=(left, right))


def walk_panel(
    view: Compared, corpus: Corpus, drawn: tuple[DrawnMap, DrawnMap], states: dict[str, MapState], row: int | None
) -> None:
    """The text, its neighbors by the right encoder with their rank by the left one, and Back."""
    if row is None or any(state.second is not None for state in states.values()):
        return
    walk = st.session_state[KEY]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Back", key="maps.walk-back", icon=":material/arrow_back:", disabled=len(walk["rows"]) < 2,
                  on_click=_keep, args=(walk["rows"][:-1],), type="tertiary")  # fmt: skip
        st.button("Close", key="maps.walk-close", on_click=_keep, args=([],), type="tertiary")
    label = compared_label(corpus, row)
    if heading := heading_of(corpus, row):
        st.markdown(heading)
    show_text(corpus.texts[row], characters=180)
    try:
        near = _near(view, corpus, drawn, row)
    except EmbedlabError as error:
        show_error(error)
        return
    if near is None:
        return
    before, after = near
    st.caption(_summary(view, corpus, near, label))
    same = same_label(corpus, after.rows[:LISTED], label)
    with st.container(gap=None, key="maps-walk-list"):
        for position, next_row in enumerate(after.rows[:LISTED].tolist()):
            earlier = np.flatnonzero(before.rows[:LISTED] == next_row)
            rank = f"rank {earlier[0] + 1}" if len(earlier) else NEW
            mark = ""
            if label is not None:
                mark = ":green[✓]" if same[position] else f"✗ {escaped(corpus.label(next_row), 24)} ·"
            came = ":blue-badge[new]" if rank == NEW and not view.is_single else ""
            parts = [f"{position + 1}\\.", came, mark, escaped(corpus.title(next_row) or corpus.texts[next_row], 60)]
            tip = [] if view.is_single else [f"Rank {position + 1}, {_elsewhere(view)} {rank}."]
            tip.append(escaped(corpus.texts[next_row], 300))
            st.button(" ".join(filter(None, parts)), key=f"maps.walk-{position}", help=" ".join(tip), type="tertiary",
                      on_click=_step, args=(next_row,))  # fmt: skip
    if st.button("Open in Neighbors", key="maps.nearest", type="tertiary"):
        take(row)
        go_to("neighbors")


def _step(row: int) -> None:
    """Go to this corpus row."""
    _keep([*st.session_state[KEY]["rows"], row])
    take(row)


def _keep(rows: list[int]) -> None:
    """Make these the rows of the walk so far."""
    st.session_state[KEY] = st.session_state[KEY] | {"rows": rows}


def _near(view: Compared, corpus: Corpus, drawn: tuple[DrawnMap, DrawnMap], row: int) -> tuple[Nearest, Nearest] | None:
    """The nearest texts left and right; with coordinates alone, the nearest on the maps. None until they arrive."""
    if all(run.embeddings(name).exists() for run, name in view.encoders):
        return nearest_of_both(view, corpus, row)
    left, right = (nearest_in_picture(each, row, LISTED) for each in drawn)
    return left, right


def _summary(view: Compared, corpus: Corpus, near: tuple[Nearest, Nearest], label: str | None) -> str:
    """How many of the nearest share its label, left and right; and the distance used."""
    left, right = (each.rows[:LISTED] for each in near)
    by = "on the map" if near[1].is_picture else by_distance(near[1].distance)
    if not len(right):
        return "This text has no vector, so nothing is near it."
    stayed = int(np.isin(right, left).sum())
    summary = f"{stayed} of its {len(right)} nearest texts {by} were among them {_elsewhere(view)}."
    if view.is_single:
        summary = f"Its {len(right)} nearest texts {by}."
    if label is None:
        return summary
    same = [int(same_label(corpus, rows, label).sum()) for rows in (left, right)]
    other_side = "" if view.is_single else f", {same[0]} of {len(left)} {_elsewhere(view)}"
    return f"{summary} {same[1]} of {len(right)} share its label{other_side}."


def _elsewhere(view: Compared) -> str:
    """The other side in a sentence."""
    return "before" if view.other is None else "on the left"
