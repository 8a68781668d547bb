"""Chosen texts as a corpus of their own, made by a worker, and the way on to Corpus or Train with it."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import MakeSubset
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.selections import content_of, keep, list_selections
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_job_result
from embedlab.store_root import store_root
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import CORPUS, CORPUS_SOURCE, NEW_VIEW, TRAIN_VIEW
from embedlab.ui.frame.text import count, escaped

_ONWARD = "selection.onward"  # the job whose corpus Train opens with as soon as it is there
_REFUSED = "selection.corpus_refused"
_KEPT = "The texts become a corpus in the store, with labels, titles and columns; they are kept as a selection too."


def corpus_of_selection(corpus: Corpus, rows: np.ndarray, *, name: str, typed: str = "") -> Callable[[], None]:
    """Draw both buttons; what is returned draws how far the making is, and belongs below them.

    ``typed``: the key of a field with a name, read when a button is pressed; ``name`` stands in for an empty one.
    """
    ask = {"corpus": corpus, "rows": rows, "name": name, "typed": typed}
    texts = f"{count(len(rows))} {'text' if len(rows) == 1 else 'texts'}"
    st.button(
        f"Make a corpus of {texts}", key="selection.corpus", on_click=_make, kwargs={**ask, "train": False}, help=_KEPT
    )
    st.button("Train on these texts", key="selection.train", on_click=_make, kwargs={**ask, "train": True}, help=_KEPT)
    return partial(_follow, corpus, rows)


def typed_name(field: str, otherwise: str) -> str:
    """What stands in the field of this key now; for callbacks. ``otherwise`` where it is empty or there is none."""
    return (st.session_state.get(field) if field else "") or otherwise


def _make(corpus: Corpus, rows: np.ndarray, name: str, typed: str, train: bool) -> None:
    """Keep the rows, so that a worker can read them, and have it make the corpus."""
    try:
        kept = keep(corpus, typed_name(typed, name), rows)
        job = start_once(MakeSubset(selection=kept.id, name=f"{corpus.name}: {kept.name}"))
    except (EmbedlabError, OSError) as error:
        st.session_state[_REFUSED] = getattr(error, "message", str(error))
        return
    st.session_state[_ONWARD] = job.id if train else None


def _follow(corpus: Corpus, rows: np.ndarray) -> None:
    """Where the newest making of these rows stands, and then the way on."""
    refused = st.session_state.pop(_REFUSED, None)
    if refused:
        show_error(refused)
    job = _job_of(corpus, rows)
    if job is None or follow_job(job) is not State.FINISHED:
        return
    made = read_job_result(job)["corpus"]
    if st.session_state.get(_ONWARD) == job.id:
        del st.session_state[_ONWARD]
        _go(made["fingerprint"], "train")
    with st.container(horizontal=True, vertical_alignment="center"):
        classes = f", {count(len(made['classes']))} classes" if made["classes"] else ""
        st.caption(escaped(f"In the store: {made['name']}, {count(made['texts'])} texts{classes}.", 300))
        for label, page in (("Open it on Corpus", "corpus"), ("Open it on Train", "train")):
            if st.button(label, key=f"selection.open-{page}"):
                _go(made["fingerprint"], page)


def _job_of(corpus: Corpus, rows: np.ndarray) -> RunFolder | None:
    content = content_of(np.unique(np.asarray(rows, np.int64)))
    kept = next((each for each in list_selections(corpus.fingerprint) if each.content == content), None)
    job = None if kept is None else newest_job(MakeSubset.task, selection=kept.id)
    if job is not None and read_state(job).state is State.FINISHED and not _is_stored(job):
        return None  # that corpus was deleted since
    return job


def _is_stored(job: RunFolder) -> bool:
    found = read_job_result(job)
    return found is not None and (store_root() / "corpora" / found["fingerprint"] / "corpus.json").is_file()


def _go(fingerprint: str, page: str) -> None:
    st.session_state[CORPUS] = fingerprint
    if page == "train":
        st.session_state[TRAIN_VIEW] = NEW_VIEW
    else:
        st.session_state[CORPUS_SOURCE] = "Stored"
    go_to(page)
