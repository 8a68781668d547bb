"""Finding texts on the maps: by a word, by meaning, or as the neighbors of a clicked text."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.maps.compared import Compared
from embedlab.ui.text_search import matches


@dataclass(frozen=True)
class Found:
    """What a search holds, and where typed texts lie."""

    rows: np.ndarray | None = None  # (corpus rows,) bool; None: nothing was searched
    typed: str = ""
    marks: tuple[tuple, tuple] = ((), ())  # of the left and of the right map: (name, x, y)


def finding(view: Compared, corpus: Corpus, method: str) -> Found:
    """Draw the search field; what it finds."""
    typed = st.text_input("Search", key="maps.search", placeholder="Part of a text", persist_state="session")
    return Found(matches(corpus, typed), typed)
