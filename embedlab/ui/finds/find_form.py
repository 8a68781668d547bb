"""What a Find is asked: how many minutes, and under Advanced the seed and a judging file; one button starts it."""

import streamlit as st

from embedlab.corpora.base import CorpusInfo, list_corpora
from embedlab.corpora.evaluation_sets import list_sets
from embedlab.finds.lines import nothing_to_choose_by
from embedlab.finds.model import FindSettings
from embedlab.ui.finds.actions import start_find
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.text import escaped

BUDGETS = (2, 5, 15)
OTHER = "other"
JUDGES = ("pairs", "queries")  # kinds of evaluation sets that can be split in two
_MINUTES, _OWN, _SEED, _JUDGE = "find.minutes", "find.own_minutes", "find.seed", "find.judge"
_LABELLED = (
    "The encoder is chosen by development texts, a tenth of those that are not test texts. The test texts are used "
    "once, at the end, for the verdict on the winner."
)
_JUDGED = "One half of the evaluation set chooses the encoder; the other half is used once, for the verdict."


def new_find(corpus: str) -> None:
    """The form for this corpus, or what is missing."""
    info = next(each for each in list_corpora() if each.fingerprint == corpus)
    minutes = _minutes()
    button = st.container()
    with st.expander("Advanced", expanded=not info.has_two_classes):
        with st.container(horizontal=True):
            seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=_SEED, persist_state="session", width=160,
                                   help="Fixes which settings are drawn, and every training.")  # fmt: skip
            judge = _judge()
    with button:
        if judge is None and not info.has_two_classes:
            _what_is_missing(info)
            return
        settings = FindSettings(corpus=corpus, minutes=minutes, seed=seed, judge=judge)
        st.button("Find the best encoder", key="find.start", type="primary", on_click=start_find, args=(settings,))
        st.caption(_LABELLED if judge is None else _JUDGED)


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
        format_func=lambda key: stored.get(key, "the labels of the corpus"),
        help="An evaluation set of pairs or queries takes the place of labels. Add one on the page Evaluate.",
    )  # fmt: skip


def _what_is_missing(info: CorpusInfo) -> None:
    """In place of the button: nothing could choose."""
    st.info(
        escaped(
            f"{nothing_to_choose_by(info)} Read its file again with a column of labels, or add pairs or queries that "
            "people judged and choose them below under Advanced.",
            500,
        )
    )
    with st.container(horizontal=True):
        go_button("Read the file again", "corpus")
        go_button("Add an evaluation set", "evaluate")
