"""Both maps side by side: what colours them, what is searched, chosen, brushed or faded, and the texts behind it."""

from html import escape

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.state import is_dark
from embedlab.ui.maps.align_on import aligned
from embedlab.ui.maps.chosen_on_maps import chosen_on_maps
from embedlab.ui.maps.colour_by import Colouring, colouring
from embedlab.ui.maps.colour_by_reading import shown_clusters, trust_line
from embedlab.ui.maps.drawn_maps import draw_maps
from embedlab.ui.maps.finding import finding
from embedlab.ui.maps.map_controls import advanced, colour_choice, method_choice
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


MOST = 12  # groups; a column of more has its legend on the map


def colour_key(groups: Colouring) -> None:
    """A dot and a name for each group that the maps show; nothing where names stand on the maps."""
    shown = np.unique(np.concatenate([groups.on("before"), groups.on("after")]))
    known = [(groups.names[group], groups.colours[group]) for group in shown if group < len(groups.names)]
    if groups.names_on_map or not 1 < len(known) <= MOST:
        return
    dots = [
        f'<span style="white-space:nowrap"><span style="color:{shades["dark" if is_dark() else "light"]}">●</span> '
        f"{escape(name)}</span>"
        for name, shades in known
    ]
    st.html(f'<div class="colour-key" style="font-size:0.85rem">{"&ensp; ".join(dots)}</div>')
