"""Train: one run, a sweep over the values of a setting, or a search for the best encoder."""

import streamlit as st

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.ui.frame.navigation import SWEEP, go_to
from embedlab.ui.frame.page import empty_state, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import BY_LINK
from embedlab.ui.frame.state import FIND_VIEW, NEW_VIEW, TRAIN_VIEW, view_choice
from embedlab.ui.run.result_view import example_training
from embedlab.ui.train import find_view, study_form, train_form

VIEWS = {
    NEW_VIEW: ("Training needs a corpus", train_form.new_run, train_form.EXPLAINED),
    SWEEP: ("A sweep needs a corpus with labels", study_form.sweep_form, study_form.EXPLAINED),
    FIND_VIEW: ("Find needs a corpus", find_view.find_view, find_view.EXPLAINED),
}

if st.session_state.get(BY_LINK) and TRAIN_VIEW not in st.query_params:
    go_to("result")  # a link that names a run and no form: of the time when runs were shown here
page_head("Train", "Fine-tune one encoder, sweep a setting, or find the best encoder for these texts.")
view = view_choice(list(VIEWS), key=TRAIN_VIEW)
needs, draw, explained = VIEWS[view]
if list_corpora():
    draw()
else:
    empty_state(f"{needs}. Add the built-in one, or your own.", button="Choose a corpus", page="corpus")
    if view == NEW_VIEW:
        example_training()
what_am_i_looking_at(*explained)
