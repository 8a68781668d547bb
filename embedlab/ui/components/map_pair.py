"""The maps before and after of one run side by side on any page, or where their drawing stands; and a small map."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.map_methods import OWN_MAP
from embedlab.requests.drawing import DrawMaps
from embedlab.runs.brought import has_only_places
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.coordinates import categories_of, load_map, morph
from embedlab.ui.components.film_view import film_of, live_map
from embedlab.ui.components.map_view import map_view
from embedlab.ui.components.map_words import map_caption, titles_of
from embedlab.ui.components.run_maps import corner_of
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.state import colours_of, corpus_of


def map_pair(run: RunFolder, *, method: str = "tsne", height: int = 430, plays: bool = False) -> None:
    """Before and after side by side, or where their drawing stands; ``plays``: the slider moves once by itself."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so its maps cannot be drawn.")
        return
    if has_only_places(run):
        method = OWN_MAP
    both = [load_map(run, name, method) for name in ("before", "after")]
    if None in both:
        _wait_for_maps(run, method)
        _first_pictures(run, corpus, both[0], method, height)
        return
    corners = [
        corner_of(run, name, drawn.facts, of="kNN accuracy")
        for name, drawn in zip(("before", "after"), both, strict=True)
    ]
    told = list(zip(titles_of(run), corners, strict=True))
    sides = zip(pair("result"), ("before", "after"), both, told, strict=True)
    for place, name, drawn, (title, corner) in sides:
        with place:
            ends = morph(titles_of(run), *both) if name == "after" and both[0] is not both[1] else ()
            shown = {"name": name, "title": title, "corner": corner, "height": height, "method": method}
            _map(run, corpus, drawn, frames=ends, told=told if ends else (), plays=plays and bool(ends), **shown)


def small_map(
    run: RunFolder, corpus: Corpus, *, title: str, corner: str, height: int = 230, method: str = "tsne"
) -> bool:
    """The map after, small and without names; False where it is not drawn."""
    drawn = load_map(run, "after", method)
    if drawn is not None:
        _map(run, corpus, drawn, name="small", title=title, corner=corner, height=height, method=method, names=False)
    return drawn is not None


def _map(
    run,
    corpus: Corpus,
    drawn: DrawnMap,
    *,
    name: str,
    title: str,
    corner: str,
    height: int,
    method: str,
    names: bool = True,
    frames=(),
    told=(),
    plays: bool = False,
):
    colours = colours_of(corpus)
    map_view(
        key=f"{name}-{method}-{run.id}",
        coordinates=drawn.coordinates,
        categories=categories_of(corpus, drawn.rows),
        class_names=list(colours),
        colours=list(colours.values()),
        row_ids=drawn.rows,
        names_on_map=names,
        title=title,
        corner=corner,
        caption=map_caption(drawn, corpus, method) if names else "",
        corpus=corpus.fingerprint,
        group=f"{name if not names else 'pair'}-{run.id}",
        legend=False,
        link_zoom=names,
        still=not names,  # a browser draws sixteen others at a time
        frames=frames,
        told=told,
        plays=plays,
        height=height,
    )


def _wait_for_maps(run: RunFolder, method: str) -> None:
    job_panel(DrawMaps(run=run.id, method=method), start="Draw the maps", key=f"draw-{run.id}", primary=False)


def _first_pictures(run: RunFolder, corpus: Corpus, before: DrawnMap | None, method: str, height: int) -> None:
    """Until both maps are there: the map before, where it is drawn, and the film's last frame."""
    sides = pair("first")
    if before is not None:
        with sides[0]:
            corner = corner_of(run, "before", before.facts, of="kNN accuracy")
            shown = {"name": "before", "title": titles_of(run)[0], "corner": corner, "height": height}
            _map(run, corpus, before, method=method, **shown)
    if film_of(run) is not None:
        with sides[1]:
            live_map(run)
