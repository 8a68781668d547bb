"""Which view of a page is shown: a switch whose choice stands in the address, so that every view is a link."""

import streamlit as st


def view_choice(views: dict[str, str] | list[str], *, key: str) -> str:
    """Draw the switch; the first view where nothing was chosen.

    ``views``: each with its words, or the words alone. The address names the view by them, under ``key``.
    """
    words = views if isinstance(views, dict) else {view: view for view in views}
    if st.session_state.get(key) not in words:
        st.session_state[key] = next(iter(words))
    chosen = {"format_func": words.get, "required": True, "bind": "query-params", "persist_state": "session"}
    return st.segmented_control("View", list(words), key=key, label_visibility="collapsed", **chosen)
