"""Two places side by side, which stand one below the other in a narrow window."""

from pathlib import Path

import streamlit as st

_STYLE = Path(__file__).with_suffix(".css")


def pair(key: str) -> tuple:
    """Two containers of one row: before left, after right."""
    st.html(_STYLE)
    with st.container(horizontal=True, key=f"pair-{key}"):
        return st.container(), st.container()
