"""The packaged example in the pages: the whole result on Home, its plots where the picked run has none yet."""

import streamlit as st

from embedlab.example import WORDS
from embedlab.runs.result import read_result
from embedlab.ui.components.built_in import example_instead, example_needed, texts_here
from embedlab.ui.components.film_view import film_section
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.result.run_view import curves
from embedlab.ui.result.verdict_view import verdict


def example_result(kind: str = WORDS) -> None:
    """Verdict, numbers, both maps, the curve, the film."""
    run = example_needed(kind)
    if run is None:
        return
    result = read_result(run)
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run, plays=True)
    texts_here()
    st.subheader("How it got there", anchor=False)
    curves(run)
    film_section(run)


def example_training() -> None:
    """Instead of a run at work: its numbers and its curves."""
    run = example_instead("kNN accuracy is drawn here while an encoder trains.")
    if run is not None:
        numbers(run, read_result(run))
        curves(run)
