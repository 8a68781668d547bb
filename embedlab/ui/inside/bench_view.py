"""The two-sentence bench: how similar two typed texts become the more often both are repeated."""

import streamlit as st

from embedlab.figures.length import bench_line
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.ui.components.chart import chart
from embedlab.ui.frame.background import answered
from embedlab.ui.frame.layout import number_row
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import count

COPIES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100]
FIRST, SECOND = "what is NLP?", "what is computer vision?"  # the paper's own pair, section 3
LONGEST = 300  # characters of a typed text


def bench(run: RunFolder) -> None:
    """Two texts, m, and the cosine for every m."""
    first, second, slider = st.columns([1, 1, 1.2], vertical_alignment="bottom")
    a = first.text_input("First text", FIRST, key="length.a", max_chars=LONGEST, persist_state="session").strip()
    b = second.text_input("Second text", SECOND, key="length.b", max_chars=LONGEST, persist_state="session").strip()
    m = slider.select_slider("Copies m of each", COPIES, value=25, key="length.m", persist_state="session")
    if not (a and b):
        st.info("Type two texts to compare them.")
        return
    found = answered({"kind": "length", "run": run.id, "a": a, "b": b, "copies": COPIES}, key="length.asked")
    if found is not None:
        bench_result(found, m, beginning=word_of_before(run))


def bench_result(found: dict, m: int, *, beginning: str) -> None:
    """The cosine of both encoders at 1 and at m, the line over all m, and what truncation does."""
    before, after = found["before"], found["after"]
    place = before["copies"].index(m)
    row = number_row()
    names = beginning.capitalize(), "Fine-tuned"
    for name, values in ((names[0], before["cosines"]), ("Fine-tuned", after["cosines"])):
        label, both = f"{name}, m = 1 → {m}", f"{_written(values[0])} → {_written(values[place])}"
        row.metric(label, both, help="Cosine similarity of the two texts.")
    read = _plain(before["effective_copies"][place])
    row.metric("Copies read", read, help="Of the longer text; the rest is truncated.")
    cut = before["truncated_from"] is not None
    figure = bench_line(
        copies=before["copies"],
        untouched=before["cosines"],
        tuned=after["cosines"],
        truncated_from=max(before["effective_copies"]) if cut else None,
        at=m,
        beginning=beginning,
        dark=is_dark(),
    )
    chart(figure, key="length.bench")
    st.caption(truncation_sentence(before, m))
    for name, part in zip(names, (before, after), strict=True):
        if None in part["cosines"]:
            line = f"{name}: one of the texts has no vector, because this encoder knows none of its words."
            st.caption(line)


def truncation_sentence(found: dict, m: int) -> str:
    """How many of the m copies are read at all."""
    most = _plain(max(found["effective_copies"]))
    if found["truncated_from"] is None:
        return f"The encoder reads all {count(max(found['copies']))} copies of both texts: nothing is truncated."
    if m < found["truncated_from"]:
        return f"At m = {m} the encoder reads every copy. Of the longer text it reads at most {most} copies."
    return (
        f"At m = {m} the encoder reads {most} copies of the longer text and truncates the rest, so m is really {most}."
    )


def _written(cosine: float | None) -> str:
    return "–" if cosine is None else f"{cosine:.2f}"


def _plain(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
