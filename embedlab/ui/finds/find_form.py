"""What a Find is asked: how many minutes, and under Advanced the seed and what judges; one button starts it."""

import streamlit as st

from embedlab.corpora.base import Corpus, CorpusInfo
from embedlab.corpora.evaluation_sets import list_sets
from embedlab.finds.label_judge import are_few, development_texts, halves, judge_by, labels_of, why_not
from embedlab.finds.lines import nothing_to_choose_by
from embedlab.finds.model import FindSettings
from embedlab.ui.finds.actions import start_find
from embedlab.ui.finds.label_summary import width
from embedlab.ui.finds.labelling import given_labels, labelling
from embedlab.ui.finds.state import NEW, SHOWN
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.opened import opened
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.state import FIND_VIEW, TRAIN_VIEW
from embedlab.ui.frame.text import count, escaped

BUDGETS, USUAL = (2, 5, 15), 5
OTHER = "other"
JUDGES = ("pairs", "queries")  # kinds of evaluation sets that can be split in two
START = "Find the best encoder"
_MINUTES, _OWN, _SEED, _JUDGE = "find.minutes", "find.own_minutes", "find.seed", "find.judge"
_LABELLED = (
    "The encoder is chosen by development texts, a tenth of those that are not test texts. The test texts are used "
    "once, at the end, for the verdict on the winner."
)
_JUDGED = "One half of the evaluation set chooses the encoder; the other half is used once, for the verdict."


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
            _start(settings, _JUDGED)
        elif corpus.info.has_two_classes and not are_few(corpus.info.labelled):
            _start(settings, _LABELLED)
        else:
            _by_few_labels(corpus, settings)


def quick_find(corpus: Corpus) -> None:
    """One button on another page: starts a Find with what is set here, or opens the form where something is missing."""
    chosen = st.session_state.get(_MINUTES)
    minutes = float(chosen) if chosen in BUDGETS else USUAL
    if not st.button(f"{START} ({minutes:.0f} min)", key="find.quick"):
        return
    st.session_state[TRAIN_VIEW], st.session_state[SHOWN] = FIND_VIEW, NEW
    settings = FindSettings(corpus=corpus.fingerprint, minutes=minutes)
    if corpus.info.has_two_classes and not are_few(corpus.info.labelled):
        start_find(settings)
    elif not why_not(list((labels := labels_of(corpus, given_labels(corpus))).values())):
        _start_by(corpus, labels, settings)
    go_to("train")


def _start(settings: FindSettings, how: str) -> None:
    st.button(START, key="find.start", type="primary", on_click=start_find, args=(settings,))
    st.caption(escaped(how, 600))


def _by_few_labels(corpus: Corpus, settings: FindSettings) -> None:
    """Half of the labels choose, half judge; those of the corpus, and more by hand."""
    given = given_labels(corpus)
    labels = labels_of(corpus, given)
    missing = why_not(list(labels.values()))
    if not missing:
        st.button(
            START, key="find.start-by-labels", type="primary", on_click=_start_by, args=(corpus, labels, settings)
        )
        st.caption(escaped(_how(corpus, labels), 600))
    elif given is None:
        _what_is_missing(corpus.info, missing)
    if corpus.info.labelled == corpus.info.texts and corpus.info.has_two_classes:
        return
    if missing or given is not None:
        labelling(corpus, given)
        return
    with st.expander("Label more texts by hand"):
        labelling(corpus, given)


def _start_by(corpus: Corpus, labels: dict[int, str], settings: FindSettings) -> None:
    with errors_shown():
        judge = judge_by(corpus, labels).fingerprint
        start_find(settings.model_copy(update={"judge": judge, "width_known": True}))


def _how(corpus: Corpus, labels: dict[int, str]) -> str:
    each = min(map(len, halves(list(labels.values()))))
    line = f"{count(each)} labelled texts choose the encoder; {count(each)} others are used once, for the verdict. "
    usual = development_texts(corpus.info.labelled)
    if corpus.info.has_two_classes:
        texts = "text" if usual == 1 else "texts"
        line += f"Of the usual split only {count(usual)} development {texts} would choose, too few to rank candidates. "
    return line + width(each)


def _minutes() -> float:
    """A budget of the row, or one's own number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.segmented_control(
            "Minutes", [*BUDGETS, OTHER], default=USUAL, key=_MINUTES, required=True, persist_state="session",
            help="Three quarters of them are for the search, the rest for training the winner in full, to its end.",
        )  # fmt: skip
        if chosen != OTHER:
            return float(chosen)
        return st.number_input("Own number of minutes", 0.5, 10_080.0, 30.0, step=5.0, key=_OWN, width=190,
                               persist_state="session")  # fmt: skip


def _judge() -> str | None:
    stored = {info.fingerprint: info.name for info in list_sets() if info.kind in JUDGES}
    return st.selectbox(
        "Judge by", [None, *stored], key=_JUDGE, persist_state="session", width=330,
        format_func=lambda key: stored.get(key, "labels"),
        help="An evaluation set of pairs or queries takes the place of labels. Add one on the page Evaluate.",
    )  # fmt: skip


def _what_is_missing(info: CorpusInfo, missing: str) -> None:
    """In place of the button: nothing could choose."""
    why = f"{info.name!r} has too few labels. {missing}" if info.has_two_classes else nothing_to_choose_by(info)
    by_hand = ", or label some of its texts here" if info.labelled < info.texts or not info.has_two_classes else ""
    others = "Read its file again with a column of labels, add pairs or queries that people judged and choose them"
    st.info(escaped(f"{why} {others} under Advanced{by_hand}.", 700))
    with st.container(horizontal=True):
        go_button("Read the file again", "corpus")
        go_button("Add an evaluation set", "evaluation sets")
