"""Left and right map of a comparison, linked; the right one morphs from the left one's places to its own."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.map_readings import Clusters
from embedlab.ui.colour_by import Colouring
from embedlab.ui.colour_by_reading import fade_by
from embedlab.ui.coordinates import RunMap, morph
from embedlab.ui.map_controls import Look
from embedlab.ui.map_names import cluster_levels
from embedlab.ui.map_view import MapState, map_view
from embedlab.ui.maps.compared import Compared
from embedlab.ui.maps.finding import Found
from embedlab.ui.maps.sides import sides_of
from embedlab.ui.nearest import SIDES
from embedlab.ui.pair import pair
from embedlab.ui.result_view import map_caption
from embedlab.ui.text import percent

HEIGHT = 500


def draw_maps(
    view: Compared,
    corpus: Corpus,
    method: str,
    drawn: tuple[RunMap, RunMap],
    groups: Colouring,
    clusters: Clusters | None,
    found: Found,
    selection: np.ndarray | None,
    look: Look,
) -> dict[str, MapState]:
    """What the reader did on each side; of a single map, on the right one only."""
    faded = fade_by(corpus, view.run, look.fade, method=method, against=view.against)
    sides, places = (SIDES[1:], [st.container()]) if view.is_single else (SIDES, pair("maps"))
    states, whose = {}, sides_of(view)
    told = [(title, view.corner(side)) for title, side in zip(view.titles, SIDES, strict=True)]
    for side, place in zip(sides, places, strict=True):
        number = SIDES.index(side)
        own, bright = drawn[number], found.bright(side)
        rows, is_right = own.rows, side == "after"
        with place:
            states[side] = map_view(
                key=view.key(side, method),
                coordinates=own.coordinates,
                categories=groups.on(side)[rows],
                class_names=groups.names,
                colours=groups.colours,
                without=groups.without,
                row_ids=rows,
                bright=None if bright is None else bright[rows],
                chosen=None if selection is None else selection[rows],
                fade=None if faded is None else faded[side][rows],
                marks=found.marks[number],
                levels=cluster_levels(clusters, own) if clusters is not None and look.named else (),
                frames=morph(view.titles, *drawn) if is_right and not view.is_single else (),
                told=told if is_right and not view.is_single else told[number : number + 1],
                names_on_map=groups.names_on_map and look.named,
                caption=_caption(own, corpus, method, folds=not saw_labels(*whose[number])),
                corpus=corpus.fingerprint,
                group=view.group,
                link_zoom=look.linked,
                legend=is_right,  # one legend filters both
                height=HEIGHT,
            )
    return states


def _caption(drawn: RunMap, corpus: Corpus, method: str, *, folds: bool) -> str:
    """Method, seed and how many texts are shown; what kNN would say of the picture alone."""
    line = f"{map_caption(drawn, corpus, method)} shown."
    in_picture = drawn.facts.get("knn_in_picture") if folds else None
    return line if in_picture is None else f"{line} kNN in the picture: {percent(in_picture)}."
