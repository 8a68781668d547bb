"""What moved, in a sentence and five texts each way, below a run's maps; and the way to the whole list."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.frames import UNTOUCHED
from embedlab.runs.map_readings import Moves
from embedlab.ui.components.pick_text import text_line
from embedlab.ui.components.readings import moves, ranked
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.text import escaped, percent

LISTED = 5
_CHARACTERS = 74
MAPS_VIEW = "maps.view"  # the switch of the page Maps


def moved_summary(run: RunFolder) -> None:
    """Nothing while nobody has measured it."""
    found, corpus = moves(run, UNTOUCHED), corpus_of(run)
    if found is None or corpus is None or found.facts["moved"]["share"] is None or not found.above.any():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("What moved", anchor=False, width="content")
        st.caption(moved_sentence(found))
    if found.facts["helped"]["share"] is not None:
        for place, order, title in zip(pair("moved"), ("gained", "lost"), ("Gained most", "Lost most"), strict=True):
            with place:
                _texts(run, corpus, found, order, title)
    if st.session_state.get("moved.open"):
        st.session_state[MAPS_VIEW] = "What moved"
    go_button("Show all that moved", "maps", name="moved.open")


def moved_sentence(found: Moves) -> str:
    """How many texts have other neighbors, and whether those are more often of their own class."""
    facts = found.facts
    moved = f"{percent(facts['moved']['share'])} of the texts have other nearest texts than before"
    if facts["helped"]["share"] is None:
        return f"{moved}; half of them changed {percent(facts['median'], 0)} of their ten or more."
    helped, hurt = (percent(facts[name]["share"]) for name in ("helped", "hurt"))
    read = facts.get("labels_read")
    said = f"{moved}. {helped} have more of their own class among the ten nearest, {hurt} have fewer."
    return f"{said} {read['sentence']}" if read else said


def _texts(run: RunFolder, corpus: Corpus, found: Moves, order: str, title: str) -> None:
    """``0 → 10 of ten  scipy.signal · …``, one line a text."""
    st.markdown(f"**{title}**")
    positions = ranked(run, UNTOUCHED, order)[:LISTED]
    if not len(positions):
        st.caption("No text.")
        return
    lines = [f"- {_line(corpus, found, int(position))}" for position in positions]
    st.markdown("\n".join(lines))


def _line(corpus: Corpus, found: Moves, position: int) -> str:
    before, after = int(found.same_before[position]), int(found.same_after[position])
    words = escaped(text_line(corpus, int(found.rows[position]), _CHARACTERS), _CHARACTERS)
    of = int(np.count_nonzero(found.nearest_after[position] >= 0))
    return f"{before} → {after} of {of} · {words}"
