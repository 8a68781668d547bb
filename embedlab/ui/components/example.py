"""The packaged example where the user has nothing yet: its run, below a line that says whose it is."""

import streamlit as st

from embedlab.example import LAYERS, TOKEN, WORDS, example_run
from embedlab.runs.folder import RunFolder

_WHOSE = {
    WORDS: "a token layer initialised with word statistics, on the documentation of the installed packages (`docs`)",
    TOKEN: "a token layer initialised with random vectors, on the documentation of the installed packages (`docs`)",
    LAYERS: "a small encoder with four layers on the documentation of the installed packages (`docs`)",
}


def example_needed(kind: str, *, whose: str = "") -> RunFolder | None:
    """The example's run, below a line that says ``whose`` it is; None where the package came without it."""
    run = example_run(kind)
    if run is not None:
        told = whose or _WHOSE[kind]
        st.caption(
            f"**An example that came with embedlab:** {told}, trained in advance. Your first run will replace it."
        )
    return run


def example_instead(sentence: str, *, whose: str = "") -> RunFolder | None:
    """One sentence on what will be on this page, one on whose run stands in for it."""
    if example_run(WORDS) is not None:
        st.write(sentence)
    return example_needed(WORDS, whose=whose)
