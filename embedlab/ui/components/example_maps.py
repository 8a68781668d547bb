"""The packaged example's maps, where the picked run has none yet; its texts are gathered in the background."""

import streamlit as st

from embedlab.example import WORDS, example_corpus, gathered
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.runs.index.find import newest_job
from embedlab.ui.components.example import example_needed
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.frame.progress import POLL_SECONDS
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count


def example_maps() -> None:
    """Both maps alone."""
    run = example_needed(WORDS)
    if run is not None:
        map_pair(run, height=520, plays=True)
        texts_here()


def texts_here() -> None:
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
