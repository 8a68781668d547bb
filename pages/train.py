"""Train: one run, a sweep over the values of a setting, or a search for the best encoder."""

import streamlit as st

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.studies.kinds import MATCH_MEANS
from embedlab.ui.frame.navigation import SWEEP, go_to
from embedlab.ui.frame.page import empty_state, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import BY_LINK
from embedlab.ui.frame.state import FIND_VIEW, NEW_VIEW, TRAIN_VIEW, view_choice
from embedlab.ui.run.result_view import example_training
from embedlab.ui.train.find_view import find_view
from embedlab.ui.train.study_form import sweep_form
from embedlab.ui.train.train_form import new_run

VIEWS = {
    NEW_VIEW: ("Training needs a corpus", new_run),
    SWEEP: ("A sweep needs a corpus with labels", sweep_form),
    FIND_VIEW: ("Find needs a corpus", find_view),
}
EXPLAINED = {
    NEW_VIEW: (
        "Each text is cut into two views, the anchor and the positive. The encoder learns to place the two close "
        "together and away from all other texts in the batch. Training never sees labels; they score, by kNN "
        "accuracy, how close together texts of one class are, and decide when to stop. The form proposes the recipe "
        "that suits the corpus and the encoder; every other recipe can be chosen, and those that do not fit say why.",
        "Crops paper, section 3.2; InfoNCE is its equation 1.",
    ),
    SWEEP: (
        "Each value of the setting is trained with each seed, all else equal; the curve shows the mean kNN accuracy "
        "of the runs of a value. With one seed the bar is the binomial standard error; with several it also counts how "
        "the seeds differ. Amber lines need no training: TF-IDF dashed, its 100-dimensional SVD dotted; gray is the "
        f"untouched encoder. The best value is selected by development texts, never by the test texts. Labels match "
        f"the recipe without labels: {MATCH_MEANS}.",
        "Crops paper, Figures S2, 4 and 5a; TSDAE, Figures 3 and 6, Tables 5 to 7 and 10.",
    ),
    FIND_VIEW: (
        "Each line is one candidate: an encoder with one way to train it, without labels. At the end of each rung the "
        "worse two thirds stop (gray crosses) and the others continue from where they stopped. Development texts "
        "select. The winner is then trained in full and measured once on the test texts, against the untouched "
        "encoder and against TF-IDF and SVD, which count words and are not trained (amber). Candidates that are not "
        "separable from the best on the development texts are named, because the order among them is chance.",
        "Successive halving: Jamieson and Talwalkar 2016; Hyperband: Li et al. 2018.",
    ),
}

if st.session_state.get(BY_LINK) and TRAIN_VIEW not in st.query_params:
    go_to("result")  # a link that names a run and no form: of the time when runs were shown here
page_head("Train", "Fine-tune one encoder, sweep a setting, or find the best encoder for these texts.")
view = view_choice(list(VIEWS), key=TRAIN_VIEW)
needs, draw = VIEWS[view]
if list_corpora():
    draw()
else:
    empty_state(f"{needs}. Add the built-in one, or your own.", button="Choose a corpus", page="corpus")
    if view == NEW_VIEW:
        example_training()
what_am_i_looking_at(*EXPLAINED[view])
