"""What a Find is asked: how many minutes, and under Advanced the seed and what judges; one button starts it."""

import streamlit as st

from embedlab.corpora.base import Corpus, CorpusInfo, open_corpus
from embedlab.corpora.evaluation_sets import list_sets
from embedlab.corpora.hand_labels import HandLabels
from embedlab.finds.label_judge import are_few, development_texts, judge_by, widest_half
from embedlab.finds.lines import nothing_to_choose_by
from embedlab.finds.model import FindSettings
from embedlab.ui.finds.actions import start_find
from embedlab.ui.finds.labelling import labelling
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.text import count, escaped

BUDGETS = (2, 5, 15)
OTHER = "other"
JUDGES = ("pairs", "queries")  # kinds of evaluation sets that can be split in two
START = "Find the best encoder"
_MINUTES, _OWN, _SEED, _JUDGE = "find.minutes", "find.own_minutes", "find.seed", "find.judge"
_LABELLED = (
    "The encoder is chosen by development texts, a tenth of those that are not test texts. The test texts are used "
    "once, at the end, for the verdict on the winner."
)
_JUDGED = "One half of the evaluation set chooses the encoder; the other half is used once, for the verdict."
_BY_HAND = "Half of these labels choose the encoder; the other half are used once, for the verdict on the winner."


def new_find(fingerprint: str) -> None:
    """The form for this corpus, or what is missing."""
    corpus = open_corpus(fingerprint)
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
        elif not corpus.info.has_two_classes:
            _what_is_missing(corpus.info)
            _by_hand(corpus, settings)
        else:
            _start(settings, _LABELLED)
            if are_few(corpus.info.labelled):
                _few_labels(corpus, settings)


def _start(settings: FindSettings, how: str) -> None:
    st.button(START, key="find.start", type="primary", on_click=start_find, args=(settings,))
    st.caption(how)


def _by_hand(corpus: Corpus, settings: FindSettings) -> None:
    """Labels given here, and the button as soon as they suffice."""
    given = labelling(corpus)
    if given is not None:
        st.button(
            START, key="find.start-by-hand", type="primary", on_click=_start_by_hand, args=(corpus, given, settings)
        )
        st.caption(_BY_HAND)


def _start_by_hand(corpus: Corpus, given: HandLabels, settings: FindSettings) -> None:
    with errors_shown():
        start_find(settings.model_copy(update={"judge": judge_by(corpus, given).fingerprint}))


def _few_labels(corpus: Corpus, settings: FindSettings) -> None:
    """Said before, not after the minutes are spent."""
    texts = development_texts(corpus.info.labelled)
    st.warning(
        f"About {count(texts)} development text{'' if texts == 1 else 's'} would choose. The 95 % interval of an "
        f"accuracy would be up to {min(200 * widest_half(texts), 100):.0f} points wide, too wide to rank candidates."
    )
    with st.expander("Let half of the labels choose, and label more by hand"):
        _by_hand(corpus, settings)


def _minutes() -> float:
    """A budget of the row, or one's own number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.segmented_control(
            "Minutes", [*BUDGETS, OTHER], default=5, key=_MINUTES, required=True, persist_state="session",
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


def _what_is_missing(info: CorpusInfo) -> None:
    """In place of the button: nothing could choose."""
    st.info(
        escaped(
            f"{nothing_to_choose_by(info)} Read its file again with a column of labels, add pairs or queries that "
            "people judged and choose them under Advanced, or label some of its texts here.",
            500,
        )
    )
    with st.container(horizontal=True):
        go_button("Read the file again", "corpus")
        go_button("Add an evaluation set", "evaluate")
