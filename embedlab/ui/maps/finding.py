"""Finding texts on the maps: by words, by meaning, as neighbors of a text, or two texts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import EmbedlabError
from embedlab.numbers import count, counted
from embedlab.plain_text import shortened
from embedlab.report.nearest_texts import Nearest, nearest_of_answer, nearest_of_row, text_line
from embedlab.runs.drawn_map import dots, place_of_row
from embedlab.runs.vectors import NearRows
from embedlab.ui.components.nearest import FIRST, SECOND, SIDES, matches, pick_text, picked_text, take
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.background import answered
from embedlab.ui.frame.layout import escaped, show_error
from embedlab.ui.frame.state import by_distance, one_of, shown_distance

K = 50  # texts that are bright on each map
DOTS = 10  # of them, those that place a typed text
_SEEN = "maps.clicks-seen"


@dataclass(frozen=True)
class SearchHits:
    """The results of a search, and the places of typed texts."""

    rows: np.ndarray | None = None  # (corpus rows,) bool, found for either map; None: nothing was searched
    typed: str = ""  # words that all of them contain
    marks: tuple[tuple, tuple] = ((), ())  # of the left and of the right map: (name, x, y)
    sides: tuple[np.ndarray, np.ndarray] | None = None  # rows for the left and for the right map, where they differ
    nearest: np.ndarray | None = None  # the same corpus rows to list, nearest on the right first
    near: str = ""  # the text they are nearest to
    distance: Distance = SHOWN_FIRST  # by which they are
    pair: tuple[int, int] | None = None  # two corpus rows to be compared

    def bright(self, side: str) -> np.ndarray | None:
        """What is highlighted on one map. -> (corpus rows,) bool"""
        return self.rows if self.sides is None else self.sides[SIDES.index(side)]

    def listed(self, corpus: Corpus) -> np.ndarray:
        """The corpus rows found, nearest first if they are ranked. -> (found,)"""
        if self.nearest is None:
            return np.flatnonzero(self.rows & ~corpus.excluded)
        return self.nearest

    @property
    def name(self) -> str:
        """A name for the results."""
        return self.typed or shortened(f"near {self.near}" if self.near else "", 60)

    def counted(self, rows: int, where: str, of: int) -> str:
        """The number of texts found on that side, in words."""
        texts = counted(rows, "text")
        if self.near:
            near = f"the {K} nearest {by_distance(self.distance)} to “{escaped(self.near, 60)}”"
            return f"{texts} {where} among {near} on either map"
        if not self.typed.strip():
            return f"{texts} {where}"
        contain = f"contain{'s' if rows == 1 else ''} “{escaped(self.typed.strip(), 60)}”"
        return f"{count(rows)} of {counted(of, 'text')} {where} {contain}"


def finding(view: Compared, corpus: Corpus, method: str, below: DeltaGenerator) -> SearchHits:
    """Draws the search field and its mode; returns the results. A click on a map has chosen the first text, with Ctrl
    or Command the second.

    ``below``: a place under the row of controls, for sentences that would push the controls about.
    """
    states = view.states(method).items()
    clicks = {f"{side} {name}": state.get(name) for side, state in states for name in ("picked", "second")}
    seen = st.session_state.get(_SEEN, {})
    st.session_state[_SEEN] = clicks
    for click, row in clicks.items():
        if row is not None and seen.get(click) != row:
            take(int(row), key=SECOND if click.endswith("second") else FIRST)
    way = one_of("Find by", list(_WAYS), key="maps.find", first="Words", help=_HELP)
    result = _WAYS[way or "Words"](view, corpus, method, below)
    if result.rows is not None:
        st.caption(counted(len(result.listed(corpus)), "text"), width="content")
    return result


_HELP = (
    "Words: texts that contain them. Meaning: the texts nearest to a sentence that you type, for each encoder. "
    "Neighbors: those nearest to a text that you click or choose. Two texts: how two of them compare; on a map, "
    "click one, and then another with Ctrl or Command held."
)


def _by_words(view: Compared, corpus: Corpus, method: str, below: DeltaGenerator) -> SearchHits:
    typed = st.text_input("Search", key="maps.search", placeholder="Part of a text", persist_state="session")
    return SearchHits(matches(corpus, typed), typed)


def _by_meaning(view: Compared, corpus: Corpus, method: str, below: DeltaGenerator) -> SearchHits:
    typed = st.text_input(
        "Sentence", key="maps.meaning", placeholder="A sentence of your own", persist_state="session"
    ).strip()[:20_000]
    if not typed:
        return SearchHits()
    question = {"kind": "neighbors", "run": view.run.id, "text": typed, "k": K, "method": method}
    question |= {"distance": shown_distance(), "sides": view.encoders_asked}
    with below:
        reply = answered(question, dict[str, NearRows], key="maps.asked-meaning", waiting="Embedding the sentence.")
    if reply is None:
        return SearchHits()
    if not any(near.is_known for near in reply.values()):
        below.caption("The encoders know no token of it, so nothing is near it. Try words of the corpus.")
        return SearchHits()
    near = [nearest_of_answer(reply[side], shown_distance()) for side in SIDES]
    places = [reply[side].position if reply[side].is_known else None for side in SIDES]
    marks = [[] if position is None else [("placed by its neighbors", *position)] for position in places]
    return _near(view, corpus, method, near, marks, typed)


def _by_text(view: Compared, corpus: Corpus, method: str, below: DeltaGenerator) -> SearchHits:
    with st.popover(_button_words(corpus, picked_text(corpus), 34)):
        row = pick_text(corpus)
    with below:
        try:
            near = nearest_of_both(view, corpus, row)
        except EmbedlabError as error:  # coordinates alone
            show_error(error)
            return SearchHits()
    if near is None:
        return SearchHits()
    marks = [place_of_row(each, row, "this text") for each in view.maps(method) or (None, None)]
    return _near(view, corpus, method, near, marks, text_line(corpus, row, 60))


def _two_texts(view: Compared, corpus: Corpus, method: str, below: DeltaGenerator) -> SearchHits:
    first, second = picked_text(corpus), picked_text(corpus, key=SECOND)
    with st.popover(f"{_button_words(corpus, first, 18)} and {_button_words(corpus, second, 18)}"):
        st.markdown("**First text**")
        first = pick_text(corpus)
        st.markdown("**Second text**")
        second = pick_text(corpus, key=SECOND)
    left, right = (
        tuple(place_of_row(each, first, "first text") + place_of_row(each, second, "second text"))
        for each in view.maps(method) or (None, None)
    )
    return SearchHits(marks=(left, right), pair=(first, second))


_WAYS = {"Words": _by_words, "Meaning": _by_meaning, "Neighbors": _by_text, "Two texts": _two_texts}


def nearest_of_both(
    view: Compared, corpus: Corpus, row: int, *, k: int = K, dimensions: int | None = None
) -> tuple[Nearest, Nearest] | None:
    """Left and right, by the shown distance: from stored results, or requested if that takes a while.

    ``dimensions``: by the first so many of each vector.
    """
    distance = shown_distance()
    left, right = (
        nearest_of_row(run, name, corpus, row, k=k, distance=distance, dimensions=dimensions)
        for run, name in view.encoders
    )
    if left is not None and right is not None:
        return left, right
    question = {"kind": "row_neighbors", "run": view.run.id, "row": row, "k": k, "distance": distance}
    question |= {"sides": view.encoders_asked, **cut_to(dimensions)}
    reply = answered(question, dict[str, NearRows], key="maps.asked-row", waiting="Finding the nearest texts.")
    if reply is None:
        return None
    left, right = (nearest_of_answer(reply[side], distance) for side in SIDES)
    return left, right


def cut_to(dimensions: int | None) -> dict[str, int]:
    """For a question, which is without it where all dimensions are kept."""
    return {} if dimensions is None else {"dimensions": dimensions}


def _near(
    view: Compared, corpus: Corpus, method: str, near: Sequence[Nearest], marks: list[list], text: str
) -> SearchHits:
    """Highlights on each map what is near there, with dots at the nearest; listed: the right side's, nearest first."""
    masks = [np.isin(np.arange(corpus.info.rows), each.rows) for each in near]
    drawn = view.maps(method) or (None, None)
    left, right = (
        (*dots(own_map, each.rows[:DOTS]), *own_marks)
        for own_map, each, own_marks in zip(drawn, near, marks, strict=True)
    )
    listed = np.array(list(dict.fromkeys([*near[1].rows, *near[0].rows])), np.int64)
    sides = (masks[0], masks[1])
    return SearchHits(
        masks[0] | masks[1], marks=(left, right), sides=sides, nearest=listed, near=text, distance=near[0].distance
    )


def _button_words(corpus: Corpus, row: int, characters: int) -> str:
    return escaped(corpus.title(row) or corpus.texts[row], characters)
