"""Typed texts, repeated: how similar two become, and how one moves on both maps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from embedlab.figures.length import CopiesAxis, cosine_axis, kept_axis, over_copies
from embedlab.metrics.length_results import COPIES, Bench, CopiesFit
from embedlab.report.length_words import flight_sentence, flight_table, plain_count, truncation_sentence, way
from embedlab.report.nearest_texts import nearest_of_answer
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.vectors import Flight
from embedlab.ui.components.nearest import SIDES, both_lists
from embedlab.ui.components.run_maps import corpus_needed, first_drawn, texts_on_maps
from embedlab.ui.frame.background import answered
from embedlab.ui.frame.files import csv_download
from embedlab.ui.frame.layout import chart, escaped, number_row
from embedlab.ui.frame.state import by_distance, is_dark, one_of, shown_distance

FIRST, SECOND = "what is NLP?", "what is computer vision?"  # the paper's own pair, section 3
LONGEST = 300  # characters of a typed text


def bench(run: RunFolder) -> None:
    """Two texts and m; the cosine by both encoders at 1 and at m, the line over all m, the effect of truncation."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Change the texts", width="content"):
            a = st.text_input("First text", FIRST, key="length.a", max_chars=LONGEST, persist_state="session").strip()
            b = st.text_input("Second text", SECOND, key="length.b", max_chars=LONGEST, persist_state="session").strip()
        m = st.select_slider("Copies m of each", COPIES, value=25, key="length.m", persist_state="session", width=420)
    st.caption(f"“{escaped(a, LONGEST)}” and “{escaped(b, LONGEST)}”")
    if not (a and b):
        st.info("Type two texts to compare them.")
        return
    question = {"kind": "length", "run": run.id, "a": a, "b": b, "copies": COPIES}
    similarity = answered(question, dict[str, Bench], key="length.asked")
    if similarity is None:
        return
    before, after, beginning = similarity["before"], similarity["after"], word_of_before(run)
    position, row = before.copies.index(m), number_row()
    sides = ((beginning.capitalize(), before.cosines), ("Fine-tuned", after.cosines))
    for name, each in sides:
        label, both = f"{name}, m = 1 → {m}", f"{_written(each[0])} → {_written(each[position])}"
        row.metric(label, both, help="Cosine similarity of the two texts.")
    read = plain_count(before.effective_copies[position])
    row.metric("Copies read", read, help="Of the longer text; the rest is truncated.")
    cosines = {side: part.cosines for side, part in similarity.items()}
    _over_copies(cosine_axis([*before.cosines, *after.cosines]), before, cosines, "cosines", m, beginning)
    st.caption(truncation_sentence(before, m))
    for name, each in sides:
        if None in each:
            st.caption(f"{name}: one of the texts has no vector, because this encoder knows none of its words.")


def _over_copies(
    axis: CopiesAxis, fit: CopiesFit, numbers: Mapping[str, Sequence], name: str, m: int, beginning: str
) -> None:
    """Draws numbers over all m, by both encoders, and from where on the text is truncated."""
    truncated_from = None if fit.truncated_from is None else max(fit.effective_copies)
    figure = over_copies(
        axis, copies=COPIES, untouched=numbers["before"], tuned=numbers["after"], at=m, beginning=beginning,
        truncated_from=truncated_from, dark=is_dark(),
    )  # fmt: skip
    chart(figure, key=f"length.{name}")


def _written(cosine: float | None) -> str:
    return "–" if cosine is None else f"{cosine:.2f}"


K = 10  # of nearest texts


def flight(run: RunFolder) -> None:
    """A typed text and m; where both encoders place it, how many neighbors stay over all m, and those at 1 and m."""
    corpus = corpus_needed(run)
    left, slider = st.columns([2, 1.2], vertical_alignment="bottom")
    given = FIRST
    if corpus.titles is not None:
        given = next((title for row in corpus.kept if (title := corpus.titles[row])), FIRST)[:LONGEST]
    text = left.text_input(
        "Text", given, key=f"length.flying-{corpus.fingerprint[:8]}", max_chars=LONGEST, persist_state="session"
    ).strip()
    m = slider.select_slider("Copies m", COPIES, value=25, key="length.flown", persist_state="session")
    if not text:
        st.info("Type a text to see how it moves.")
        return
    method = first_drawn(run)
    question = {"kind": "flight", "run": run.id, "text": text, "copies": COPIES, "k": K, "method": method or "tsne"}
    path = answered(question | {"distance": shown_distance()}, dict[str, Flight], key="length.flight")
    if path is None:
        return
    if not any(path[side].is_known for side in SIDES):
        st.info("The encoders know no token of this text, so it has no position. Try words of the corpus.")
        return
    at, beginning = COPIES.index(m), word_of_before(run)
    st.subheader(escaped(flight_sentence(path, at, beginning), 300), anchor=False)
    near = {side: np.array(path[side].near[at].rows, int) for side in SIDES}
    texts_on_maps(
        run, corpus, near, lambda side, _: way(path[side].places, at) if path[side].is_known else [], key="flight",
        caption=f"Dots: the text at each m, among its {K} nearest.", undrawn="the path of the text",
    )  # fmt: skip
    stays = {side: each.stays for side, each in path.items()}
    _over_copies(kept_axis(K), path["before"], stays, "kept", m, beginning)
    st.caption(f"Nearest texts {by_distance(shown_distance())}. {truncation_sentence(path['before'], m)}")
    sides = dict(zip((beginning.capitalize(), "Fine-tuned"), SIDES, strict=True))
    with st.expander("Its nearest texts"):
        chosen = one_of("Encoder", list(sides), key="length.flown-by", first="Fine-tuned", is_labelled=False)
        by_chosen = path[sides[chosen or "Fine-tuned"]]
        lists = {
            side: nearest_of_answer(replace(by_chosen.near[number], is_known=by_chosen.is_known), shown_distance())
            for side, number in zip(SIDES, (0, at), strict=True)
        }
        titles = ("Nearest unchanged", f"Nearest when repeated {m} times")
        both_lists(lists, corpus, label=None, titles=titles, on_pick=None)
        name = f"flight-{run.id}.csv"
        csv_download(lambda: flight_table(path), name, "Download the flight as CSV", key="length.flight.csv")
