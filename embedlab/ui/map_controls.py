"""The controls of the maps: method, colour, and under Advanced the method's settings."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.ui.colour_by import choices
from embedlab.ui.form import changed, config_form
from embedlab.ui.progress import follow_job
from embedlab.ui.result_view import METHODS
from embedlab.ui.run_maps import draw, drawn_with, is_drawing
from embedlab.ui.state import parts, parts_job


def method_choice() -> str:
    """t-SNE, UMAP or PCA."""
    chosen = st.segmented_control(
        "Method", list(METHODS), format_func=METHODS.get, default="tsne", key="maps.method", persist_state="session"
    )
    return chosen or "tsne"


def colour_choice(corpus: Corpus, run: RunFolder) -> str | None:
    """What colours the points, or None where nothing can."""
    found = choices(corpus, run)
    if not found:
        return None
    if st.session_state.get("maps.colour") not in found:
        st.session_state.pop("maps.colour", None)  # a column of another run's corpus
    return st.selectbox("Colour", list(found), format_func=found.get, key="maps.colour", persist_state="session")


def advanced(run: RunFolder, method: str) -> tuple[bool, bool]:
    """Whether zoom is linked and names are written; here too the method's settings, and drawing anew with them."""
    with st.expander("Advanced"):
        with st.container(horizontal=True):
            linked = st.toggle("Move both maps together", True, key="maps.linked", persist_state="session")
            named = st.toggle("Names on the maps", True, key="maps.named", persist_state="session")
        found = parts()
        if found is None:
            if (job := parts_job()) is not None:
                follow_job(job, stop="")
            return linked, named
        _settings(run, method, next(each["schema"] for each in found["maps"] if each["key"] == method))
    return linked, named


def _settings(run: RunFolder, method: str, schema: dict) -> None:
    """The method's settings, and drawing both maps anew with them."""
    defaults = {name: field.get("default") for name, field in schema.get("properties", {}).items()}
    if not defaults:
        line = f"{METHODS[method]} has no settings."
        st.caption(line)
        return
    before = drawn_with(run, method)
    wanted = changed(config_form(schema, key=f"maps.{method}", values=before, columns=3), defaults)
    st.button(
        f"Draw {METHODS[method]} with these settings",
        key=f"maps.draw-{method}",
        on_click=draw,
        args=(run, method, wanted),
        disabled=wanted == before or is_drawing(run, method),
        help="Both maps are drawn anew and replace those shown; the maps of the other methods stay.",
    )
