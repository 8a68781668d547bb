"""Train: choose corpus, encoder and recipe, see the pairs, start, and watch the run."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.runs.label_lineage import run_title
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import is_measured
from embedlab.ui.components.train_fields import edit_and_rerun
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.finds.find_view import find_view
from embedlab.ui.frame.page import empty_state, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import BY_LINK
from embedlab.ui.frame.state import FIND_VIEW, NEW_VIEW, RUN_VIEW, TRAIN_VIEW, picked_run
from embedlab.ui.frame.text import escaped
from embedlab.ui.frame.view_choice import view_choice
from embedlab.ui.result.packaged_example import example_training
from embedlab.ui.result.post_view import post_section
from embedlab.ui.result.result_view import show_result
from embedlab.ui.result.run_actions import export_section, note_of, renaming
from embedlab.ui.result.run_view import curves, ended_early, live_view
from embedlab.ui.train.train_form import SEEN, new_run


def this_run() -> None:
    """The picked run: live, or its result with its curves, or how it ended."""
    if is_measured(picked):
        result = read_result(picked)
        show_result(picked)
        if result.steps:
            st.subheader("How it got there", anchor=False)
            curves(picked)
        post_section(picked, result)
        with st.expander("Export"):
            export_section(picked)
    elif not read_state(picked).is_over:
        live_view(picked)
        words_explained(picked)
    else:
        ended_early(picked)


def form() -> None:
    """The form of a new run, where there is a corpus."""
    if not list_corpora():
        empty_state(
            "Training needs a corpus. Read the built-in one, or your own.", button="Choose a corpus", page="corpus"
        )
        example_training()
    else:
        new_run()


def choose_view() -> None:
    """A run that works, that a link without a view names, or that was just picked is shown; otherwise the form."""
    is_at_work = not read_state(picked).is_over
    is_picked = st.session_state.get(SEEN, picked.id) != picked.id
    is_link = st.session_state.get(BY_LINK) and TRAIN_VIEW not in st.query_params
    if is_picked or is_link:
        st.session_state[TRAIN_VIEW] = RUN_VIEW
    st.session_state.setdefault(TRAIN_VIEW, RUN_VIEW if is_at_work else NEW_VIEW)
    st.session_state[SEEN] = picked.id


picked = picked_run()
page_head("Train", "Fine-tune an encoder on a corpus, and see whether the classes sort themselves.")
if picked is not None:
    choose_view()
with st.container(horizontal=True, vertical_alignment="center"):
    view = view_choice([NEW_VIEW, FIND_VIEW, *([RUN_VIEW] if picked is not None else [])], key=TRAIN_VIEW)
    if view == RUN_VIEW:
        st.caption(escaped(run_title(picked)))
        renaming(picked)
        if is_measured(picked):
            edit_and_rerun(picked)
if view == RUN_VIEW:
    note_of(picked)
    this_run()
elif view == FIND_VIEW:
    find_view()
else:
    form()
if view == FIND_VIEW:
    what_am_i_looking_at(
        "Each line is one candidate: an encoder with one way to train it, without labels. At the end of each rung the "
        "worse two thirds stop (grey crosses) and the others go on from where they stood. Development texts choose. "
        "The winner is then trained in full and measured once on the test texts, against the untouched encoder and "
        "against TF-IDF and SVD, which count words and are not trained (amber). Candidates that the development texts "
        "cannot tell from the best are named, because the order among them is chance.",
        "Successive halving: Jamieson and Talwalkar 2016; Hyperband: Li and others 2018.",
    )
else:
    what_am_i_looking_at(
        "Each text is cut into two views, the anchor and the positive. The encoder learns to place the two close "
        "together and away from all other texts of the batch. Training never sees labels; they score, by kNN "
        "accuracy, how well texts of one class lie side by side, by cosine or Euclidean distance (the switch at the "
        "left). The curve begins at step 0, before training. It and TF-IDF, the dashed line to beat, are measured on "
        "the same texts: all test texts where that takes little time, else a sample; then diamonds show the values on "
        "all test texts, which differ because more texts can be neighbors.",
        "Crops paper, section 3.2 and Figure 2; InfoNCE is its equation 1.",
    )
