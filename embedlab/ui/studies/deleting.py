"""A study is deleted after a second look; its runs stay, unless they are asked to go too."""

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.jobs.campaigns import job_of, state_of
from embedlab.runs.store import bytes_of
from embedlab.studies.store import Study, delete_study, own_runs
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.session import started_elsewhere
from embedlab.ui.frame.text import count, in_bytes

_REFUSED = "studies.refused"


def delete_popover(study: Study) -> None:
    """The button and what it asks; refused while the study works."""
    if refused := st.session_state.pop(_REFUSED, None):
        show_error(refused)
    going = not state_of(study).is_over
    with st.popover("Delete this study", disabled=going, help="It is at work. Stop it first." if going else None):
        job = job_of(study)
        elsewhere = started_elsewhere(job) if job is not None else None
        question = "Delete this study, its curve and its table? This cannot be undone."
        st.write(" ".join(filter(None, (elsewhere, question))))
        runs, key = own_runs(study), f"studies.with-runs-{study.id}"
        if runs:
            label = (
                f"Its {count(len(runs))} run{'' if len(runs) == 1 else 's'} too: {in_bytes(sum(map(bytes_of, runs)))}"
            )
            st.checkbox(label, key=key, help="Left as it is, they stay as ordinary runs. Runs of another study stay.")
        st.button("Delete it for good", key=f"studies.delete-{study.id}", type="primary", on_click=_delete,
                  args=(study, key))  # fmt: skip


def _delete(study: Study, key: str) -> None:
    try:
        delete_study(study, with_runs=st.session_state.get(key, False))
    except (EmbedlabError, FileNotFoundError) as error:
        st.session_state[_REFUSED] = getattr(error, "message", "Another tab has deleted this study already.")
