"""Maps: which texts lie together before and after, what moved, and how far the picture can be believed."""

import streamlit as st

from embedlab.ui.maps.axes_view import show_axes
from embedlab.ui.maps.class_neighbors_view import show_class_neighbors
from embedlab.ui.maps.compared import compared
from embedlab.ui.maps.explore import explore
from embedlab.ui.maps.lab_view import show_lab
from embedlab.ui.maps.moves_view import show_moves
from embedlab.ui.maps.take_along_view import show_take_along
from embedlab.ui.page import embeddings_needed, encoder_needed, page_head, run_needed, what_am_i_looking_at
from embedlab.ui.run_maps import corpus_needed

VIEWS = {
    "Maps": explore,
    "What moved": show_moves,
    "Who neighbors whom": show_class_neighbors,
    "Axes": show_axes,
    "Misread the map": show_lab,
    "Take along": show_take_along,
}
NEED_EMBEDDINGS = ("What moved", "Who neighbors whom", "Axes", "Misread the map")

page_head("Maps", "Which texts lie together before and after fine-tuning, and what moved?")
run = run_needed()
corpus = corpus_needed(run)
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = st.segmented_control(
        "View", list(VIEWS), default="Maps", key="maps.view", required=True, label_visibility="collapsed"
    )
    view = compared(run, corpus)
if name in NEED_EMBEDDINGS:
    embeddings_needed(run)
if name == "Axes":
    encoder_needed(run)
st.fragment(VIEWS[name or "Maps"], key=f"maps-{name}-{run.id}-{view.against}")(view, corpus)
what_am_i_looking_at(
    "Every point is a text; t-SNE, UMAP and PCA place texts with similar embeddings side by side. Axes and distances "
    "between groups mean little, neighborhoods mean much. The map after starts from the map before, so that what "
    "stayed in place is similar. kNN accuracy in the corner is that of the embeddings, not of the picture: the share "
    "of test texts whose ten nearest train texts vote for their label, ± one standard error. Labels only colour the "
    "points; neither the encoder nor the map has seen them.",
    "Crops paper, section 4.1 and Figure 1.",
)
