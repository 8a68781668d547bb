"""A place on the page that is filled later and has its room from now on, so that what stands below it does not jump."""

import streamlit as st


def kept_place(key: str, **container):
    """An empty container of which frame.css says how large it is; Streamlit draws none that holds nothing at all."""
    place = st.container(key=f"kept-{key}", **container)
    place.html("<i></i>")
    return place
