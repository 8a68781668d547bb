"""Named selections: chosen in the address, drawn on every map, made from a lasso or a search, taken as a corpus."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus
from embedlab.damage import read_model_if_whole
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.jobs.in_use import require_unused
from embedlab.jobs.requests.corpora import AddedCorpus, MakeSubset
from embedlab.numbers import count, counted
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.selections import (
    NAME_CHARACTERS,
    LassoOrigin,
    Selection,
    content_of,
    delete,
    keep,
    list_selections,
    rename,
    rows_of,
    tidy_name,
)
from embedlab.runs.state import State, read_state
from embedlab.store_root import store_root
from embedlab.ui.components.listed_texts import chosen_texts
from embedlab.ui.components.selection_choice import SELECTION, open_one, open_selected, selection_picker
from embedlab.ui.frame.layout import escaped, show_error
from embedlab.ui.frame.navigation import go_button, go_to
from embedlab.ui.frame.page import RESTORABLE, attempt, rename_form, show_refusal
from embedlab.ui.frame.progress import added_corpus, follow_job, start_once
from embedlab.ui.frame.state import CORPUS, CORPUS_SOURCE, NEW_VIEW, TRAIN_VIEW
from embedlab.ui.maps.special import special

REFUSED = "selection.refused"


def opened_selection(corpus: Corpus, notes: DeltaGenerator | None = None) -> np.ndarray | None:
    """Draw the choice of a stored selection; (corpus rows,) bool, or None where none is chosen. ``notes``: a place"""
    chosen = selection_picker([corpus.fingerprint], notes)
    if chosen is None:
        return None
    try:
        return _mask(chosen.id, chosen.content, corpus.info.rows, chosen)
    except EmbedlabError as error:
        show_error(error)
        return None


def show_selection(corpus: Corpus) -> bool:
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
    show_refusal(REFUSED)
    st.write(f"{counted(len(rows), 'text')} in the selection **{escaped(selection.name)}**")
    special(corpus, rows)
    with chosen_texts(corpus, rows, key=f"selection.texts-{selection.id}"):
        job = corpus_of_selection(corpus, rows, name=selection.name)
    _rename_and_delete(selection)
    job()
    return True


def keep_selection(
    corpus: Corpus, rows: np.ndarray, *, suggested: str, drawn: LassoOrigin | None = None
) -> Callable[[], None]:
    """Draw what can be done with these corpus rows: name and keep them, make a corpus of them, train on them.

    Returns what draws the progress of the latter two. ``drawn``: the lasso that holds them, which the selection keeps.
    """
    content, there = _of_rows(corpus, rows)
    show_refusal(REFUSED)
    if there is None:
        name, typed = tidy_name(suggested, len(rows)), f"selection.name-{content}"
        st.text_input("Name", name, key=typed, max_chars=NAME_CHARACTERS)
        ask = {"corpus": corpus, "rows": rows, "name": name, "typed": typed, "drawn": drawn}
        st.button("Save as a selection", key="selection.keep", on_click=_keep, kwargs=ask)
    else:
        name, typed = there.name, ""
        st.button(
            f"Show as “{escaped(there.name, 40)}”", key="selection.show", on_click=open_selected, args=(there.id,),
            disabled=st.session_state.get(SELECTION) == there.id, help="These texts are saved under this name.",
        )  # fmt: skip
    return corpus_of_selection(corpus, rows, name=name, typed=typed)


@st.cache_resource(max_entries=8, show_spinner=False)
def _mask(selection_id: str, content: str, rows: int, _selection: Selection) -> np.ndarray:
    chosen = np.zeros(rows, bool)
    chosen[rows_of(_selection)] = True
    chosen.flags.writeable = False
    return chosen


def _rename_and_delete(selection: Selection) -> None:
    with st.popover("Rename or delete"):
        rename_form(selection.name, partial(rename, selection), key=f"selection.rename-{selection.id}", refused=REFUSED)
        st.caption(f"Delete {escaped(selection.name)}? The texts stay, and so do corpora made from them. {RESTORABLE}")
        st.button("Delete it", key=f"selection.delete-{selection.id}", on_click=_delete, args=(selection,))


def _of_rows(corpus: Corpus, rows: np.ndarray) -> tuple[str, Selection | None]:
    """The digest of these texts, and the selection of exactly them, if they were kept."""
    content = content_of(np.unique(np.asarray(rows, np.int64)))
    return content, next((each for each in list_selections(corpus.fingerprint) if each.content == content), None)


def _keep(corpus: Corpus, rows: np.ndarray, name: str, typed: str, drawn: LassoOrigin | None) -> None:
    attempt(lambda: open_selected(keep(corpus, typed_name(typed, name), rows, drawn=drawn).id), REFUSED)


def _delete(selection: Selection) -> None:
    def unused() -> None:
        require_unused("selection", selection.id, code="E-SELECTION-BUSY", error=CorpusError)
        delete(selection)
        st.session_state.pop(SELECTION, None)

    attempt(unused, REFUSED)


_ONWARD = "selection.onward"  # the job whose corpus Train opens with as soon as it is there
_REFUSED = "selection.corpus_refused"
_KEPT = "The texts become a corpus in the store, with labels, titles and columns; they are also saved as a selection."


def corpus_of_selection(corpus: Corpus, rows: np.ndarray, *, name: str, typed: str = "") -> Callable[[], None]:
    """Draw both buttons; what is returned draws how far the making is, and belongs below them.

    Texts become a corpus once: while it is made the buttons wait, and of one that is there the way to it is shown.
    ``typed``: the key of a field with a name, read when a button is pressed; ``name`` stands in for an empty one.
    """
    job = _making(corpus, rows)
    if job is None or not read_state(job).is_over:
        ask = {"corpus": corpus, "rows": rows, "name": name, "typed": typed}
        texts = counted(len(rows), "text")
        for key, label in (("corpus", f"Make a corpus of {texts}"), ("train", "Train on these texts")):
            st.button(
                label, key=f"selection.{key}", on_click=_make, kwargs={**ask, "train": key == "train"}, help=_KEPT,
                disabled=job is not None,
            )  # fmt: skip
    return partial(_follow, corpus, rows)


def typed_name(field: str, otherwise: str) -> str:
    """What stands in the field of this key now; for callbacks. ``otherwise`` where it is empty or there is none."""
    return (st.session_state.get(field) if field else "") or otherwise


def _make(corpus: Corpus, rows: np.ndarray, name: str, typed: str, train: bool) -> None:
    """Keep the rows, so that a worker can read them, and have it make the corpus."""

    def make() -> None:
        job = _making(corpus, rows)
        if job is None:
            selection = keep(corpus, typed_name(typed, name), rows)
            job = start_once(MakeSubset(selection=selection.id, name=f"{corpus.name}: {selection.name}"))
        st.session_state[_ONWARD] = job.id if train else None

    attempt(make, _REFUSED)


def _follow(corpus: Corpus, rows: np.ndarray) -> None:
    """Where the newest making of these rows stands, and then the way on."""
    show_refusal(_REFUSED)
    job = _job_of(corpus, rows)
    if job is None or follow_job(job) is not State.FINISHED:
        return
    made = added_corpus(job)
    if st.session_state.get(_ONWARD) == job.id:
        del st.session_state[_ONWARD]
        _go(made.fingerprint, "train")
    with st.container(horizontal=True, vertical_alignment="center"):
        classes = f", {count(len(made.classes))} classes" if made.classes else ""
        st.caption(escaped(f"In the store: {made.name}, {count(made.texts)} texts{classes}.", 300))
        for label, page in (("Open it on Data", "corpus"), ("Open it on Train", "train")):
            if st.button(label, key=f"selection.open-{page}"):
                _go(made.fingerprint, page)


def _job_of(corpus: Corpus, rows: np.ndarray) -> RunFolder | None:
    _, selection = _of_rows(corpus, rows)
    job = None if selection is None else newest_job(MakeSubset.task, selection=selection.id)
    if job is not None and read_state(job).state is State.FINISHED:
        made = read_model_if_whole(job.result, AddedCorpus)
        if made is None or not (store_root() / "corpora" / made.fingerprint / "corpus.json").is_file():
            return None  # that corpus was deleted since
    return job


def _making(corpus: Corpus, rows: np.ndarray) -> RunFolder | None:
    """The job that makes a corpus of these rows or has made one that is still there; None where one can be begun."""
    job = _job_of(corpus, rows)
    is_one = job is not None and (not read_state(job).is_over or read_state(job).state is State.FINISHED)
    return job if is_one else None


def _go(fingerprint: str, page: str) -> None:
    st.session_state[CORPUS] = fingerprint
    if page == "train":
        st.session_state[TRAIN_VIEW] = NEW_VIEW
    else:
        st.session_state[CORPUS_SOURCE] = "Stored"
    go_to(page)


def selections_of(corpus: Corpus) -> None:
    """Where there is none, how one is made."""
    selection_picker([corpus.fingerprint])
    if not show_selection(corpus):
        st.write("Texts inside a lasso, a search result or a cluster can be saved under a name on the maps.")
        go_button("Open the maps", "maps")
