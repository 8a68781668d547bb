"""The packaged example in the pages: the whole result on Home, its plots where the picked run has none yet."""

import streamlit as st

from embedlab.example import WORDS, example_corpus, gathered
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.runs.index.find import newest_job
from embedlab.runs.result import read_result
from embedlab.ui.components.example import example_instead, example_needed
from embedlab.ui.components.film_view import film_section
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.progress import POLL_SECONDS
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count
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
    _texts_here()
    st.subheader("How it got there", anchor=False)
    curves(run)
    film_section(run)


def example_maps() -> None:
    """Both maps alone."""
    run = example_needed(WORDS)
    if run is not None:
        map_pair(run, height=520, plays=True)
        _texts_here()


def example_training() -> None:
    """Instead of a run at work: its numbers and its curves."""
    run = example_instead("kNN accuracy is drawn here while an encoder trains.")
    if run is not None:
        numbers(run, read_result(run))
        curves(run)


def _texts_here() -> None:
    """The package holds names alone: the texts are gathered here in the background, and counted once they are there."""
    if gathered() is None:
        if newest_job(ReadCorpus.task, reference="docs") is None:
            start_once(ReadCorpus(reference="docs"))
        st.caption("Hover shows each text's name; the text itself follows once it is collected from your packages.")
        st.fragment(_watch, run_every=POLL_SECONDS * 3, key="example.texts")()
        return
    corpus = example_corpus()
    found, rows = corpus.texts_found(), corpus.info.rows
    if found < rows:
        other = count(rows - found)
        st.caption(
            f"{count(found)} of {count(rows)} texts are also in your packages; hover shows only the name of {other}."
        )


def _watch() -> None:
    if gathered() is not None:
        st.rerun()
