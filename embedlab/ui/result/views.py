"""The view of Result: a run while it works, what it found, or how it ended."""

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import is_measured
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.page import View
from embedlab.ui.result.packaged_example import example_result
from embedlab.ui.result.post_view import post_section
from embedlab.ui.result.result_view import show_result
from embedlab.ui.result.run_view import curves, ended_early, live_view


def show_run(run: RunFolder) -> None:
    """Live until it is measured; then the verdict, the maps and the curves; or how it ended."""
    if is_measured(run):
        result = read_result(run)
        show_result(run)
        if result.steps:
            st.subheader("How it got there", anchor=False)
            curves(run)
        post_section(run, result)
    elif not read_state(run).is_over:
        live_view(run)
        words_explained(run)
    else:
        ended_early(run)


RESULT_VIEW = View(
    show_run,
    "The encoder learned to place two views of one text close together and away from all other texts of the batch. "
    "Training never sees labels; they score, by kNN accuracy: for every test text, whether its ten nearest neighbors "
    "among the other texts share its label, with cosine or Euclidean distance (the switch at the left). TF-IDF counts "
    "words and needs no training, which makes it the line to beat. The curve begins at step 0, before training; it and "
    "its dashed lines are measured on the same texts: all test texts where that takes little time, else a sample; then "
    "diamonds show the values on all test texts, which differ because more texts can be neighbors.",
    "Crops paper, sections 3.2 and 4.1, Figure 2 and Table 1; InfoNCE is its equation 1.",
    example=example_result,
    needs_result=False,
)
