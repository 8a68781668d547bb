"""The view of Result: a run at work, its result or how it ended; the packaged example until there is one."""

import streamlit as st

from embedlab.example import WORDS, ExampleKind
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import is_measured
from embedlab.ui.components.built_in import example_instead, example_needed, texts_here
from embedlab.ui.components.film_view import film_section
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.page import View
from embedlab.ui.result.post_view import post_section
from embedlab.ui.result.result_view import show_result, verdict
from embedlab.ui.result.run_view import curves, ended_early, live_view


def show_run(run: RunFolder) -> None:
    """Live until it is measured; then the verdict, the maps and the curves; or how it ended."""
    if is_measured(run) and (result := read_result(run)) is not None:
        show_result(run, result)
        if result.steps:
            st.subheader("How it got there", anchor=False)
            curves(run)
        post_section(run, result)
    elif not read_state(run).is_over:
        live_view(run)
        words_explained(run)
    else:
        ended_early(run)


def example_result(kind: ExampleKind = WORDS) -> None:
    """Verdict, numbers, both maps, the curve, the film."""
    run = example_needed(kind)
    if run is None or (result := read_result(run)) is None:
        return
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run, plays=True)
    texts_here()
    st.subheader("How it got there", anchor=False)
    curves(run)
    film_section(run)


def example_training() -> None:
    """Shows the packaged run's numbers and curves, until a run trains."""
    run = example_instead("kNN accuracy is drawn here while an encoder trains.")
    if run is not None and (result := read_result(run)) is not None:
        numbers(run, result)
        curves(run)


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
