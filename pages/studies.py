"""Studies: one setting over several values and seeds, as the papers' hyperparameter figures are."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.errors import EmbedlabError
from embedlab.studies import STUDIES
from embedlab.studies.kinds import MATCH_MEANS
from embedlab.studies.over_corpora import corpus_names
from embedlab.studies.store import list_studies, open_study
from embedlab.ui.frame.page import empty_state, page_head, show_error, what_am_i_looking_at
from embedlab.ui.frame.pickers import choice_of, lasting_choice
from embedlab.ui.studies.studies_view import show_study, study_line
from embedlab.ui.studies.study_form import new_study

SHOWN, PICKER, NEW, IN_URL = "studies.shown", "studies.picker", "new", "study"
MOST = 50


def choose() -> str:
    """A study of the list, or a new one; what is shown stands in the address."""
    known = [study.id for study in list_studies()[:MOST]]
    asked = st.query_params.get(IN_URL)
    if asked in known and SHOWN not in st.session_state:
        st.session_state[SHOWN] = asked
    if st.session_state.get(SHOWN) not in (*known, NEW):
        st.session_state[SHOWN] = known[0] if known else NEW
    if known:
        titles, names = {kind.key: kind.title for kind in STUDIES}, corpus_names()
        lines = {study_id: study_line(open_study(study_id), titles, names) for study_id in known}
        lines = {NEW: "A new study", **lines}
        lasting_choice("Shown", lines, st.session_state[SHOWN], key=PICKER, on_change=_choose, width=460)
    return st.session_state[SHOWN]


def _choose() -> None:
    st.session_state[SHOWN] = choice_of(PICKER) or st.session_state[SHOWN]


def form() -> None:
    """The form of a new study, where there is a corpus."""
    if not list_corpora():
        empty_state(
            "A study needs a corpus with labels. Read the built-in one, or your own.",
            button="Choose a corpus",
            page="corpus",
        )
    elif (started := new_study()) is not None:
        st.query_params[IN_URL] = started.id
        del st.session_state[SHOWN]
        st.rerun()


page_head("Studies", "What does one setting change, over several values and seeds?")
shown = choose()
if shown == NEW:
    st.query_params.pop(IN_URL, None)
    form()
else:
    st.query_params[IN_URL] = shown
    try:
        show_study(open_study(shown))
    except EmbedlabError as error:
        show_error(error)
what_am_i_looking_at(
    "Each point is one value of the setting: the mean kNN accuracy of its runs (faint dots, one a seed), all else the "
    "same, by the distance chosen on the left. With one seed the bar is the binomial standard error; with several it "
    "also counts how the seeds differ. Amber lines need no training: TF-IDF dashed, its 100-dimensional SVD dotted; "
    "grey is the untouched encoder. A setting that leaves fewer usable texts also trains less. The best value is "
    "chosen by development texts, never by the test texts, and the sentence names those not told apart from it. Labels "
    f"match the recipe without: {MATCH_MEANS}.",
    "Crops paper, Figures S2, 4 and 5a; TSDAE, Figures 3 and 6, Tables 5 to 7 and 10.",
)
