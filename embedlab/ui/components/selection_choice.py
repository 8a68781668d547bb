"""Which named selection is open: chosen from a list, kept in the address."""

from collections.abc import Sequence

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.selections import (
    Selection,
    list_selections,
)
from embedlab.ui.frame.text import count

SELECTION = "selection"  # the chosen one's id, in the session and in the address

IN_URL = "selection_in_url"


def selection_picker(corpora: Sequence[str]) -> Selection | None:
    """Draw the choice among the selections of these corpora, nothing where there are none; its id is in the address."""
    known = {each.id: each for corpus in corpora for each in list_selections(corpus)}
    asked = st.query_params.get(SELECTION)
    if asked is not None and asked != st.session_state.get(IN_URL):
        st.session_state[SELECTION] = asked
        if asked not in known:
            st.caption("The selection in the address is not one of these texts, or was deleted.")
    chosen = st.session_state.get(SELECTION)
    chosen = chosen if chosen in known else None
    if known:
        st.session_state["selection.picked"] = chosen
        st.selectbox(
            "Selection",
            [None, *known],
            key="selection.picked",
            format_func=lambda each: "none" if each is None else selection_line(known[each]),
            on_change=_pick,
            width=340,
            help="Named groups of texts: highlighted on every map, and measured separately on the page Runs.",
        )
    _address(chosen)
    return known.get(chosen)


def selection_line(selection: Selection) -> str:
    """``courts · 312 texts``; plain text, not Markdown."""
    return f"{selection.name} · {count(selection.texts)} {'text' if selection.texts == 1 else 'texts'}"


def open_one(corpus: Corpus) -> Selection | None:
    """The chosen selection, if it is one of this corpus."""
    chosen = st.session_state.get(SELECTION)
    return next((each for each in list_selections(corpus.fingerprint) if each.id == chosen), None)


def _pick() -> None:
    open_selected(st.session_state["selection.picked"])


def open_selected(selection_id: str | None) -> None:
    st.session_state[SELECTION] = selection_id


def _address(chosen: str | None) -> None:
    """The address says what is open, so that every view is a link."""
    if chosen is not None:
        st.query_params[SELECTION] = chosen
    elif SELECTION in st.query_params:
        del st.query_params[SELECTION]
    st.session_state[IN_URL] = chosen
