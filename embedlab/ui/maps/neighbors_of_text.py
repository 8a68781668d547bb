"""The nearest texts of a text, before and after: which came, which left, and whether they share its label."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.map_words import titles_of
from embedlab.ui.components.nearest import SIDES, nearest_of_answer, nearest_of_row
from embedlab.ui.components.neighbor_lists import both_lists
from embedlab.ui.components.pick_text import pick_text, take, text_line
from embedlab.ui.components.run_maps import corpus_needed, first_drawn
from embedlab.ui.frame.distance import shown_distance
from embedlab.ui.frame.page import encoder_needed
from embedlab.ui.frame.questions import answered
from embedlab.ui.frame.text import escaped, show_text
from embedlab.ui.frame.views.switches import view_choice
from embedlab.ui.maps.neighbor_view import effect_of_row, effect_of_typed, maps_with

K = 10
CHARACTERS = 330
PICKED, TYPED = "A text of the corpus", "A text of my own"


def of_picked(run: RunFolder, corpus: Corpus) -> None:
    """A text of the corpus: its neighbors are on disk, found at once, or asked for where that takes a while."""
    row = pick_text(corpus)
    distance = shown_distance()
    both = {side: nearest_of_row(run, side, corpus, row, k=K, distance=distance) for side in SIDES}
    if None in both.values():
        question = {"kind": "row_neighbors", "run": run.id, "row": row, "k": K, "distance": distance}
        found = answered(question, key="neighbors.asked-row", waiting="Finding the nearest texts.")
        if found is None:
            return
        both = {side: nearest_of_answer(found[side], k=K, distance=distance) for side in SIDES}
    label = corpus.labels[row] if corpus.labels is not None else None
    chosen_text(corpus, row, label)
    effect_of_row(both, corpus, label)
    both_lists(both, corpus, label=label, titles=titles_of(run))
    clicked = maps_with(run, corpus, both, own_row=row)
    if clicked not in (None, row):
        said = escaped(f"Show the nearest texts of “{text_line(corpus, clicked, 60)}”")
        st.button(said, key="neighbors.onwards", on_click=take, args=(clicked,))


def chosen_text(corpus: Corpus, row: int, label: str | None) -> None:
    """The text whose neighbors are shown."""
    title = corpus.titles[row] if corpus.titles is not None else ""
    head = [f"**{escaped(title)}**" if title else "", escaped(label) if label is not None else "no label"]
    with st.container(border=True, gap="small"):
        line = " · ".join(part for part in head if part)
        st.markdown(line)
        show_text(corpus.texts[row], characters=CHARACTERS)


def _walk_on(row: int) -> None:
    take(row)
    st.session_state["neighbors.kind"] = PICKED


def of_typed(run: RunFolder, corpus: Corpus) -> None:
    """A typed text: the resident encoders answer; it lands on the maps amid its neighbors."""
    encoder_needed(run)
    with st.form("neighbors.form", border=False):
        typed = st.text_area("Your text", key="neighbors.typed", height=100, max_chars=20_000, persist_state="session")
        st.form_submit_button("Find its nearest texts", type="primary")
    if not typed.strip():
        st.caption("Type or paste a text: a title, an abstract, a question.")
        return
    distance = shown_distance()
    question = {"kind": "neighbors", "run": run.id, "text": typed.strip(), "k": K, "distance": distance}
    found = answered(question | {"method": first_drawn(run) or "tsne"}, key="neighbors.asked-text")
    if found is None:
        return
    if not any(found[side]["known"] for side in SIDES):
        st.warning("The encoder knows no token of this text, so nothing is near it. Try words of the corpus.")
        return
    both = {side: nearest_of_answer(found[side], k=K, distance=distance) for side in SIDES}
    effect_of_typed(both, corpus)
    both_lists(both, corpus, label=None, on_pick=_walk_on)
    maps_with(run, corpus, both, places={side: found[side].get("place") for side in SIDES})


def show_neighbors(run: RunFolder) -> None:
    """Of a text of the corpus, or of a typed one."""
    corpus = corpus_needed(run)
    kind = view_choice([PICKED, TYPED], key="neighbors.kind")
    (of_typed if kind == TYPED else of_picked)(run, corpus)
