"""The named selections of a corpus: which one is open, its texts, and what can be done with it."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.components.data.selection_choice import selection_picker
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.maps.selections import show_selection


def selections_of(corpus: Corpus) -> None:
    """Where there is none, how one is made."""
    selection_picker([corpus.fingerprint])
    if not show_selection(corpus):
        st.write("Texts inside a lasso, a search result or a cluster can be saved under a name on the maps.")
        go_button("Open the maps", "maps")
