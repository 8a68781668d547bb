"""What a run found: the verdict, kNN accuracy before and after between the reference lines, and both maps."""

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import read_state
from embedlab.ui.components.encoder_choice import phases
from embedlab.ui.components.film_view import film_section
from embedlab.ui.components.knn_numbers import numbers
from embedlab.ui.components.run_maps import map_pair
from embedlab.ui.components.words_explained import words_explained
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.text import count, escaped
from embedlab.ui.result.moved_summary import moved_summary
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
        st.warning(escaped(f"Seen at step {count(notice.step)}: {notice.message}", 700))
    if result.lineage:
        st.caption(escaped(f"Started from the encoder of {phases(result.lineage)}.", 400))
    with_verdict = {TRAINED_ON} if result.judged else set()
    lines = [each.message for each in result.warnings if each.code not in with_verdict]
    lines = [*dict.fromkeys(each.sentence for each in result.joined.values()), *lines]
    if result.stopped and result.kept:
        lines.insert(0, result.kept.reason)
    for line in lines:
        st.caption(escaped(line, 600))
