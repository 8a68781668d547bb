"""One text that moved, with its ten nearest texts before and after, those that came or left marked."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.metrics.distance import EUCLIDEAN
from embedlab.runs.map_readings import Moves
from embedlab.ui.distance import AS_DRAWN
from embedlab.ui.maps.compared import Compared
from embedlab.ui.maps.sides import side_words, sides_of
from embedlab.ui.navigation import go_to
from embedlab.ui.nearest import Nearest, nearest_of_row
from embedlab.ui.neighbor_view import MARKS, list_lines
from embedlab.ui.pair import pair
from embedlab.ui.pick_text import take
from embedlab.ui.text import escaped, show_text

CHARACTERS = 600


def moved_text(view: Compared, corpus: Corpus, found: Moves, row: int) -> None:
    """The text, what changed around it in one sentence, and both lists side by side."""
    place = found.position(row)
    if place is None:
        return
    label = corpus.labels[row] if corpus.labels is not None else None
    with st.container(border=True, gap="small"):
        title = corpus.titles[row] if corpus.titles is not None else ""
        head = " · ".join(part for part in (f"**{escaped(title)}**" if title else "", escaped(label or "")) if part)
        if head:
            st.markdown(head)
        show_text(corpus.texts[row], characters=CHARACTERS)
        if st.button("Show its nearest texts", key="moves.nearest"):
            take(row)
            go_to("neighbors")
    line = moved_sentence(found, place, side_words(view))
    st.subheader(line, anchor=False)
    both = (found.nearest_before[place], found.nearest_after[place])
    for side, near, other, name, spot in zip(
        sides_of(view), both, reversed(both), view.titles, pair("moved"), strict=True
    ):
        with spot:
            st.markdown(f"**{escaped(name)}**")
            rows = near[near >= 0]
            known = _with_distances(side, corpus, row, rows)
            mark = MARKS["before" if near is both[0] else "after"]
            lines = list_lines(corpus, known, label=label, mark=mark, marked=~np.isin(known.rows, other))
            st.markdown("\n".join(lines) or "No text is near it.")
    st.caption(f"Ten nearest texts {AS_DRAWN}.")


def moved_sentence(found: Moves, place: int, words: tuple[str, str]) -> str:
    """``Movement 0.82: 3 of its ten nearest texts stayed. 8 share its label after, 2 before: +6.``"""
    before, after = found.nearest_before[place], found.nearest_after[place]
    stayed = int(np.isin(after[after >= 0], before).sum())
    line = f"Movement {found.movement[place]:.2f}: {stayed} of its ten nearest texts stayed."
    was, now = int(found.same_before[place]), int(found.same_after[place])
    if was < 0:
        return line
    change = f"{now - was:+d}".replace("-", "−") if now != was else "no change"
    return f"{line} {now} share its label {words[1]}, {was} {words[0]}: {change}."


def _with_distances(side: tuple, corpus: Corpus, row: int, rows: np.ndarray) -> Nearest:
    """The same rows with how far they are; sought among ninety, because copies stand between them."""
    run, name = side
    stored = nearest_of_row(run, name, corpus, row, k=90, distance=EUCLIDEAN)  # movement is by it
    if stored is None:
        return Nearest(rows, EUCLIDEAN)
    own = np.isin(stored.rows, rows)
    return Nearest(stored.rows[own], EUCLIDEAN, stored.distances[own], stored.cosines[own])
