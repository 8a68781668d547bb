"""The form of a Find: its minutes, under Advanced the seed and the judge; one button starts it."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import list_sets
from embedlab.finds.judging import BY_FILE, JudgeChoice, judged, judging_of
from embedlab.finds.model import FindSettings
from embedlab.runs.hand_labels import HandLabels
from embedlab.ui.finds.actions import NEW, SHOWN, start_find
from embedlab.ui.finds.labelling import given_labels, labelling
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.state import FIND_VIEW, TRAIN_VIEW, opened
from embedlab.ui.frame.text import escaped

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
        judge = _judge()
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
        chosen = st.segmented_control(
            "Minutes", [*BUDGETS, OTHER], default=USUAL, key=_MINUTES, required=True, persist_state="session",
            help="The search takes three quarters of them at most; the winner is then trained to its end, even if that "
            "takes longer than the rest.",
        )  # fmt: skip
        if isinstance(chosen, int):
            return float(chosen)
        return st.number_input("Another number of minutes", 0.5, 10_080.0, 30.0, step=5.0, key=_OWN, width=190,
                               persist_state="session")  # fmt: skip


def _judge() -> str | None:
    stored = {info.fingerprint: info.name for info in list_sets() if info.kind in JUDGES}
    return st.selectbox(
        "Judge by", [None, *stored], key=_JUDGE, persist_state="session", width=330,
        format_func=lambda key: stored.get(key, "labels"),
        help="An evaluation set of pairs or queries replaces labels. Add one on the page Data.",
    )  # fmt: skip


def _what_is_missing(corpus: Corpus, judging: JudgeChoice) -> None:
    """Shown in place of the button: nothing could choose."""
    info = corpus.info
    by_hand = ", or label some of its texts here" if info.labelled < info.texts or not info.has_two_classes else ""
    others = "Read its file again with a column of labels, add pairs or queries that people judged and choose them"
    st.info(escaped(f"{judging.message} {others} under Advanced{by_hand}.", 700))
    with st.container(horizontal=True):
        go_button("Read the file again", "corpus")
        go_button("Add an evaluation set", "evaluation sets")
