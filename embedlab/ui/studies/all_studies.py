"""The studies of the store: which one is shown, and the form of a new one."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.errors import EmbedlabError
from embedlab.studies import STUDIES
from embedlab.studies.over_corpora import corpus_names
from embedlab.studies.store import list_studies, open_study
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.page import empty_state, show_error
from embedlab.ui.frame.pickers import keep_choice, lasting_choice
from embedlab.ui.studies.studies_view import show_study, study_line
from embedlab.ui.studies.study_form import new_study

SHOWN, PICKER, IN_URL = "studies.shown", "studies.picker", "study"
MOST = 50


def show_studies() -> None:
    """The chosen study; what is shown stands in the address."""
    ids = [study.id for study in list_studies()[:MOST]]
    if not ids:
        empty_state("A study trains with several values of one setting.", button="Plan a sweep", page="sweep")
        return
    linked = st.query_params.get(IN_URL)
    if linked in ids and st.session_state.get(SHOWN) is None:
        st.session_state[SHOWN] = linked
    if st.session_state.get(SHOWN) not in ids:
        st.session_state[SHOWN] = ids[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles, names = {kind.key: kind.title for kind in STUDIES}, corpus_names()
        lines = {study_id: study_line(open_study(study_id), titles, names) for study_id in ids}
        lasting_choice("Shown", lines, st.session_state[SHOWN], key=PICKER, on_change=keep_choice,
                       args=(PICKER, SHOWN), width=460)  # fmt: skip
        go_button("New sweep", "sweep")
    st.query_params[IN_URL] = st.session_state[SHOWN]
    try:
        show_study(open_study(st.session_state[SHOWN]))
    except EmbedlabError as error:
        show_error(error)


def sweep_form() -> None:
    """The form of a new study, where there is a corpus; once started, the study is shown among the runs."""
    if not list_corpora():
        empty_state(
            "A sweep needs a corpus with labels. Add the built-in one, or your own.",
            button="Choose a corpus",
            page="corpus",
        )
    elif (started := new_study()) is not None:
        st.session_state[SHOWN] = started.id
        go_to("studies")
