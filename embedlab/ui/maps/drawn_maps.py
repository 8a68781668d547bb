"""The left and right map of a comparison, linked, and their controls; the right one morphs from the left one."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.colour_groups import Colouring
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.map_methods import map_title
from embedlab.maps import MAPS
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Clusters, cluster_levels
from embedlab.runs.vectors import dim_of
from embedlab.ui.components.form import config_form
from embedlab.ui.components.loaded_maps import both_trusts, map_caption, morph
from embedlab.ui.components.map_view import MapState
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import HEIGHT, Compared
from embedlab.ui.components.run_maps import draw, is_drawing, map_job, methods_of
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.state import dimensions_choice, named, one_of, optional_of, take_choice, tell_choice
from embedlab.ui.maps.colour_by import coloured_map, fade_by
from embedlab.ui.maps.finding import SearchHits


@dataclass(frozen=True)
class Look:
    """How both maps are drawn, whatever they show."""

    linked: bool  # the part shown is the same on both
    names: str | None  # which names are written on them: of the ``colours`` or of ``topics``
    contours: bool  # lines of density
    fade: str | None  # points fade by trust, ``true`` or ``kept``


def draw_maps(
    view: Compared, corpus: Corpus, method: str, drawn: tuple[DrawnMap, DrawnMap], groups: Colouring,
    clusters: Clusters | None, hits: SearchHits, selection: np.ndarray | None, look: Look, *,
    pointed: int | None = None,
) -> dict[str, MapState]:  # fmt: skip
    """The reader's actions on each side; for a single map, only on the right one. ``pointed`` is ringed."""
    faded = fade_by(corpus, view.run, look.fade, method=method, against=view.against)
    sides, places = (SIDES[1:], [st.container()]) if view.is_single else (SIDES, pair("maps"))
    states = {}
    zoom = zoom_asked()
    headings = [
        (title, view.corner(side, own_map)) for title, side, own_map in zip(view.titles, SIDES, drawn, strict=True)
    ]
    for side, column in zip(sides, places, strict=True):
        number = SIDES.index(side)
        own_map, bright = drawn[number], hits.bright(side)
        rows, is_right = own_map.rows, side == "after"
        with column:
            states[side] = coloured_map(
                groups,
                own_map,
                side=side,
                key=view.key(side, method),
                bright=None if bright is None else bright[rows],
                chosen=None if selection is None else selection[rows],
                fade=None if faded is None else faded[side][rows],
                marks=hits.marks[number],
                levels=cluster_levels(clusters, own_map) if clusters is not None else (),
                frames=morph(view.titles, *drawn) if is_right and not view.is_single else (),
                headings=headings if is_right and not view.is_single else headings[number : number + 1],
                names_on_map=look.names is not None and (groups.names_on_map or clusters is not None),
                caption=f"{map_caption(own_map, corpus, method)} shown.",
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
    zoomed = states["after"].view
    tell_choice(None if zoomed is None else ",".join(f"{each:.4g}" for each in zoomed), key=ZOOM, address=ZOOM)
    return states


ZOOM = "zoom"  # in the address


def zoom_asked() -> tuple[float, float, float] | None:
    """The part of the maps given in the address: x and y of its centre, and the magnification; None for all."""
    try:
        x, y, larger = map(float, st.query_params.get(ZOOM, "").split(","))
    except ValueError:
        return None
    return (x, y, larger) if np.isfinite([x, y, larger]).all() and 0.5 <= larger <= 1000 else None


def method_shown(run: RunFolder) -> str:
    """The method that the address or ``method_choice`` names, before that is drawn."""
    methods = methods_of(run)
    take_choice(methods, key="maps.method", address="method")
    if st.session_state.get("maps.method") not in methods:  # another run had places of its own
        st.session_state["maps.method"] = "tsne" if "tsne" in methods else next(iter(methods))
    return st.session_state["maps.method"]


def method_choice(run: RunFolder) -> str:
    """t-SNE, UMAP or PCA; and imported coordinates, if there are any."""
    methods, method = methods_of(run), method_shown(run)
    one_of("Method", methods, key="maps.method")
    is_first = method == ("tsne" if "tsne" in methods else next(iter(methods)))
    tell_choice(None if is_first else methods[method], key="maps.method", address="method")
    return method


CONTOURS_FROM = 20_000  # points; fewer are seen one by one


def look_choice(view: Compared, method: str, *, points: int) -> Look:
    """Names, contours, fading and the link between the maps. ``points``: of the larger map, 0 without one"""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.segmented_control(
            "Names", default="colours", help=_NAMES, key="maps.names", persist_state="session", **named(NAMES)
        )
        trusted = both_trusts(view.run, method, view.against) is not None
        fade = trusted and optional_of("Fade", _FADES, key="maps.fade", width=220,
                                       help="Points that the map shows wrongly fade.") or None  # fmt: skip
        linked = st.toggle("Move both maps together", True, key="maps.linked", persist_state="session")
        contours = points > CONTOURS_FROM and st.toggle("Density contours", True, key="maps.contours", help=_CONTOURS,
                                                        persist_state="session")  # fmt: skip
    return Look(linked, names, contours, fade)


NAMES = {"colours": "As colored", "topics": "Topics"}
_NAMES = (
    "A topic is named by words that are frequent in a cluster of texts and rare in the others (class TF-IDF). Zoom in "
    "for finer topics. Where colors have no names, topics are shown instead. Click the chosen one again for no names."
)
_CONTOURS = "Lines around the regions that hold 20, 40, 60 and 80 % of the texts shown, as far as they are not dimmed."
_FADES = {"true": "by true neighbors on the map", "kept": "by neighbors kept"}


def drawing_form(run: RunFolder, method: str) -> None:
    """The method's settings and the dimensions kept, and redrawing both maps with them."""
    schema = MAPS[method].config_class.model_json_schema() if method in MAPS else {}
    defaults = {name: field.get("default") for name, field in schema.get("properties", {}).items()}
    if not defaults:
        st.caption(f"{map_title(method) if method in MAPS else 'Imported coordinates'} has no settings.")
        return
    job, dim = map_job(run, method), dim_of(run)
    before = DrawMaps(run=run.id) if job is None else read_request(job, DrawMaps)
    filled = config_form(schema, key=f"maps.{method}", values=before.config, columns=3)
    config = {name: value for name, value in filled.values.items() if value != defaults[name]}
    dimensions = None if dim is None else dimensions_choice(dim, first=before.dimensions)
    is_same = (config, dimensions) == (before.config, before.dimensions)
    st.button(
        f"Draw {map_title(method)} with these settings",
        key=f"maps.draw-{method}",
        on_click=draw,
        args=(run, method, config, dimensions),
        disabled=bool(filled.wrong) or is_same or is_drawing(run, method),
        help="Both maps are drawn again and replace those shown; the maps of the other methods stay.",
    )
