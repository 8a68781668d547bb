"""Find on Train: the form, or one Find during and after its work; and all Finds among the runs."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.errors import EmbedlabError
from embedlab.finds.judging import is_by_labels
from embedlab.finds.store import Find, list_finds, open_find, results_of
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.numbers import ago, duration
from embedlab.runs.state import State
from embedlab.studies.over_corpora import corpus_names
from embedlab.ui.finds.actions import IN_URL, NEW, SHOWN, show_next
from embedlab.ui.finds.find_form import new_find
from embedlab.ui.finds.one_find import leaderboard, not_tried_section, show_find
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import empty_state, show_error
from embedlab.ui.frame.pickers import corpus_picker, keep_choice, lasting_choice
from embedlab.ui.frame.state import CORPUS
from embedlab.ui.frame.text import escaped

PICKER = "find.picker"
MOST = 50
_LINKED = "find.in_url"


def find_view() -> None:
    """Corpus and Find side by side, then the chosen one."""
    if not list_corpora():
        empty_state("Find needs a corpus. Add the built-in one, or your own.", button="Choose a corpus", page="corpus")
        return
    _take_link()
    with st.container(horizontal=True):
        with st.container(width=290):
            corpus = corpus_picker("find.corpus")
        if corpus is None:
            return  # another tab deleted the last one: the next rerun says so
        with st.container(width=420):
            chosen = _choose(corpus)
    if chosen == NEW:
        st.query_params.pop(IN_URL, None)
        st.session_state[_LINKED] = None
        new_find(corpus)
        return
    st.query_params[IN_URL] = st.session_state[_LINKED] = chosen
    try:
        find = open_find(chosen)
    except EmbedlabError as error:
        show_error(error)
        return
    show_find(find)


def _take_link() -> None:
    """A link names a Find, which determines the corpus."""
    linked = st.query_params.get(IN_URL)
    if linked is None or linked == st.session_state.get(_LINKED):
        return
    try:
        corpus = asked_of(open_find(linked)).corpus
    except EmbedlabError as error:
        show_error(error)
        return
    st.session_state[SHOWN], st.session_state[CORPUS] = linked, corpus
    st.query_params.pop(CORPUS, None)  # the Find says it


def _choose(corpus: str) -> str:
    """A Find on this corpus, newest first, or a new one."""
    lines = {NEW: "A new Find", **{find.id: find_line(find) for find in _finds_of(corpus)[:MOST]}}
    if st.session_state.get(SHOWN) not in lines:
        st.session_state[SHOWN] = next((each for each in lines if each != NEW), NEW)
    if len(lines) > 1:
        lasting_choice("Shown", lines, st.session_state[SHOWN], key=PICKER, on_change=keep_choice,
                       args=(PICKER, SHOWN))  # fmt: skip
    return st.session_state[SHOWN]


def _finds_of(corpus: str) -> list[Find]:
    """Finds on this corpus; a damaged one is listed with every corpus, so that it can be deleted."""
    return [find for find in list_finds() if corpus_of_find(find) in (None, corpus)]


def corpus_of_find(find: Find) -> str | None:
    """Its corpus's fingerprint; None if the Find cannot be read."""
    try:
        return asked_of(find).corpus
    except EmbedlabError:
        return None


def judged_by(judge: str | None) -> str:
    """``judged by few labels``, or by pairs or queries; empty if the corpus's labels judge as usual."""
    if judge is None:
        return ""
    return "judged by few labels" if is_by_labels(judge) else "judged by pairs or queries"


def find_line(find: Find) -> str:
    """``5 min · words, sentences · 2 h ago``; plain text, not Markdown."""
    try:
        settings, results, state = asked_of(find), results_of(find), state_of(find).state
    except EmbedlabError:
        return f"{find.id} (unreadable)"
    chosen = results.candidate(results.chosen).title if results.chosen is not None else ""
    ended = chosen if state is State.FINISHED else "running" if not state.is_over else str(state)
    parts = [duration(60 * settings.minutes), judged_by(settings.judge), ended]
    return " · ".join(part for part in [*parts, ago(created(find))] if part)


def finds_list() -> None:
    """The newest first; nothing if there are none."""
    finds = list_finds()[:MOST]
    if not finds:
        return
    st.subheader("Finds", anchor=False)
    names = corpus_names()
    for find in finds:
        corpus = names.get(corpus_of_find(find) or "", "")
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
