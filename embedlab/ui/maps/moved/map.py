"""The map on which the movers leave a trail: from their places before to those after."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.map_readings import Moves
from embedlab.ui.components.coordinates import morph
from embedlab.ui.components.map_view import map_view
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.run_maps import methods_of
from embedlab.ui.maps.colour_by import colouring
from embedlab.ui.maps.colour_by_reading import EFFECT, MOVEMENT

TRAILS = 150  # of the first in the ranking: more cover each other
HEIGHT = 460  # frame.css keeps as much free (.st-key-kept-moves)


def method_drawn(view: Compared) -> tuple[str, tuple[DrawnMap, DrawnMap]] | None:
    """The first method by which both maps are drawn, and the maps."""
    for method in methods_of(view.run):
        drawn = view.maps(method)
        if drawn is not None:
            return method, drawn
    return None


def moved_map(
    view: Compared,
    corpus: Corpus,
    found: Moves,
    positions: np.ndarray,
    members: np.ndarray | None,
    chosen: int | None,
) -> int | None:
    """Draw the right map with the trails of the ranked texts; the corpus row that is clicked."""
    known = method_drawn(view)
    if known is None:
        st.caption("The maps of these two are not drawn yet; once drawn, they show the paths of these texts.")
        return None
    method, (left, right) = known
    groups = colouring(
        corpus, view.run, EFFECT if found.facts["classes"] else MOVEMENT, method=method, against=view.against
    )
    rows = right.rows
    ways = np.zeros(corpus.info.rows, bool)
    bright = None
    if chosen is None:
        ways[found.rows[positions[:TRAILS]]] = True
        if members is not None:
            bright = np.zeros(corpus.info.rows, bool)
            bright[found.rows[members]] = True
    else:
        bright = np.zeros(corpus.info.rows, bool)
        bright[neighbors_of(found, chosen)] = True
        bright[chosen] = ways[chosen] = True
    place = np.flatnonzero(rows == chosen) if chosen is not None else []
    state = map_view(
        key=f"moves-{method}-{view.run.id}-{view.against}",
        coordinates=right.coordinates,
        categories=groups.categories[rows],
        class_names=groups.names,
        colours=groups.colours,
        without=groups.without,
        row_ids=rows,
        bright=None if bright is None else bright[rows],
        trails=ways[rows],
        frames=morph(view.titles, left, right),
        marks=[("this text", *right.coordinates[place[0]])] if len(place) else [],
        names_on_map=False,
        told=[(title, "") for title in view.titles],
        caption=_caption(chosen, int(ways[rows].sum())),
        corpus=corpus.fingerprint,
        height=HEIGHT,
    )
    if groups.note:
        st.caption(groups.note)
    return state.picked


def neighbors_of(found: Moves, row: int) -> np.ndarray:
    """Corpus rows among its ten nearest before or after."""
    place = found.position(row)
    if place is None:
        return np.empty(0, np.int64)
    near = np.concatenate([found.nearest_before[place], found.nearest_after[place]])
    return np.unique(near[near >= 0])


def _caption(chosen: int | None, trails: int) -> str:
    if chosen is not None:
        return "Bright: the text and its ten nearest before and after."
    return (
        f"Lines: the paths of the first {trails} ranked texts, from left to right map. Click a point for its neighbors."
    )
