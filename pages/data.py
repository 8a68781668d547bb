"""Data: corpora, pairs, evaluation sets, own embeddings and selections; one place to add a file of any of them."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State
from embedlab.runs.store import read_job_result, read_settings
from embedlab.ui.corpus.corpus_sources import BUILT_IN, READING, SOURCES
from embedlab.ui.corpus.corpus_view import show_checkup
from embedlab.ui.corpus.summaries_view import show_summaries
from embedlab.ui.corpus.vectors_form import own_vectors_form
from embedlab.ui.finds.find_form import quick_find
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.opened import opened
from embedlab.ui.frame.page import page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import corpus_picker
from embedlab.ui.frame.progress import active_corpus_job, follow_job
from embedlab.ui.frame.state import CORPUS, CORPUS_SOURCE, NEW_VIEW, TRAIN_VIEW
from embedlab.ui.frame.view_choice import view_choice

STORED = "Stored"


def show_job() -> None:
    """The reading or download that is going on; when it is done, its corpus opens."""
    job = READING.folder or active_corpus_job()
    if job is None:
        return
    READING.keep(job)
    if follow_job(job) is State.FINISHED:
        READING.forget()
        if is_waited_for(job):
            st.session_state[CORPUS] = read_job_result(job)["fingerprint"]
            st.session_state[CORPUS_SOURCE] = STORED


def is_waited_for(job: RunFolder) -> bool:
    """Not the built-in texts, which Home begins to gather by itself, where a reader is busy with others."""
    return st.session_state[CORPUS_SOURCE] == BUILT_IN or read_settings(job)["settings"].get("reference") != "docs"


page_head("Data", "Which texts to work on, and what they are like.")
st.session_state.setdefault(CORPUS_SOURCE, STORED if list_corpora() else BUILT_IN)
show_job()
source = view_choice([STORED, *SOURCES], key=CORPUS_SOURCE)
if source in SOURCES:
    SOURCES[source]()
else:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        fingerprint = corpus_picker("corpus.stored", "Stored corpora")
    if fingerprint is None:
        st.info(
            "Nothing is stored yet. The built-in texts need no download; your own come from a file, a path or the hub."
        )
    else:
        with row:
            if st.button("Go on to Train", key="corpus.onward", type="primary"):
                st.session_state[TRAIN_VIEW] = NEW_VIEW
                go_to("train")
            quick_find(opened(fingerprint))
        show_checkup(opened(fingerprint))
        show_summaries(opened(fingerprint))
        own_vectors_form(opened(fingerprint))
what_am_i_looking_at(
    "A corpus is texts, with labels or without. Labels are never trained on: they measure, by kNN accuracy, and "
    "colour the maps. Text crops need texts of several sentences, so that two different pieces of one text can be "
    "compared: the number of texts with two crops or more says how many can be trained on. A text that repeats an "
    "earlier one never stands on both sides of a test. A stored corpus never changes; it is known by a "
    "fingerprint of its content.",
    "Crops paper, section 3.2 (crops) and section 4.1 (corpora).",
)
