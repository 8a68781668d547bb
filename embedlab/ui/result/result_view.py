"""What a run found: the verdict, kNN accuracy before and after between the reference lines, and both maps."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.drawn_map import UNTOUCHED
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Moves
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import read_state
from embedlab.ui.components.film_view import film_section
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.loaded_maps import moves, ranked
from embedlab.ui.components.pick_text import text_line
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.components.train_fields import phases
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.text import count, escaped, percent
from embedlab.ui.result.verdict_view import TRAINED_ON, verdict


def show_result(run: RunFolder) -> None:
    """The sentence, the numbers, the maps; while all labelled texts are still told, how far that is."""
    result = read_result(run)
    if result is None:
        return
    if not read_state(run).is_over:
        follow_job(run, stop="Skip the ten folds")
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run)
    moved_summary(run)
    film_section(run)
    remarks(result)


def remarks(result: RunResult) -> None:
    """What was warned of, and which step is kept."""
    for notice in result.notices:
        st.warning(escaped(f"At step {count(notice.step)}: {notice.message}", 700))
    if result.lineage:
        st.caption(escaped(f"Started from the encoder of {phases(result.lineage)}.", 400))
    with_verdict = {TRAINED_ON} if result.judged else set()
    lines = [each.message for each in result.warnings if each.code not in with_verdict]
    lines = [*dict.fromkeys(each.sentence for each in result.joined.values()), *lines]
    if result.stopped and result.kept:
        lines.insert(0, result.kept.reason)
    for line in lines:
        st.caption(escaped(line, 600))


LISTED = 5
_CHARACTERS = 74


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
    go_button("Show all that moved", "moved", name="moved.open")


def moved_sentence(found: Moves) -> str:
    """How many texts have other neighbors, and whether those are more often of their own class."""
    facts = found.facts
    moved = f"{percent(facts['moved']['share'])} of the texts have other nearest texts than before (Euclidean distance)"
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
