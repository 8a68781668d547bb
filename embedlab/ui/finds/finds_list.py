"""The Finds of the store among the runs: one entry each, which opens to its candidates."""

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.finds.store import Find, list_finds, results_of
from embedlab.studies.over_corpora import corpus_names
from embedlab.ui.finds.find_view import MOST, corpus_of_find, find_line
from embedlab.ui.finds.pictures import leaderboard, not_tried_section
from embedlab.ui.finds.state import show_next
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import escaped


def finds_list() -> None:
    """The newest first; nothing where there is none."""
    finds = list_finds()[:MOST]
    if not finds:
        return
    st.subheader("Finds", anchor=False)
    names = corpus_names()
    for find in finds:
        corpus = names.get(corpus_of_find(find), "")
        line = " · ".join(part for part in (corpus, find_line(find)) if part)
        entry = st.expander(escaped(line, 200), key=f"finds.entry-{find.id}", on_change="rerun")
        if entry.open:
            with entry:
                _candidates(find)


def _candidates(find: Find) -> None:
    try:
        results = results_of(find)
    except EmbedlabError as error:
        show_error(error)
    else:
        leaderboard(results)
        not_tried_section(results)
    if st.button("Open this Find", key=f"finds.open-{find.id}"):
        show_next(find)
        go_to("train")
