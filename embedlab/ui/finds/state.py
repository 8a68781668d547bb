"""Which Find is shown: chosen in the session, named in the address."""

import streamlit as st

from embedlab.finds.store import Find
from embedlab.ui.frame.state import FIND_VIEW, TRAIN_VIEW

SHOWN, NEW, IN_URL = "find.shown", "new", "find"


def show_next(find: Find) -> None:
    """Show this one from the next rerun on; for callbacks."""
    st.session_state[SHOWN], st.session_state[TRAIN_VIEW] = find.id, FIND_VIEW


def forget() -> None:
    """Show the newest one, or the form."""
    st.session_state.pop(SHOWN, None)
    st.query_params.pop(IN_URL, None)
