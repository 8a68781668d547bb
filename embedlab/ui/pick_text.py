"""Choosing one text of a corpus: by a word of it, by chance, or from another page."""

import random

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.text import count, shortened
from embedlab.ui.text_search import matches

LISTED = 200
_CHOICE, _SEARCH = "neighbors.choice", "neighbors.search"
ROW = "neighbors.row"  # another page may set it before it opens Neighbors


def pick_text(corpus: Corpus) -> int:
    """Draw the search field and the list of what it finds; the corpus row chosen."""
    chosen = st.session_state.get(ROW)
    if chosen is None or chosen >= corpus.info.rows or corpus.excluded[chosen]:
        chosen = st.session_state[ROW] = int(corpus.kept[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input("Search the corpus", key=_SEARCH, placeholder="Part of a text", persist_state="session")
        found = matches(corpus, typed)
        rows = corpus.kept if found is None else np.flatnonzero(found & ~corpus.excluded)
        listed = [int(row) for row in rows[:LISTED]]
        if chosen not in listed:
            listed.insert(0, chosen)
        st.session_state[_CHOICE] = chosen
        said = _said(found, len(rows))
        st.selectbox(said, listed, key=_CHOICE, format_func=lambda row: text_line(corpus, row), on_change=_take)
        st.button("Random text", key="neighbors.random", on_click=_take_random, args=(corpus, rows))
    return chosen


def text_line(corpus: Corpus, row: int, characters: int = 110) -> str:
    """One line that tells a text from others: its label, its title or its beginning; plain text."""
    title = corpus.titles[row] if corpus.titles is not None else ""
    line = " ".join((title or corpus.texts[row]).split())
    label = corpus.labels[row] if corpus.labels is not None else None
    return shortened(line if label is None else f"{label} · {line}", characters)


def take(row: int) -> None:
    """Make this the chosen text; for callbacks, and before Neighbors is opened."""
    st.session_state[ROW] = int(row)


def _take() -> None:
    take(st.session_state[_CHOICE])


def _take_random(corpus: Corpus, rows: np.ndarray) -> None:
    take(random.choice(rows if len(rows) else corpus.kept))


def _said(found: np.ndarray | None, number: int) -> str:
    if found is None:
        return "Text"
    return f"Text (the first {LISTED} of {count(number)} found)" if number > LISTED else f"Text ({count(number)} found)"
