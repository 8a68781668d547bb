"""How large letters and points are: a switch of the frame for a projector; it stands in the address."""

import streamlit as st

SIZE = "size"  # its name in the URL
PROJECTOR = "projector"  # the key of the switch, and what the address says
FACTOR = 1.5  # of letters, points, lines and charts
_IN_URL = "size_in_url"
_HELP = "Text, points and lines 1.5 times as large. The menu at the top right has light and dark."
LETTERS = 15  # pixels: baseFontSize in .streamlit/config.toml


def shown_size() -> float:
    """By how much everything is larger than on a desk: 1, or more on a projector."""
    return FACTOR if st.session_state.get(PROJECTOR) else 1.0


def take_size() -> None:
    """What the address asks for, and the page's letters in that size; before anything is drawn."""
    asked = st.query_params.get(SIZE) == PROJECTOR
    if asked and not st.session_state.get(_IN_URL):
        st.session_state[PROJECTOR] = True
    st.session_state[PROJECTOR] = bool(st.session_state.get(PROJECTOR))
    size = shown_size()
    st.html(f"<style>:root {{ --embedlab-size: {size}; }} html {{ font-size: {LETTERS * size}px !important; }}</style>")


def size_switch() -> None:
    """Choose it; the address keeps it."""
    chosen = st.toggle("Projector size", key=PROJECTOR, help=_HELP)
    if chosen:
        st.query_params[SIZE] = PROJECTOR
    elif SIZE in st.query_params:
        del st.query_params[SIZE]
    st.session_state[_IN_URL] = chosen
