"""Named selections: chosen in the address, drawn on every map, made from a lasso or a search, taken along."""

from collections.abc import Sequence

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
from embedlab.ui.chosen_texts import chosen_texts, counted
from embedlab.ui.maps.compared import Compared
from embedlab.ui.maps.selected_corpus import corpus_of_selection, typed_name
from embedlab.ui.page import show_error
from embedlab.ui.text import count, escaped

SELECTION = "selection"  # the chosen one's id, in the session and in the address
IN_URL = "selection_in_url"
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


def selection_picker(corpora: Sequence[str]) -> Selection | None:
    """Draw the choice among the selections of these corpora, nothing where there are none; its id is in the address."""
    known = {each.id: each for corpus in corpora for each in list_selections(corpus)}
    asked = st.query_params.get(SELECTION)
    if asked is not None and asked != st.session_state.get(IN_URL):
        st.session_state[SELECTION] = asked
        if asked not in known:
            st.caption("The selection in the address is not one of these texts, or was deleted.")
    chosen = st.session_state.get(SELECTION)
    chosen = chosen if chosen in known else None
    if known:
        st.session_state["selection.picked"] = chosen
        st.selectbox(
            "Selection",
            [None, *known],
            key="selection.picked",
            format_func=lambda each: "none" if each is None else selection_line(known[each]),
            on_change=_pick,
            width=340,
            help="Texts kept under a name: highlighted on every map, and measured by themselves on Compare.",
        )
    _address(chosen)
    return known.get(chosen)


def selection_line(selection: Selection) -> str:
    """``courts · 312 texts``; plain text, not Markdown."""
    return f"{selection.name} · {count(selection.texts)} {'text' if selection.texts == 1 else 'texts'}"


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


def open_one(corpus: Corpus) -> Selection | None:
    """The chosen selection, if it is one of this corpus."""
    chosen = st.session_state.get(SELECTION)
    return next((each for each in list_selections(corpus.fingerprint) if each.id == chosen), None)


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
                f"Show as “{escaped(there.name, 40)}”", key="selection.show", on_click=_open, args=(there.id,),
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
        _open(keep(corpus, typed_name(typed, name), rows, drawn=drawn).id)
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


def _pick() -> None:
    _open(st.session_state["selection.picked"])


def _open(selection_id: str | None) -> None:
    st.session_state[SELECTION] = selection_id


def _address(chosen: str | None) -> None:
    """The address says what is open, so that every view is a link."""
    if chosen is not None:
        st.query_params[SELECTION] = chosen
    elif SELECTION in st.query_params:
        del st.query_params[SELECTION]
    st.session_state[IN_URL] = chosen
