"""Maps: which texts lie together before and after, what moved, and how far the picture can be believed."""

import streamlit as st

from embedlab.ui.components.pair_of_maps import compared
from embedlab.ui.components.run_maps import corpus_needed
from embedlab.ui.frame.page import (
    embeddings_needed,
    encoder_needed,
    no_run_yet,
    page_head,
    run_needed,
    what_am_i_looking_at,
)
from embedlab.ui.frame.state import picked_run
from embedlab.ui.frame.view_choice import view_choice
from embedlab.ui.maps.lab.view import example_lab
from embedlab.ui.maps.views import VIEWS
from embedlab.ui.result.packaged_example import example_maps

LAB = "Test your reading"


def choose_example() -> str:
    """Which of the packaged example is shown where the picked run has nothing."""
    return view_choice(["Maps", LAB], key="maps.view")


def example() -> None:
    """The packaged maps, or the packaged experiments."""
    example_lab() if choose_example() == LAB else example_maps()


page_head("Maps", "Which texts lie together before and after fine-tuning, and what moved?")
has_run = picked_run() is not None
if not has_run and choose_example() == LAB:  # question and maps come first, so that they share a screen
    example_lab()
    no_run_yet()
    st.stop()
run = run_needed(example if has_run else example_maps)
corpus = corpus_needed(run)
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = view_choice(list(VIEWS), key="maps.view")
    both = compared(run, corpus)
view = VIEWS[name]
if view.needs_embeddings:
    embeddings_needed(run)
if view.needs_encoder:
    encoder_needed(run)
st.fragment(view.show, key=f"maps-{name}-{run.id}-{both.against}")(both, corpus)
what_am_i_looking_at(view.explained, view.source)
