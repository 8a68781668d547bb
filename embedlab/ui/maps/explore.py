"""Both maps side by side: what colours them, what is searched, chosen, brushed or faded, and the texts behind it."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.colour_by import colouring
from embedlab.ui.colour_by_reading import shown_clusters, trust_line
from embedlab.ui.colour_key import colour_key
from embedlab.ui.map_controls import advanced, colour_choice, method_choice
from embedlab.ui.maps.align_on import aligned
from embedlab.ui.maps.chosen_on_maps import chosen_on_maps
from embedlab.ui.maps.compared import Compared
from embedlab.ui.maps.drawn_maps import draw_maps
from embedlab.ui.maps.finding import finding
from embedlab.ui.maps.selections import opened_selection
from embedlab.ui.maps.strip import strip


def explore(view: Compared, corpus: Corpus) -> None:
    """Controls, both maps, and the chosen texts; drawn anew without the rest of the page."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = method_choice(view.run)
        choice = colour_choice(corpus, view, method)
        found = finding(view, corpus, method)
        look = advanced(view, corpus, method)
    selection = opened_selection(corpus)
    drawn = view.maps(method)
    view.show_drawing(method, there=drawn is not None)
    if drawn is None:
        return
    drawn = aligned(view, drawn)
    groups = colouring(corpus, view.run, choice, method=method, against=view.against)
    clusters = shown_clusters(view.run, choice, method, view.against)
    states = draw_maps(view, corpus, method, drawn, groups, clusters, found, selection, look)
    colour_key(groups)
    brushed = strip(view, corpus, look.strip, method)
    for line in (groups.note, trust_line(view.run, method, view.against)):
        if line:
            st.caption(line)
    chosen_on_maps(view, corpus, method, drawn, states, groups, found, brushed)
