"""Lists of nearest texts, before and after, side by side; each text is a click away."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import COSINE, EUCLIDEAN, other_distance
from embedlab.ui.components.map_words import TITLES
from embedlab.ui.components.nearest import SIDES, Nearest, same_label
from embedlab.ui.components.pick_text import take
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.text import escaped

CHARACTERS = 115

MARKS = {"before": ":gray-badge[left]", "after": ":blue-badge[new]"}  # what is said of a text that only this list holds


def both_lists(
    both: dict[str, Nearest], corpus: Corpus, *, label: str | None, titles: tuple[str, str] = tuple(TITLES.values()),
    on_pick: Callable[[int], None] | None = take,
) -> None:  # fmt: skip
    """Side by side, nearest first; a text that only one of the lists holds is marked.

    ``on_pick``: what a click on a text does with its row; None: the texts are only read.
    """
    for side, other, title, place in zip(SIDES, reversed(SIDES), titles, pair("lists"), strict=True):
        only_here = ~np.isin(both[side].rows, both[other].rows)
        with place:
            head = f"**{escaped(title)}**"
            st.markdown(head)
            heads = _heads(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
            if on_pick is None or not heads:
                lines = list_lines(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
                st.markdown("\n".join(lines) or "No text is near it.")
                continue
            with st.container(gap=None, key=f"walk-{side}"):
                for position, (line, row) in enumerate(zip(heads, both[side].rows.tolist(), strict=True)):
                    numbered = f"{position + 1}\\. {line}"
                    st.markdown(numbered)
                    beginning = _beginning(corpus, row)
                    st.button(beginning, key=f"walk-{side}-{position}", type="tertiary", on_click=on_pick, args=(row,))


def list_lines(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """A numbered list in Markdown, user text escaped: label (✓ where it is ``label``), mark, how far, and the text."""
    heads, lines = _heads(corpus, near, label=label, mark=mark, marked=marked), []
    for position, (head, row) in enumerate(zip(heads, near.rows, strict=True)):
        lines += [f"{position + 1}. {head}  ", f"   {_beginning(corpus, row)}"]
    return lines


def _heads(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """What stands above each text."""
    same, heads = same_label(corpus, near.rows, label), []
    for position, row in enumerate(near.rows):
        far = _how_far(near, position)
        badges = [_label_badge(corpus, row, is_same=same[position], compared=label is not None)]
        badges.append(mark if marked[position] else "")
        heads.append(" ".join(part for part in [*badges, f":small[:gray[{far}]]" if far else ""] if part))
    return heads


def _how_far(near: Nearest, position: int) -> str:
    """By the distance that the list is in the order of, then by the other one; what is not known is left out."""
    said = {}
    if near.distances is not None:
        said[EUCLIDEAN] = f"distance {near.distances[position]:.3g}"
    if near.cosines is not None:
        said[COSINE] = f"cosine {near.cosines[position]:.2f}"
    return ", ".join(said[each] for each in (near.distance, other_distance(near.distance)) if each in said)


def _beginning(corpus: Corpus, row: int) -> str:
    """Title and first words in Markdown, user text escaped."""
    title = corpus.titles[row] if corpus.titles is not None else ""
    head = f"**{escaped(title, CHARACTERS // 2)}** " if title else ""
    return head + escaped(corpus.texts[row], max(CHARACTERS - len(title), CHARACTERS // 2))


def _label_badge(corpus: Corpus, row: int, *, is_same: bool, compared: bool) -> str:
    label = corpus.labels[row] if corpus.labels is not None else None
    if label is None:
        return ""
    if is_same:
        return f":green-badge[✓ {escaped(label, 40)}]"
    return f"✗ {escaped(label, 40)}" if compared else escaped(label, 40)
