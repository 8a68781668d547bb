"""Find on Train: its form, or one Find during and after its work; and all Finds among the runs."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import list_sets
from embedlab.errors import EmbedlabError
from embedlab.finds.judging import BY_FILE, JudgeChoice, is_by_labels, judged, judging_of
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import asked_of, created, state_of
from embedlab.numbers import ago, duration
from embedlab.runs.hand_labels import HandLabels
from embedlab.runs.state import State
from embedlab.studies.plan import corpus_names
from embedlab.ui.frame.layout import errors_shown, escaped
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.pickers import corpus_picker, stored_choice
from embedlab.ui.frame.state import CORPUS, FIND_VIEW, TRAIN_VIEW, one_of, opened, optional_of
from embedlab.ui.train.labelling import given_labels, labelling
from embedlab.ui.train.one_find import IN_URL, NEW, SHOWN, leaderboard, show_find, show_next, start_find

PICKER = "find.picker"
MOST = 50
_LINKED = "find.in_url"


EXPLAINED = (
    "Each line is one candidate: an encoder with one way to train it, without labels. At the end of each rung the "
    "worse two thirds stop (gray crosses) and the others continue from where they stopped. Development texts "
    "select. The winner is then trained in full and measured once on the other labeled texts, against the "
    "untouched encoder and against TF-IDF and SVD, which count words and are not trained (amber). Candidates that are "
    "not separable from the best on the development texts are named, because the order among them is chance.",
    "Successive halving: Jamieson and Talwalkar 2016; Hyperband: Li et al. 2018.",
)


def find_view() -> None:
    """Corpus and Find side by side, then the chosen one."""
    linked = st.query_params.get(IN_URL)  # the address names a Find, which determines the corpus
    if linked is not None and linked != st.session_state.get(_LINKED):
        with errors_shown():
            st.session_state[CORPUS] = asked_of(Find.open(linked)).corpus
            st.session_state[SHOWN] = linked
            st.query_params.pop(CORPUS, None)  # the Find says it
    with st.container(horizontal=True):
        corpus = corpus_picker("find.corpus", width=290)
        if corpus is None:
            return  # another tab deleted the last one: the next rerun says so
        # a damaged Find is offered on every corpus, so that it can be deleted
        finds = [find for find in Find.all() if corpus_of_find(find) in (None, corpus)]
        lines = {NEW: "A new Find", **{find.id: find_line(find) for find in finds[:MOST]}}
        if st.session_state.get(SHOWN) not in lines:
            st.session_state[SHOWN] = next((each for each in lines if each != NEW), NEW)
        if len(lines) > 1:
            stored_choice("Shown", lines, key=PICKER, slot=SHOWN, width=420)
    chosen = st.session_state[SHOWN]
    if chosen == NEW:
        st.query_params.pop(IN_URL, None)
        st.session_state[_LINKED] = None
        new_find(corpus)
        return
    st.query_params[IN_URL] = st.session_state[_LINKED] = chosen
    with errors_shown():
        show_find(Find.open(chosen))


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
    finds = Find.all()[:MOST]
    if not finds:
        return
    st.subheader("Finds", anchor=False)
    names = corpus_names()
    for find in finds:
        corpus = names.get(corpus_of_find(find) or "", "")
        line = " · ".join(part for part in (corpus, find_line(find)) if part)
        entry = st.expander(escaped(line, 200), key=f"finds.entry-{find.id}", on_change="rerun")
        if not entry.open:
            continue
        with entry, errors_shown():
            leaderboard(results_of(find))
        if entry.button("Open this Find", key=f"finds.open-{find.id}"):
            show_next(find)
            go_to("train")


BUDGETS, USUAL = (2, 5, 15), 5
OTHER = "other"
JUDGES = ("pairs", "queries")  # kinds of evaluation sets that can be split in two
START = "Find the best encoder"
_MINUTES, _OWN, _SEED, _JUDGE = "find.minutes", "find.own_minutes", "find.seed", "find.judge"


def new_find(fingerprint: str) -> None:
    """The form for this corpus, or what is missing."""
    corpus = opened(fingerprint)
    minutes = _minutes()
    button = st.container()
    with st.expander("Advanced"), st.container(horizontal=True):
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=_SEED, persist_state="session", width=160,
                               help="Fixes which settings are drawn, and every training.")  # fmt: skip
        stored = {info.fingerprint: info.name for info in list_sets() if info.kind in JUDGES}
        explained = "An evaluation set of pairs or queries replaces labels. Add one on the page Data."
        judge = optional_of("Judge by", stored, key=_JUDGE, none="labels", width=330, help=explained)
    settings = FindSettings(corpus=fingerprint, minutes=minutes, seed=seed, judge=judge)
    with button:
        if judge is not None:
            _start(corpus, settings, JudgeChoice(BY_FILE))
            return
        given = given_labels(corpus)
        judging = judging_of(corpus, given)
        if judging.is_possible:
            _start(corpus, settings, judging)
        elif given is None:
            _what_is_missing(corpus, judging)
        if judging.few is not None:
            _label_more(corpus, given, judging)


def quick_find(corpus: Corpus) -> None:
    """One button on another page: starts a Find with these defaults, or opens the form if something is missing."""
    chosen = st.session_state.get(_MINUTES)
    minutes = float(chosen) if chosen in BUDGETS else USUAL
    if not st.button(f"{START} ({minutes:.0f} min)", key="find.quick"):
        return
    st.session_state[TRAIN_VIEW], st.session_state[SHOWN] = FIND_VIEW, NEW
    judging = judging_of(corpus, given_labels(corpus))
    if judging.is_possible:
        _begin(corpus, FindSettings(corpus=corpus.fingerprint, minutes=minutes), judging)
    go_to("train")


def _start(corpus: Corpus, settings: FindSettings, judging: JudgeChoice) -> None:
    st.button(START, key="find.start", type="primary", on_click=_begin, args=(corpus, settings, judging))
    st.caption(escaped(judging.message, 600))


def _begin(corpus: Corpus, settings: FindSettings, judging: JudgeChoice) -> None:
    with errors_shown():
        start_find(judged(settings, corpus, judging))


def _label_more(corpus: Corpus, given: HandLabels | None, judging: JudgeChoice) -> None:
    """Labels by hand for texts without one: shown at once if needed, otherwise behind a click."""
    if corpus.info.labelled == corpus.info.texts and corpus.info.has_two_classes:
        return
    if not judging.is_possible or given is not None:
        labelling(corpus, given)
        return
    with st.expander("Label more texts by hand"):
        labelling(corpus, given)


def _minutes() -> float:
    """One of the suggested budgets, or another number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = one_of(
            "Minutes",
            [*BUDGETS, OTHER],
            key=_MINUTES,
            first=USUAL,
            help="The search takes three quarters of them at most; the winner is then trained to its end, even if that "
            "takes longer than the rest.",
        )
        if isinstance(chosen, int):
            return float(chosen)
        return st.number_input("Another number of minutes", 0.5, 10_080.0, 30.0, step=5.0, key=_OWN, width=190,
                               persist_state="session")  # fmt: skip


def _what_is_missing(corpus: Corpus, judging: JudgeChoice) -> None:
    """Shown in place of the button: nothing could choose."""
    info = corpus.info
    by_hand = "; or label some of its texts here" if info.labelled < info.texts or not info.has_two_classes else ""
    others = "Read its file again with a column of labels; or add an evaluation set of pairs or queries and choose it"
    st.info(escaped(f"{judging.message} {others} under Advanced{by_hand}.", 700))
    with st.popover("Other ways to judge", width="content"):
        go_button("Read the file again", "corpus")
        go_button("Add an evaluation set", "evaluation sets")
