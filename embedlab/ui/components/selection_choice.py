"""Which named selection is open: chosen from a list and kept in the address."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus
from embedlab.numbers import counted
from embedlab.runs.selections import Selection, list_selections
from embedlab.ui.frame.state import named, take_choice, tell_choice

SELECTION = "selection"  # the chosen one's id, in the session and in the address


def selection_picker(corpora: Sequence[str], notes: DeltaGenerator | None = None) -> Selection | None:
    """Draws the choice among the selections of these corpora, nothing if there are none; its id is in the address.

    ``notes``: where an address that names none of them is explained, if the choice itself is folded away.
    """
    selections = {each.id: each for corpus in corpora for each in list_selections(corpus)}
    take_choice({each: each for each in selections}, key=SELECTION, address=SELECTION)
    if st.query_params.get(SELECTION) not in (None, *selections):
        with notes or st.container():
            st.caption("The selection in the address is not one of these texts, or was deleted.")
        st.session_state[SELECTION] = None
    chosen = st.session_state.get(SELECTION)
    chosen = chosen if chosen in selections else None
    if selections:
        st.session_state["selection.picked"] = chosen
        names = {None: "none"} | {
            key: f"{each.name} · {counted(each.texts, 'text')}" for key, each in selections.items()
        }
        st.selectbox("Selection", key="selection.picked", width=340, **named(names),
                     on_change=lambda: open_selected(st.session_state["selection.picked"]),
                     help="Named groups of texts: highlighted on every map, and measured separately on the page "
                     "Runs.")  # fmt: skip
    tell_choice(chosen, key=SELECTION, address=SELECTION)
    return None if chosen is None else selections.get(chosen)


def open_one(corpus: Corpus) -> Selection | None:
    """The chosen selection, if it belongs to this corpus."""
    chosen = st.session_state.get(SELECTION)
    return next((each for each in list_selections(corpus.fingerprint) if each.id == chosen), None)


def open_selected(selection_id: str | None) -> None:
    st.session_state[SELECTION] = selection_id
