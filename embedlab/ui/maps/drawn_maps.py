"""Left and right map of a comparison, linked; the right one morphs from the left one's places to its own."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.palette import NO_CLASS
from embedlab.plane import densest_places
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.map_readings import Clusters
from embedlab.ui.components.coordinates import morph
from embedlab.ui.components.map_view import MapState, map_view
from embedlab.ui.components.map_words import map_caption
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.text import percent
from embedlab.ui.frame.views.switches import tell_choice
from embedlab.ui.maps.colour_by import Colouring
from embedlab.ui.maps.colour_by_reading import fade_by
from embedlab.ui.maps.finding import SearchHits
from embedlab.ui.maps.map_controls import Look

HEIGHT = 500


def draw_maps(
    view: Compared,
    corpus: Corpus,
    method: str,
    drawn: tuple[DrawnMap, DrawnMap],
    groups: Colouring,
    clusters: Clusters | None,
    found: SearchHits,
    selection: np.ndarray | None,
    look: Look,
    *,
    pointed: int | None = None,
) -> dict[str, MapState]:
    """What the reader did on each side; of a single map, on the right one only. ``pointed`` is ringed."""
    faded = fade_by(corpus, view.run, look.fade, method=method, against=view.against)
    sides, places = (SIDES[1:], [st.container()]) if view.is_single else (SIDES, pair("maps"))
    states, whose = {}, view.encoders
    zoom = zoom_asked()
    told = [(title, view.corner(side, own)) for title, side, own in zip(view.titles, SIDES, drawn, strict=True)]
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
                levels=cluster_levels(clusters, own) if clusters is not None else (),
                frames=morph(view.titles, *drawn) if is_right and not view.is_single else (),
                told=told if is_right and not view.is_single else told[number : number + 1],
                names_on_map=look.names is not None and (groups.names_on_map or clusters is not None),
                caption=_caption(own, corpus, method, folds=not saw_labels(*whose[number])),
                corpus=corpus.fingerprint,
                pointed=pointed,
                view=zoom,
                keeps_view=is_right,
                group=view.group,
                link_zoom=look.linked,
                bar=groups.bar,
                contours=look.contours,
                legend=is_right and groups.bar is None,  # one legend filters both
                height=HEIGHT,
            )
    shown = states["after"].view
    tell_choice(None if shown is None else ",".join(f"{each:.4g}" for each in shown), key=ZOOM, address=ZOOM)
    return states


ZOOM = "zoom"  # in the address


def zoom_asked() -> tuple[float, float, float] | None:
    """The part of the maps that the address asks for: x and y of its middle, and how much larger; None for all."""
    try:
        x, y, larger = map(float, st.query_params.get(ZOOM, "").split(","))
    except ValueError:
        return None
    return (x, y, larger) if np.isfinite([x, y, larger]).all() and 0.5 <= larger <= 1000 else None


def _caption(drawn: DrawnMap, corpus: Corpus, method: str, *, folds: bool) -> str:
    """Method, seed and how many texts are shown; what kNN would say of the picture alone."""
    line = f"{map_caption(drawn, corpus, method)} shown."
    in_picture = drawn.facts.knn_in_picture if folds else None
    return line if in_picture is None else f"{line} kNN in the picture: {percent(in_picture)}, over ten folds."


Name = tuple[str, float, float, float]  # name, x, y, weight


def cluster_levels(found: Clusters, drawn: DrawnMap) -> list[list[Name]]:
    """Topics at two grains, by keywords: coarser groups and clusters, or of few clusters these and their parts."""
    levels = []
    if found.coarse_names:
        levels.append(named_places(_on(drawn, found.rows, found.coarse), found.coarse_names, drawn.coordinates))
    levels.append(named_places(_on(drawn, found.rows, found.clusters), found.names, drawn.coordinates))
    if found.fine is not None and found.fine_names:
        levels.append(named_places(_on(drawn, found.rows, found.fine), found.fine_names, drawn.coordinates))
    return levels


def named_places(groups: np.ndarray, names: list[str], coordinates: np.ndarray) -> list[Name]:
    """Each group's name where most of its points lie, weighted by their number, the largest first.

    groups: (points,) index of a name, others have none; coordinates: (points, 2)
    """
    places = densest_places(coordinates, groups, len(names))
    found = [
        (name, float(x), float(y), float(size))
        for name, (x, y), size in zip(names, places.middles, places.sizes, strict=True)
        if size
    ]
    return sorted(found, key=lambda each: -each[3])


def _on(drawn: DrawnMap, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The group of each point of a map, NO_CLASS where it has none."""
    every = np.full(max(drawn.rows.max(initial=0), rows.max(initial=0)) + 1, NO_CLASS, np.int64)
    every[rows] = np.where(groups < 0, NO_CLASS, groups)
    return every[drawn.rows]
