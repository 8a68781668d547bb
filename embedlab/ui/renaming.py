"""What a run is called, and a note to it: a popover beside its title."""

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import NAME_CHARACTERS, NOTE_CHARACTERS, read_settings, rename_run
from embedlab.ui.page import show_error
from embedlab.ui.text import escaped

_REFUSED = "renaming.refused"


def renaming(run: RunFolder) -> None:
    """The popover; what it keeps is read everywhere from the run."""
    asked = read_settings(run)
    name, note = f"renaming.name-{run.id}", f"renaming.note-{run.id}"
    with st.popover("Rename", width="content"), st.form(f"renaming-{run.id}", border=False):
        st.text_input("Name", asked["name"], key=name, max_chars=NAME_CHARACTERS)
        st.text_area("Note", asked.get("note", ""), key=note, max_chars=NOTE_CHARACTERS)
        st.form_submit_button("Keep", on_click=_keep, args=(run, name, note))
    if refused := st.session_state.pop(_REFUSED, None):
        show_error(refused)


def note_of(run: RunFolder) -> None:
    """The note below the title; nothing where there is none."""
    if note := read_settings(run).get("note"):
        st.caption(escaped(note, NOTE_CHARACTERS))


def _keep(run: RunFolder, name: str, note: str) -> None:
    try:
        rename_run(run, st.session_state[name], st.session_state[note])
    except (EmbedlabError, OSError) as error:
        st.session_state[_REFUSED] = str(error)
