"""The packaged example in the pages: the whole result on Home, its plots where the picked run has none yet."""

import streamlit as st

from embedlab.example import LAYERS, TOKEN, example_corpus, example_run, gathered
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_result
from embedlab.ui.film_view import film_section
from embedlab.ui.progress import POLL_SECONDS, job_for
from embedlab.ui.result_view import map_pair, numbers
from embedlab.ui.run_view import curves
from embedlab.ui.state import start_once
from embedlab.ui.text import count
from embedlab.ui.verdict_view import verdict
from embedlab.ui.words_explained import words_explained

_WHOSE = {
    TOKEN: "a token layer on the documentation of the installed packages (`docs`)",
    LAYERS: "a small encoder with four layers on the documentation of the installed packages (`docs`)",
}


def example_needed(kind: str, *, whose: str = "") -> RunFolder | None:
    """The example's run, below a line that says ``whose`` it is; None where the package came without it."""
    run = example_run(kind)
    if run is not None:
        told = whose or _WHOSE[kind]
        st.caption(f"**An example that came with embedlab:** {told}, trained before. Yours takes its place.")
    return run


def example_result(kind: str = TOKEN) -> None:
    """Verdict, numbers, both maps, the curve, the film."""
    run = example_needed(kind)
    if run is None:
        return
    result = read_result(run)
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run, result, plays=True)
    _texts_here()
    st.subheader("How it got there", anchor=False)
    curves(run)
    film_section(run)


def example_maps() -> None:
    """Both maps alone."""
    run = example_needed(TOKEN)
    if run is not None:
        map_pair(run, read_result(run), height=520, plays=True)
        _texts_here()


def _texts_here() -> None:
    """The package holds names alone: the texts are gathered here in the background, and counted once they are there."""
    if gathered() is None:
        job = job_for("ingest", reference="docs")
        if job is None:
            start_once("ingest", {"reference": "docs"})
        st.caption("Hover shows each text's name; its words follow as soon as they are gathered from your packages.")
        st.fragment(_watch, run_every=POLL_SECONDS * 3, key="example.texts")()
        return
    corpus = example_corpus()
    found, rows = corpus.found(), corpus.info.rows
    if found < rows:
        other = count(rows - found)
        st.caption(
            f"{count(found)} of {count(rows)} texts are in your packages too; hover shows {other} by name alone."
        )


def _watch() -> None:
    if gathered() is not None:
        st.rerun()
