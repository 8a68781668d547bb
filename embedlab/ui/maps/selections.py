"""Named selections: chosen in the address, drawn on every map, made from a lasso or a search, taken along."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.runs.selections import (
    NAME_CHARACTERS,
    Drawn,
    Selection,
    content_of,
    delete,
    keep,
    list_selections,
    rename,
    rows_of,
    tidy_name,
)
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.selection_choice import SELECTION, open_one, open_selected, selection_picker
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import escaped
from embedlab.ui.maps.chosen_texts import chosen_texts, counted
from embedlab.ui.maps.selected_corpus import corpus_of_selection, typed_name

REFUSED = "selection.refused"


def opened_selection(corpus: Corpus) -> np.ndarray | None:
    """Draw the choice of a stored selection; (corpus rows,) bool, or None where none is chosen."""
    chosen = selection_picker([corpus.fingerprint])
    if chosen is None:
        return None
    try:
        return _mask(chosen.id, chosen.content, corpus.info.rows, chosen)
    except EmbedlabError as error:
        show_error(error)
        return None


def show_selection(view: Compared, corpus: Corpus) -> bool:
    """The texts of the opened selection with all that can be done with them; False where none is open."""
    selection = open_one(corpus)
    if selection is None:
        return False
    try:
        rows = rows_of(selection)
    except EmbedlabError as error:
        show_error(error)
        _rename_and_delete(selection)
        return True
    _say_refused()
    line = f"{counted(len(rows), 'in the selection')} **{escaped(selection.name)}**"
    st.write(line)
    chosen_texts(corpus, rows, key=f"selection.texts-{selection.id}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        job = corpus_of_selection(corpus, rows, name=selection.name)
        _rename_and_delete(selection)
    job()
    return True


def keep_selection(
    view: Compared,
    corpus: Corpus,
    rows: np.ndarray,
    *,
    suggested: str,
    drawn: Drawn | None = None,
) -> None:
    """Draw what can be done with these corpus rows: name and keep them, make a corpus of them, train on them.

    ``drawn``: the lasso that holds them, kept with the selection as where it came from.
    """
    content = content_of(np.unique(np.asarray(rows, np.int64)))
    there = next((each for each in list_selections(corpus.fingerprint) if each.content == content), None)
    _say_refused()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if there is None:
            name, typed = tidy_name(suggested, len(rows)), f"selection.name-{content}"
            st.text_input("Name", name, key=typed, width=240, max_chars=NAME_CHARACTERS)
            ask = {"corpus": corpus, "rows": rows, "name": name, "typed": typed, "drawn": drawn}
            st.button("Keep as a selection", key="selection.keep", on_click=_keep, kwargs=ask)
        else:
            name, typed = there.name, ""
            st.button(
                f"Show as “{escaped(there.name, 40)}”", key="selection.show", on_click=open_selected, args=(there.id,),
                disabled=st.session_state.get(SELECTION) == there.id, help="These texts are kept under this name.",
            )  # fmt: skip
        job = corpus_of_selection(corpus, rows, name=name, typed=typed)
    job()


@st.cache_resource(max_entries=8, show_spinner=False)
def _mask(selection_id: str, content: str, rows: int, _selection: Selection) -> np.ndarray:
    chosen = np.zeros(rows, bool)
    chosen[rows_of(_selection)] = True
    chosen.flags.writeable = False
    return chosen


def _rename_and_delete(selection: Selection) -> None:
    with st.popover("Rename or delete"):
        key = f"selection.rename-{selection.id}"
        st.text_input("Name", selection.name, key=key, max_chars=NAME_CHARACTERS)
        st.button("Rename", key=f"{key}.button", on_click=_rename, args=(selection, key))
        question = f"Delete {escaped(selection.name)}? The texts stay, and corpora made of them too."
        st.caption(question)
        st.button("Delete it for good", key=f"selection.delete-{selection.id}", on_click=_delete, args=(selection,))


def _keep(corpus: Corpus, rows: np.ndarray, name: str, typed: str, drawn: Drawn | None) -> None:
    try:
        open_selected(keep(corpus, typed_name(typed, name), rows, drawn=drawn).id)
    except (EmbedlabError, OSError) as error:
        st.session_state[REFUSED] = getattr(error, "message", str(error))


def _rename(selection: Selection, key: str) -> None:
    try:
        rename(selection, st.session_state[key])
    except EmbedlabError as error:
        st.session_state[REFUSED] = error.message


def _delete(selection: Selection) -> None:
    delete(selection)
    st.session_state.pop(SELECTION, None)


def _say_refused() -> None:
    refused = st.session_state.pop(REFUSED, None)
    if refused:
        show_error(refused)
