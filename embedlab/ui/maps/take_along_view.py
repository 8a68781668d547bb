"""Take along: figures for a paper, the run as one HTML file, coordinates and neighbors as files."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.map_controls import method_choice
from embedlab.ui.maps.compared import Compared
from embedlab.ui.maps.figure_section import figure_section
from embedlab.ui.maps.files_section import files_section
from embedlab.ui.replay_download import replay_section


def show_take_along(view: Compared, corpus: Corpus) -> None:
    """What can be downloaded of this run's maps."""
    method = method_choice(view.run)
    drawn = view.maps(method)
    view.show_drawing(method, there=drawn is not None)
    if drawn is not None:
        st.subheader("Figure", anchor=False)
        figure_section(view, corpus, method)
    st.subheader("Replay", anchor=False)
    replay_section(view.run, corpus)
    st.subheader("Files", anchor=False)
    files_section(view, method)
