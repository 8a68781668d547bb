"""Both maps side by side: colour, search, selections, lasso, morph, and the texts that were chosen."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.store import read_result
from embedlab.ui.chosen_texts import chosen_texts, counted
from embedlab.ui.colour_by import Colouring, colouring
from embedlab.ui.coordinates import RunMap
from embedlab.ui.map_controls import advanced, colour_choice, method_choice
from embedlab.ui.map_view import MapState, map_view
from embedlab.ui.maps.compared import Compared, shared_places
from embedlab.ui.maps.finding import Found, finding
from embedlab.ui.maps.selections import keep_selection, opened_selection
from embedlab.ui.maps.two_texts import two_texts
from embedlab.ui.navigation import go_to
from embedlab.ui.pair import pair
from embedlab.ui.pick_text import take
from embedlab.ui.result_view import map_caption
from embedlab.ui.run_maps import SIDES, knn_corner, show_drawing
from embedlab.ui.text import percent

HEIGHT = 500


def explore(view: Compared, corpus: Corpus) -> None:
    """Controls, both maps, and the chosen texts; drawn anew without the rest of the page."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = method_choice()
        choice = colour_choice(corpus, view.run)
        found = finding(view, corpus, method)
    linked, named = advanced(view.run, method)
    selection = opened_selection(corpus)
    drawn = view.maps(method)
    show_drawing(view.run, method, there=drawn is not None)
    if drawn is None:
        return
    groups = colouring(corpus, view.run, choice)
    states = draw_maps(view, corpus, method, drawn, groups, found, selection, linked=linked, named=named)
    if groups.note:
        st.caption(groups.note)
    _chosen(view, corpus, drawn, states, groups.categories, found)


def draw_maps(
    view: Compared,
    corpus: Corpus,
    method: str,
    drawn: tuple[RunMap, RunMap],
    groups: Colouring,
    found: Found,
    selection: np.ndarray | None,
    *,
    linked: bool,
    named: bool,
) -> dict[str, MapState]:
    """Left and right, linked; the right one morphs from the left one's places to its own."""
    result, states = read_result(view.run), {}
    for side, place, own, title, marks in zip(SIDES, pair("maps"), drawn, view.titles, found.marks, strict=True):
        rows = own.rows
        with place:
            states[side] = map_view(
                key=f"maps-{side}-{method}-{view.run.id}",
                coordinates=own.coordinates,
                categories=groups.categories[rows],
                class_names=groups.names,
                colours=groups.colours,
                without=groups.without,
                row_ids=rows,
                bright=None if found.rows is None else found.rows[rows],
                chosen=None if selection is None else selection[rows],
                marks=marks,
                names_on_map=groups.names_on_map and named,
                title=title,
                corner=knn_corner(result, side),
                caption=_caption(own, corpus, method),
                corpus=corpus.fingerprint,
                group=f"maps-{view.run.id}",
                link_zoom=linked,
                legend=side == "after",  # one legend filters both
                height=HEIGHT,
                **({"frames": morph(view.titles, *drawn)} if side == "after" else {}),
            )
    return states


def morph(titles: tuple[str, str], left: RunMap, right: RunMap) -> list[tuple[str, np.ndarray]]:
    """The two ends of the slider, for the texts of the right map; one without a place on the left does not move."""
    rows, on_left, _ = shared_places(left, right)
    start = right.coordinates.copy()
    start[np.searchsorted(right.rows, rows)] = on_left
    return [(titles[0], start), (titles[1], right.coordinates)]


def _caption(drawn: RunMap, corpus: Corpus, method: str) -> str:
    """Method, seed and how many texts are shown; what kNN would say of the picture alone."""
    line = f"{map_caption(drawn, corpus, method)} shown."
    in_picture = drawn.facts.get("knn_in_picture")
    return line if in_picture is None else f"{line} kNN in the picture: {percent(in_picture)}."


def _chosen(
    view: Compared,
    corpus: Corpus,
    drawn: tuple[RunMap, RunMap],
    states: dict[str, MapState],
    categories: np.ndarray,
    found: Found,
) -> None:
    """The texts in the lasso, or what the search found; and what is known of the clicked ones."""
    _clicked(view, corpus, states)
    side = next((side for side in SIDES if states[side].selection is not None), None)
    if side is not None:
        own = drawn[SIDES.index(side)]
        shows = states["after"].shows(categories)  # the legend lies on the map after
        inside = own.rows[states[side].selected(own.coordinates, categories[own.rows])]
        inside = inside[shows[inside]]
        chosen = inside if found.rows is None else inside[found.rows[inside]]
        line = counted(len(chosen), "in the lasso", found.typed, len(inside))
    elif found.rows is not None:
        chosen = np.flatnonzero(found.rows & ~corpus.excluded)
        line = counted(len(chosen), "of this corpus", found.typed, corpus.info.texts)
    else:
        st.caption("Draw a lasso with its tool, or with Shift held, to list the texts inside.")
        return
    st.write(line)
    if len(chosen):
        chosen_texts(corpus, chosen, key="maps.chosen")
        keep_selection(view, corpus, chosen, suggested=found.typed)


def _clicked(view: Compared, corpus: Corpus, states: dict[str, MapState]) -> None:
    """The way from a clicked text to its neighbors; of two clicked ones what lies between them."""
    clicked = next((state for state in states.values() if state.picked is not None), None)
    if clicked is None:
        return
    if clicked.second is not None:
        two_texts(view, corpus, clicked.picked, clicked.second)
    elif st.button("Show the nearest texts of the clicked one", key="maps.nearest"):
        take(clicked.picked)
        go_to("neighbors")
