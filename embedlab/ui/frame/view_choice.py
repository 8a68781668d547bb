"""Which view of a page is shown: a switch whose choice stands in the address, so that every view is a link."""

import streamlit as st


def view_choice(views: dict[str, str] | list[str], *, key: str, first: str | None = None) -> str:
    """Draw the switch; where nothing was chosen the view ``first``, else the first one.

    ``views``: each with its words, or the words alone. The address names the view by them, under ``key``. It is not
    bound to the address: what a page chooses by itself would be undone by the address of the click before.
    """
    words = views if isinstance(views, dict) else {view: view for view in views}
    in_address = {said: view for view, said in words.items()}
    asked, seen = st.query_params.get(key), f"{key}.in_url"
    if asked in in_address and asked != st.session_state.get(seen):
        st.session_state[key] = in_address[asked]
    if st.session_state.get(key) not in words:
        st.session_state[key] = first or next(iter(words))
    chosen = {"format_func": words.get, "required": True, "persist_state": "session"}
    view = st.segmented_control("View", list(words), key=key, label_visibility="collapsed", **chosen)
    st.query_params[key] = st.session_state[seen] = words[view]
    return view
