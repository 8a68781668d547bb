"""Meaningful axes: every text by its cosine to two typed phrases, before and after."""

import math

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.phrase_axes import (
    HOVER,
    NAMED,
    POINTS,
    AxesReading,
    hover_texts,
    phrase_axes,
    read_axes,
    shared_ranges,
    worth_naming,
)
from embedlab.jobs.questions import AxesAnswer, answered_array
from embedlab.numbers import count, fixed
from embedlab.report.nearest_texts import text_line
from embedlab.runs.hand_labels import shown_as
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.background import answered, ask_again
from embedlab.ui.frame.layout import chart, escaped, pair
from embedlab.ui.frame.state import colours_of, is_dark

FIRST, SECOND = "maps.axis-x", "maps.axis-y"
HOVER_TEXTS = 12_000  # with more, hover says the cosines alone
_KEY = "maps.asked-axes"
_ALIKE, _APART = 0.8, 0.3


def show_axes(view: Compared, corpus: Corpus) -> None:
    """Two phrases in, two maps out whose distances have a meaning."""
    phrases = _phrases(corpus)
    if not all(phrases):
        st.caption(
            "Type two phrases. Every text is then placed by its cosine similarity to the first (x) and to the second "
            "(y), before and after: the only map on which distances can be read as numbers."
        )
        return
    question = {"kind": "axes", "run": view.run.id, "phrases": phrases, "sides": view.encoders_asked}
    reply = answered(question, AxesAnswer, key=_KEY)
    if reply is None:
        return
    unknown = [phrase for n, phrase in enumerate(phrases) if not any(reply.has_tokens[side][n] for side in SIDES)]
    if unknown:
        words = " and ".join(f"“{escaped(phrase)}”" for phrase in unknown)
        st.warning(
            f"The encoders know no token of {words}, so nothing can be compared with it. Try words of the corpus."
        )
        return
    cosines = _cosines(reply.array)
    if cosines is None:
        ask_again(_KEY)
        st.rerun()
    _draw(view, corpus, phrases, cosines, reply.array)


def _phrases(corpus: Corpus) -> list[str]:
    with st.form("maps.axes-form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.text_input("x: cosine to", key=FIRST, max_chars=500, persist_state="session")
        second = st.text_input("y: cosine to", key=SECOND, max_chars=500, persist_state="session")
        st.form_submit_button("Draw the axes", type="primary")
    if not (first.strip() and second.strip()) and len(corpus.info.classes) >= 2:
        names = [each.label for each in corpus.info.classes[:2]]
        label = f"Try “{escaped(names[0], 30)}” and “{escaped(names[1], 30)}”"
        example = dict(zip((FIRST, SECOND), names, strict=True))
        st.button(label, key="maps.axes-example", on_click=st.session_state.update, args=(example,))
    return [first.strip(), second.strip()]


@st.cache_resource(max_entries=4, show_spinner=False)
def _cosines(name: str) -> np.ndarray | None:
    """(sides, phrases, rows), or None if the resident process has deleted it"""
    return answered_array(name)


@st.cache_resource(max_entries=4, show_spinner=False)
def _readings(_cosines: np.ndarray, _corpus: Corpus, name: str, labels_shown: str) -> tuple[AxesReading, AxesReading]:
    groups = categories_of(_corpus, np.arange(_corpus.info.rows))
    classes = len(colours_of(_corpus))
    return read_axes(_cosines[0], groups, classes), read_axes(_cosines[1], groups, classes)


@st.cache_resource(max_entries=2, show_spinner=False)
def _beginnings(_corpus: Corpus, fingerprint: str) -> list[str]:
    return hover_texts(text_line(_corpus, row, HOVER) for row in range(_corpus.info.rows))


def _draw(view: Compared, corpus: Corpus, phrases: list[str], cosines: np.ndarray, name: str) -> None:
    both = _readings(cosines, corpus, name, shown_as(corpus))
    if not all(each.texts for each in both):
        st.warning("No text has a cosine to both phrases on both sides. Try words of the corpus.")
        return
    correlations = [f"r = {fixed(each.correlation, 2)} {word}" for each, word in zip(both, view.words, strict=True)]
    st.markdown(f"**Correlation of both axes: {', '.join(correlations)}.** {_meaning(both[1].correlation)}")
    colours, dark = colours_of(corpus), is_dark()
    named, ranges = worth_naming(both, NAMED), shared_ranges(cosines)
    hovers = _beginnings(corpus, corpus.fingerprint) if corpus.info.rows <= HOVER_TEXTS else None
    most = max(each.texts for each in both)
    drawn_as = "how many are in each cell, darker is more" if most > POINTS else "one point each"
    for n, (title, column) in enumerate(zip(view.titles, pair("axes"), strict=True)):
        with column:
            figure = phrase_axes(
                cosines=cosines[n],
                groups=categories_of(corpus, np.arange(corpus.info.rows)),
                names=list(colours),
                colours=list(colours.values()),
                means=both[n].means,
                named=named,
                ranges=ranges,
                phrases=phrases,
                title=title,
                correlation=both[n].correlation,
                hovers=hovers,
                identity=name,
                dark=dark,
            )
            chart(figure, key=f"axes-{SIDES[n]}-{view.run.id}")
            st.markdown(_highest(both[n], list(colours), phrases))
    st.caption(
        f"{count(most)} texts, {drawn_as}. Both sides have the same ranges. Named and in color: the classes whose mean "
        "(the diamond) is highest on an axis; on the dotted line a text is as similar to one phrase as to the other."
    )


def _meaning(correlation: float) -> str:
    if math.isnan(correlation):
        return "One of the axes does not vary."
    if correlation >= _ALIKE:
        return "Nearly one axis: a text near one phrase is near the other, so the two do not separate texts."
    if correlation <= -_ALIKE:
        return "Nearly one axis, reversed: what is near one phrase is far from the other."
    return "Two different questions." if abs(correlation) <= _APART else "The axes partly measure the same thing."


def _highest(reading: AxesReading, names: list[str], phrases: list[str]) -> str:
    """The classes with the highest mean on each axis."""
    lines = []
    for n, phrase in enumerate(phrases):
        top = [f"{escaped(names[row], 30)} {fixed(reading.means[n, row], 2)}" for row in reading.highest(n)]
        if top:
            lines.append(f":gray[Highest on “{escaped(phrase, 40)}”:] {', '.join(top)}")
    return "  \n".join(lines)
