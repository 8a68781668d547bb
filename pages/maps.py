"""Maps before and after side by side: colour, search, lasso, and the texts that were chosen."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_result
from embedlab.ui.chosen_texts import chosen_texts, counted
from embedlab.ui.colour_by import colouring
from embedlab.ui.coordinates import RunMap
from embedlab.ui.map_controls import advanced, colour_choice, method_choice
from embedlab.ui.map_view import MapState, map_view
from embedlab.ui.navigation import go_to
from embedlab.ui.page import page_head, run_needed, what_am_i_looking_at
from embedlab.ui.pair import pair
from embedlab.ui.pick_text import take
from embedlab.ui.result_view import map_caption
from embedlab.ui.run_maps import (
    SIDES,
    TITLES,
    both_maps,
    corpus_needed,
    knn_corner,
    show_drawing,
)
from embedlab.ui.text import percent
from embedlab.ui.text_search import matches

HEIGHT = 500


def explore(run: RunFolder, corpus: Corpus) -> None:
    """Controls, both maps, and the chosen texts; drawn anew without the rest of the page."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = method_choice()
        choice = colour_choice(corpus, run)
        typed = st.text_input("Search", key="maps.search", placeholder="Part of a text", persist_state="session")
    linked, named = advanced(run, method)
    drawn = both_maps(run, method)
    show_drawing(run, method, there=drawn is not None)
    if drawn is None:
        return
    groups, found = colouring(corpus, run, choice), matches(corpus, typed)
    result = read_result(run)
    states = {}
    for side, place in zip(SIDES, pair("maps"), strict=True):
        rows = drawn[side].rows
        with place:
            states[side] = map_view(
                key=f"maps-{side}-{method}-{run.id}",
                coordinates=drawn[side].coordinates,
                categories=groups.categories[rows],
                class_names=groups.names,
                colours=groups.colours,
                without=groups.without,
                row_ids=rows,
                bright=None if found is None else found[rows],
                names_on_map=groups.names_on_map and named,
                title=TITLES[side],
                corner=knn_corner(result, side),
                caption=_caption(drawn[side], corpus, method),
                corpus=corpus.fingerprint,
                group=f"maps-{run.id}",
                link_zoom=linked,
                legend=side == "after",  # one legend filters both
                height=HEIGHT,
            )
    if groups.note:
        st.caption(groups.note)
    _chosen(corpus, drawn, states, groups.categories, found, typed)


def _caption(drawn: RunMap, corpus: Corpus, method: str) -> str:
    """Method, seed and how many texts are shown; what kNN would say of the picture alone."""
    line = f"{map_caption(drawn, corpus, method)} shown."
    in_picture = drawn.facts.get("knn_in_picture")
    return line if in_picture is None else f"{line} kNN in the picture: {percent(in_picture)}."


def _chosen(
    corpus: Corpus,
    drawn: dict[str, RunMap],
    states: dict[str, MapState],
    categories: np.ndarray,
    found: np.ndarray | None,
    typed: str,
) -> None:
    """The texts in the lasso, or what the search found; and the way from a clicked text to its neighbors."""
    picked = next((state.picked for state in states.values() if state.picked is not None), None)
    if picked is not None and st.button("Show the nearest texts of the clicked one", key="maps.nearest"):
        take(picked)
        go_to("neighbors")
    side = next((side for side in SIDES if states[side].selection is not None), None)
    if side is not None:
        rows, own = drawn[side].rows, categories[drawn[side].rows]
        shows = states["after"].shows(categories)  # the legend lies on the map after
        inside = rows[states[side].selected(drawn[side].coordinates, own)]
        inside = inside[shows[inside]]
        chosen = inside if found is None else inside[found[inside]]
        line = counted(len(chosen), "in the lasso", typed, len(inside))
    elif found is not None:
        chosen = np.flatnonzero(found & ~corpus.excluded)
        line = counted(len(chosen), "of this corpus", typed, corpus.info.texts)
    else:
        st.caption("Draw a lasso with its tool, or with Shift held, to list the texts inside.")
        return
    st.write(line)
    if len(chosen):
        chosen_texts(corpus, chosen, key="maps.chosen")


page_head("Maps", "Which texts lie together before and after fine-tuning?")
run = run_needed()
st.fragment(explore, key=f"maps-{run.id}")(run, corpus_needed(run))
what_am_i_looking_at(
    "Every point is a text; t-SNE, UMAP and PCA place texts with similar embeddings side by side. Axes and distances "
    "between groups mean little, neighborhoods mean much. The map after starts from the map before, so that what "
    "stayed in place is similar. kNN accuracy in the corner is that of the embeddings, not of the picture: the share "
    "of test texts whose ten nearest train texts vote for their label, ± one standard error. Labels only colour the "
    "points; neither the encoder nor the map has seen them.",
    "Crops paper, section 4.1 and Figure 1.",
)
