"""Which texts of a corpus contain what was typed, in whatever case."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus


def matches(corpus: Corpus, typed: str) -> np.ndarray | None:
    """(rows,) whether the title or the text of each row contains it; None when nothing was typed."""
    wanted = typed.strip().casefold()
    return _matches(corpus, corpus.fingerprint, wanted) if wanted else None


@st.cache_resource(max_entries=16, show_spinner=False)
def _matches(_corpus: Corpus, fingerprint: str, wanted: str) -> np.ndarray:
    found = np.fromiter((wanted in text.casefold() for text in _corpus.texts), bool, _corpus.info.rows)
    if _corpus.titles is not None:
        found |= np.fromiter((wanted in title.casefold() for title in _corpus.titles), bool, _corpus.info.rows)
    return found
