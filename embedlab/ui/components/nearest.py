"""One text of a corpus, chosen by a word in it or at random, and its nearest texts before and after."""

import random
from collections.abc import Callable

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import COSINE, EUCLIDEAN, other_distance
from embedlab.numbers import count, fixed
from embedlab.report.nearest_texts import Nearest, same_label, text_line
from embedlab.ui.components.loaded_maps import TITLES
from embedlab.ui.frame.layout import escaped, pair

LISTED = 200
STEPS_BACK = 50
FIRST, SECOND = "neighbors", "second-text"  # whose choice it is
ROW = f"{FIRST}.row"  # another page may set it before it opens Neighbors


def picked_text(corpus: Corpus, *, key: str = FIRST) -> int:
    """The corpus row chosen last; initially the first non-empty text."""
    chosen = st.session_state.get(f"{key}.row")
    if chosen is None or chosen >= corpus.info.rows or corpus.excluded[chosen]:
        chosen = int(corpus.kept[:2][-1 if key == SECOND else 0])
    return chosen


def pick_text(corpus: Corpus, *, key: str = FIRST) -> int:
    """Draws the search field, its results and Back; returns the chosen corpus row.

    A new search chooses the first text that it finds.
    """
    if st.session_state.setdefault(f"{key}.of", corpus.fingerprint) != corpus.fingerprint:
        st.session_state[f"{key}.of"] = corpus.fingerprint
        st.session_state.pop(f"{key}.back", None)  # rows of another corpus
    chosen = st.session_state[f"{key}.row"] = picked_text(corpus, key=key)
    search, choice = f"{key}.search", f"{key}.choice"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input("Search the corpus", key=search, placeholder="Part of a text", persist_state="session")
        hits = matches(corpus, typed)
        rows = corpus.kept if hits is None else np.flatnonzero(hits & ~corpus.excluded)
        search_of = (corpus.fingerprint, typed)
        is_new = st.session_state.get(f"{key}.asked", (corpus.fingerprint, "")) != search_of
        if is_new and hits is not None and len(rows):
            chosen = int(rows[0])
            take(chosen, key=key)
        st.session_state[f"{key}.asked"] = search_of
        listed = [int(row) for row in rows[:LISTED]]
        if chosen not in listed:
            listed.insert(0, chosen)
        st.session_state[choice] = chosen
        first = f"the first {LISTED} of " * (len(rows) > LISTED)
        label = "Text" if hits is None else f"Text ({first}{count(len(rows))} found)"
        st.selectbox(
            label, listed, key=choice, format_func=lambda row: text_line(corpus, row), on_change=_take, args=(key,)
        )
        st.button("Random text", key=f"{key}.random", on_click=_take_random, args=(corpus, rows, key))
        if back := st.session_state.get(f"{key}.back"):
            label = f"Back to “{escaped(text_line(corpus, back[-1], 60), 60)}”"
            st.button("Back", key=f"{key}.go-back", on_click=_go_back, args=(key,), help=label)
    return chosen


def heading_of(corpus: Corpus, row: int, *, unlabelled: str = "") -> str:
    """Title and label in Markdown, escaped; empty if there is neither."""
    title, label = corpus.title(row), corpus.label(row)
    parts = [f"**{escaped(title)}**" if title else "", unlabelled if label is None else escaped(label)]
    return " · ".join(part for part in parts if part)


def take(row: int, *, key: str = FIRST) -> None:
    """Make this the chosen text, with Back leading to the previous one; for callbacks, and before Neighbors opens."""
    before = st.session_state.get(f"{key}.row")
    if before is not None and before != row:
        st.session_state[f"{key}.back"] = [*st.session_state.get(f"{key}.back", ()), before][-STEPS_BACK:]
    st.session_state[f"{key}.row"] = int(row)


def _go_back(key: str) -> None:
    *earlier, row = st.session_state[f"{key}.back"]
    st.session_state[f"{key}.row"], st.session_state[f"{key}.back"] = row, earlier


def _take(key: str) -> None:
    take(st.session_state[f"{key}.choice"], key=key)


def _take_random(corpus: Corpus, rows: np.ndarray, key: str) -> None:
    take(random.choice(rows if len(rows) else corpus.kept), key=key)


def matches(corpus: Corpus, typed: str) -> np.ndarray | None:
    """(rows,) whether the title or text of each row contains the query; None if nothing was typed."""
    phrase = typed.strip().casefold()
    return _matches(corpus, corpus.fingerprint, phrase) if phrase else None


@st.cache_resource(max_entries=16, show_spinner=False)
def _matches(_corpus: Corpus, fingerprint: str, phrase: str) -> np.ndarray:
    hits = np.fromiter((phrase in text.casefold() for text in _corpus.texts), bool, _corpus.info.rows)
    if _corpus.titles is not None:
        hits |= np.fromiter((phrase in title.casefold() for title in _corpus.titles), bool, _corpus.info.rows)
    return hits


SIDES = ("before", "after")
CHARACTERS = 115
MARKS = {"before": ":gray-badge[left]", "after": ":blue-badge[new]"}  # what is said of a text that only this list holds


def both_lists(
    both: dict[str, Nearest], corpus: Corpus, *, label: str | None,
    titles: tuple[str, str] = (TITLES["before"], TITLES["after"]), on_pick: Callable[[int], None] | None = take,
) -> None:  # fmt: skip
    """Side by side, nearest first; a text in only one of the lists is marked.

    ``on_pick``: what a click on a text does with its row; None: the texts are only read.
    """
    for side, other, title, column in zip(SIDES, reversed(SIDES), titles, pair("lists"), strict=True):
        only_here = ~np.isin(both[side].rows, both[other].rows)
        with column:
            st.markdown(f"**{escaped(title)}**")
            heads = _heads(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
            if on_pick is None or not heads:
                lines = list_lines(corpus, both[side], label=label, mark=MARKS[side], marked=only_here)
                st.markdown("\n".join(lines) or "No text is near it.")
                continue
            with st.container(gap=None, key=f"walk-{side}"):
                for position, (line, row) in enumerate(zip(heads, both[side].rows.tolist(), strict=True)):
                    st.markdown(f"{position + 1}\\. {line}")
                    beginning = _beginning(corpus, row)
                    st.button(beginning, key=f"walk-{side}-{position}", type="tertiary", on_click=on_pick, args=(row,))


def list_lines(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """A numbered Markdown list, user text escaped: label (✓ if it is ``label``), mark, distance, and the text."""
    heads, lines = _heads(corpus, near, label=label, mark=mark, marked=marked), []
    for position, (head, row) in enumerate(zip(heads, near.rows, strict=True)):
        lines += [f"{position + 1}. {head}  ", f"   {_beginning(corpus, row)}"]
    return lines


def _heads(corpus: Corpus, near: Nearest, *, label: str | None, mark: str, marked: np.ndarray) -> list[str]:
    """The heading of each text: label, mark, and how far it is by the list's own distance, then by the other one."""
    same, heads = same_label(corpus, near.rows, label), []
    for position, row in enumerate(near.rows):
        written = {}
        if near.distances is not None:
            written[EUCLIDEAN] = f"distance {near.distances[position]:#.3g}".removesuffix(".")
        if near.cosines is not None:
            written[COSINE] = f"cosine {fixed(near.cosines[position], 2)}"
        far = ", ".join(written[each] for each in (near.distance, other_distance(near.distance)) if each in written)
        badge = _label_badge(corpus, row, is_same=same[position], compared=label is not None)
        parts = [badge, mark if marked[position] else "", f":small[:gray[{far}]]" if far else ""]
        heads.append(" ".join(filter(None, parts)))
    return heads


def _beginning(corpus: Corpus, row: int) -> str:
    """Title and first words in Markdown, user text escaped."""
    title = corpus.title(row)
    head = f"**{escaped(title, CHARACTERS // 2)}** " if title else ""
    return head + escaped(corpus.texts[row], max(CHARACTERS - len(title), CHARACTERS // 2))


def _label_badge(corpus: Corpus, row: int, *, is_same: bool, compared: bool) -> str:
    label = corpus.label(row)
    if label is None:
        return ""
    if is_same:
        return f":green-badge[✓ {escaped(label, 40)}]"
    return f"✗ {escaped(label, 40)}" if compared else escaped(label, 40)
