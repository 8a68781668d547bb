"""The nearest texts of a text before and after: a sentence, both lists, and their places on the maps."""

from dataclasses import replace

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.numbers import signed
from embedlab.report.nearest_texts import (
    Nearest,
    chosen_text,
    compared_label,
    most_frequent,
    name_of,
    nearest_in_picture,
    nearest_of_answer,
    same_label,
    text_line,
)
from embedlab.runs.drawn_map import DrawnMap, Mark, dots, place_of_row
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import NearRows, dim_of
from embedlab.ui.components.built_in import example_instead
from embedlab.ui.components.loaded_maps import titles_of
from embedlab.ui.components.nearest import SIDES, both_lists, heading_of, pick_text, take
from embedlab.ui.components.pair_of_maps import UNTOUCHED, Compared
from embedlab.ui.components.run_maps import both_maps, corpus_needed, first_drawn, texts_on_maps
from embedlab.ui.frame.background import answered
from embedlab.ui.frame.layout import escaped, show_text
from embedlab.ui.frame.page import encoder_needed
from embedlab.ui.frame.state import by_distance, corpus_of, dimensions_choice, shown_distance, view_choice
from embedlab.ui.maps.finding import cut_to, nearest_of_both


def effect_of_row(both: dict[str, Nearest], corpus: Corpus, label: str | None) -> None:
    """How many of its neighbors share its label, before and after."""
    k, by = len(both["after"].rows), by_distance(both["after"].distance)
    if k == 1:  # of two texts
        has_it = label is not None and same_label(corpus, both["after"].rows, label).all()
        its_label = "" if label is None else f", with {'the same' if has_it else 'another'} label"
        st.subheader(f"It has one neighbor{its_label}.", anchor=False)
    elif label is not None:
        before, after = (int(same_label(corpus, both[side].rows, label).sum()) for side in SIDES)
        sentence = f"{after} of its {k} nearest texts {by} share its label after fine-tuning, {before} before"
        line = f"{sentence}: {signed(after - before) if after != before else 'no change'}. {_turnover(both)}"
        st.subheader(line, anchor=False)
    else:
        st.subheader(_turnover(both, named=True), anchor=False)


def maps_with(
    run: RunFolder, corpus: Corpus, both: dict[str, Nearest], *, own_row: int | None = None,
    places: dict[str, list | None] | None = None,
) -> int | None:  # fmt: skip
    """Both maps with the neighbors highlighted, a mark where the text is (``own_row``) or belongs (``places``); returns
    the clicked text's row.
    """

    def marks(side: str, own_map: DrawnMap) -> list[Mark]:
        position = None if places is None else places[side]
        typed = [] if position is None else [("your text", position[0], position[1])]
        return [
            *dots(own_map, both[side].rows),
            *(typed if own_row is None else place_of_row(own_map, own_row, "this text")),
        ]

    near = {side: both[side].rows for side in SIDES}
    caption = "Dots: its nearest texts." if places is None else "Your text is placed by its neighbors, the dots."
    return texts_on_maps(run, corpus, near, marks, key="neighbors", caption=caption, undrawn="where these texts are")


def _turnover(both: dict[str, Nearest], *, named: bool = False) -> str:
    """How many are new; ``named`` says which text's, unless an earlier sentence did."""
    after = both["after"]
    new = int((~np.isin(after.rows, both["before"].rows)).sum())
    nearest = f" nearest {by_distance(after.distance)}" if named else ""
    return f"{new} of the {len(after.rows)}{nearest} are new."


NEAREST = 5


def example_neighbors() -> None:
    """Instead of the neighbors of a chosen text."""
    run = example_instead("The texts nearest to any text, before and after, appear here.")
    if run is None:
        return
    corpus, drawn = corpus_of(run), both_maps(run, "tsne")
    if corpus is None or drawn is None or (chosen := chosen_text(run, corpus, drawn[1], "cosine")) is None:
        return
    label, distance = corpus.label(chosen.row), shown_distance()
    near = [replace(nearest_in_picture(each, chosen.row, NEAREST), distance=distance) for each in drawn]
    both = dict(zip(SIDES, near, strict=True))
    before, after = (int(same_label(corpus, both[side].rows, label).sum()) for side in SIDES)
    sentence = f"{after} of the {NEAREST} texts nearest to {name_of(corpus, chosen.row)} ({label}) share its label"
    st.subheader(escaped(f"{sentence} after fine-tuning, {before} before.", 300), anchor=False)
    both_lists(both, corpus, label=label, titles=titles_of(run), on_pick=None)
    st.caption("Nearest on the maps: the package contains no embeddings.")


K = 10
PICKED, TYPED = "A text of the corpus", "A text of my own"


def of_picked(run: RunFolder, corpus: Corpus, dimensions: int | None) -> None:
    """A text of the corpus: its neighbors are on disk, found at once, or asked for where that takes a while."""
    row = pick_text(corpus)
    near = nearest_of_both(Compared(run, UNTOUCHED), corpus, row, k=K, dimensions=dimensions)
    if near is None:
        return
    both, label = dict(zip(SIDES, near, strict=True)), compared_label(corpus, row)
    with st.container(border=True, gap="small"):
        st.markdown(heading_of(corpus, row, unlabelled="no label"))
        show_text(corpus.texts[row], characters=330)
    effect_of_row(both, corpus, label)
    both_lists(both, corpus, label=label, titles=titles_of(run))
    clicked = maps_with(run, corpus, both, own_row=row)
    if clicked is not None and clicked != row:
        label_of_button = escaped(f"Show the nearest texts of “{text_line(corpus, clicked, 60)}”")
        st.button(label_of_button, key="neighbors.onwards", on_click=take, args=(clicked,))


def _walk_on(row: int) -> None:
    take(row)
    st.session_state["neighbors.kind"] = PICKED


def of_typed(run: RunFolder, corpus: Corpus, dimensions: int | None) -> None:
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
    question |= {**cut_to(dimensions), "method": first_drawn(run) or "tsne"}
    reply = answered(question, dict[str, NearRows], key="neighbors.asked-text")
    if reply is None:
        return
    if not any(near.is_known for near in reply.values()):
        st.warning("The encoder knows no token of this text, so nothing is near it. Try words of the corpus.")
        return
    both = {side: nearest_of_answer(reply[side], distance) for side in SIDES}
    most = {side: most_frequent(corpus, both[side].rows) for side in SIDES}
    labels = [f"{each[1]} × {escaped(each[0])} {side}" for side, each in most.items() if each is not None]
    effect = _turnover(both, named=not labels)
    if labels:
        effect = f"Most frequent label near it {by_distance(distance)}: {', '.join(labels)}. {effect}"
    st.subheader(effect, anchor=False)
    both_lists(both, corpus, label=None, on_pick=_walk_on)
    maps_with(run, corpus, both, places={side: reply[side].position for side in SIDES})


def show_neighbors(run: RunFolder) -> None:
    """Of a text of the corpus, or of a typed one."""
    corpus = corpus_needed(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = view_choice([PICKED, TYPED], key="neighbors.kind")
        dim, dimensions = dim_of(run), None
        if dim is not None:
            with st.popover("Advanced", width="content"):
                dimensions = dimensions_choice(dim)
    if dimensions is not None:
        st.caption(f"By the first {dimensions:,} of {dim:,} dimensions of each vector.")
    (of_typed if kind == TYPED else of_picked)(run, corpus, dimensions)
