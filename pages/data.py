"""Data: corpora, pairs, evaluation sets, imported embeddings and selections; one place to add a file of any kind."""

import streamlit as st

from embedlab.corpora.base import CORPORA
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.runs.state import State
from embedlab.runs.store import stored_request
from embedlab.ui.corpus.corpus_sources import BUILT_IN, READING, SOURCES
from embedlab.ui.corpus.corpus_view import shelf_actions, show_checkup
from embedlab.ui.corpus.file_kind import recognized_line
from embedlab.ui.corpus.other_data import own_embeddings, stored_pairs, stored_sets
from embedlab.ui.corpus.summaries_view import show_summaries
from embedlab.ui.frame.page import empty_state, page_head, what_am_i_looking_at
from embedlab.ui.frame.pickers import corpus_picker
from embedlab.ui.frame.progress import active_corpus_job, added_corpus, follow_job
from embedlab.ui.frame.state import CORPUS, CORPUS_SOURCE, DROPPED, opened, view_choice
from embedlab.ui.maps.selections import selections_of
from embedlab.ui.train.find_view import quick_find
from embedlab.ui.train.train_form import quick_start

STORED = "Stored"


def show_job() -> None:
    """The current reading or download; when it is done, its corpus opens."""
    job = READING.folder or active_corpus_job()
    if job is None:
        return
    READING.keep(job)
    if follow_job(job) is State.FINISHED:
        READING.forget()
        # the built-in texts are gathered by Home itself, while a reader is busy with others
        if st.session_state[CORPUS_SOURCE] == BUILT_IN or stored_request(job).settings.get("reference") != "docs":
            st.session_state.pop(DROPPED, None)
            st.session_state[CORPUS] = added_corpus(job).fingerprint
            st.session_state[CORPUS_SOURCE] = STORED


def corpora() -> None:
    """The stored corpora with their check-up, or one of the ways to a new one."""
    st.session_state.setdefault(CORPUS_SOURCE, STORED if list_corpora() else BUILT_IN)
    show_job()
    source = view_choice([STORED, *SOURCES], key=CORPUS_SOURCE)
    if source in SOURCES:
        SOURCES[source]()
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        fingerprint = corpus_picker("corpus.stored", "Stored corpora")
    if fingerprint is None:
        st.info(
            "Nothing is stored yet. The built-in texts need no download; add your own from a file, a path or the hub."
        )
        return
    corpus = opened(fingerprint)
    with row:
        quick_start(corpus)
        quick_find(corpus)
        shelf_actions(CORPORA, corpus.info)
    show_checkup(corpus)
    show_summaries(corpus)


def selections() -> None:
    """The selections of one corpus."""
    fingerprint = corpus_picker("data.selections_of")
    if fingerprint is None:
        empty_state("Selections are made of a corpus's texts.", button="Add a corpus", page="corpus")
    else:
        selections_of(opened(fingerprint))


KINDS = {
    "Corpora": corpora,
    "Training pairs": stored_pairs,
    "Evaluation sets": stored_sets,
    "Embeddings": own_embeddings,
    "Selections": selections,
}

ABOUT = {
    "Corpora": "A corpus is a set of texts, with or without labels. Labels are never trained on: they score, by kNN "
    "accuracy, and color the maps. Text crops need texts of several sentences, so that two different pieces of one "
    "text can be compared: only texts with at least two crops can be used for training. A text and its copies are "
    "never on both sides of a test. A stored corpus never changes; it is identified by a fingerprint of its content.",
    "Training pairs": "Recipes of the group “given pairs” train on two matching texts per row, optionally with "
    "non-matching texts or with a score. The test texts of a corpus are never used for training.",
    "Evaluation sets": "An evaluation set is measured in addition to a corpus: STS by the rank correlation of cosines "
    "with scores, retrieval and reranking by the ranks of relevant texts. A run measures it under Scores, "
    "Metrics; it can also judge a run during training.",
    "Embeddings": "Vectors or coordinates from elsewhere become a separate run without an encoder: they are "
    "measured, drawn and compared like any other.",
    "Selections": "A selection is a named group of texts of a corpus: it is highlighted on every map, measured "
    "separately under Runs, and can become a corpus.",
}
page_head("Data", "The texts to work on, and what they look like.")
kind = view_choice(list(KINDS), key="data")
recognized_line(kind)
KINDS[kind]()
PAPER = "Crops paper, section 3.2 (crops) and section 4.1 (corpora)."
what_am_i_looking_at(ABOUT[kind], PAPER if kind == "Corpora" else "The file formats are described in the README.")
