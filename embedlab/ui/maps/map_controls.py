"""The controls of the maps: method, colour, and under Advanced how they look and the method's settings."""

from dataclasses import dataclass

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.map_methods import map_title
from embedlab.maps import MAPS
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.form import changed, config_form
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.readings import both_trusts
from embedlab.ui.components.run_maps import draw, drawn_with, is_drawing, methods_of
from embedlab.ui.frame.views.switches import take_choice, tell_choice
from embedlab.ui.maps.colour_by import choices


def method_choice(run: RunFolder) -> str:
    """t-SNE, UMAP or PCA; and the places that were brought, where there are some."""
    methods = methods_of(run)
    first = "tsne" if "tsne" in methods else next(iter(methods))
    take_choice(methods, key="maps.method", address="method")
    if st.session_state.get("maps.method") not in methods:
        st.session_state["maps.method"] = first  # another run had places of its own
    chosen = st.segmented_control(
        "Method", list(methods), format_func=methods.get, key="maps.method", persist_state="session"
    )
    tell_choice(None if chosen in (None, first) else methods[chosen], key="maps.method", address="method")
    return chosen or first


@dataclass(frozen=True)
class Look:
    """How both maps are drawn, whatever they show."""

    linked: bool  # the part shown is the same on both
    names: str | None  # which names are written on them: of the ``colours`` or of ``topics``
    contours: bool  # lines of density
    fade: str | None  # points fade by trust, ``true`` or ``kept``


def colour_choice(corpus: Corpus, view: Compared, method: str) -> str | None:
    """What colours the points, or None where nothing can."""
    found = choices(corpus, view.run, method=method, against=view.against)
    if not found:
        return None
    take_choice(found, key="maps.colour", address="colour")
    if st.session_state.get("maps.colour") not in found:
        st.session_state.pop("maps.colour", None)  # a column of another run's corpus
    chosen = st.selectbox("Colour", list(found), format_func=found.get, key="maps.colour", persist_state="session")
    tell_choice(None if chosen == next(iter(found)) else found[chosen], key="maps.colour", address="colour")
    return chosen


CONTOURS_FROM = 20_000  # points; fewer are seen one by one


def advanced(view: Compared, method: str, *, points: int) -> Look:
    """How the maps look; the method's settings, and drawing anew with them. ``points``: of the larger map, 0 of none"""
    with st.popover("Advanced", width="content"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            trusted = both_trusts(view.run, method, view.against) is not None
            fade = _one_of("Fade", _FADES, "maps.fade", "Points that the map shows wrongly fade.") if trusted else None
            linked = st.toggle("Move both maps together", True, key="maps.linked", persist_state="session")
            names = st.segmented_control("Names", list(NAMES), format_func=NAMES.get, default="colours", help=_NAMES,
                                         key="maps.names", persist_state="session")  # fmt: skip
            contours = points > CONTOURS_FROM and st.toggle("Density contours", True, key="maps.contours",
                                                            help=_CONTOURS, persist_state="session")  # fmt: skip
        _settings(view.run, method)
    return Look(linked, names, contours, fade)


NAMES = {"colours": "As coloured", "topics": "Topics"}
_NAMES = (
    "A topic is named by words that are frequent in a cluster of texts and rare in the others (class TF-IDF). Zoom in "
    "for finer topics. Where colours have no names, topics are shown instead. Click the chosen one again for no names."
)
_CONTOURS = "Lines around the regions that hold 20, 40, 60 and 80 % of the texts shown, as far as they are not dimmed."
_FADES = {"true": "by true neighbors on the map", "kept": "by neighbors kept"}


def _one_of(name: str, known: dict[str, str], key: str, explained: str) -> str | None:
    """A choice that may be none."""
    if st.session_state.get(key) not in known:
        st.session_state.pop(key, None)
    words = {None: "none"} | known
    return st.selectbox(
        name, [None, *known], format_func=words.get, key=key, help=explained, persist_state="session", width=220
    )


def _settings(run: RunFolder, method: str) -> None:
    """The method's settings, and drawing both maps anew with them."""
    schema = MAPS[method].config_class.model_json_schema() if method in MAPS else {}
    defaults = {name: field.get("default") for name, field in schema.get("properties", {}).items()}
    if not defaults:
        line = f"{map_title(method) if method in MAPS else 'Imported coordinates'} has no settings."
        st.caption(line)
        return
    before = drawn_with(run, method)
    filled = config_form(schema, key=f"maps.{method}", values=before, columns=3)
    wanted = changed(filled.values, defaults)
    st.button(
        f"Draw {map_title(method)} with these settings",
        key=f"maps.draw-{method}",
        on_click=draw,
        args=(run, method, wanted),
        disabled=bool(filled.wrong) or wanted == before or is_drawing(run, method),
        help="Both maps are drawn again and replace those shown; the maps of the other methods stay.",
    )
