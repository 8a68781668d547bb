"""What is stored beside corpora: pairs to train on, evaluation sets, and embeddings made elsewhere."""

import pyarrow as pa
import streamlit as st

from embedlab.corpora.evaluation_sets import SETS, SetInfo, list_sets, open_set
from embedlab.corpora.pairs.stored import PAIRS, list_pairs, open_pairs
from embedlab.corpora.stored.shelf import StoredInfo
from embedlab.metrics import METRICS
from embedlab.numbers import counted
from embedlab.runs.imported import is_own
from embedlab.runs.index.find import find_runs
from embedlab.training.titles import run_title
from embedlab.ui.components.own_files import add_set, pairs_choice
from embedlab.ui.components.train_fields import PAIRS as CHOSEN_PAIRS
from embedlab.ui.corpus.shelf_actions import shelf_actions
from embedlab.ui.corpus.vectors_form import own_vectors_form
from embedlab.ui.frame.files import reading_line
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import empty_state
from embedlab.ui.frame.pickers import choice_of, corpus_picker, lasting_choice
from embedlab.ui.frame.state import opened, pick_run
from embedlab.ui.frame.text import escaped

SHOWN_SET, SET_PICKER = "data.set", "data.set_picker"
SHOWN_ROWS = 8
_CHARACTERS = 300


def stored_pairs() -> None:
    """The pairs that are chosen for training, eight of them, and the way to add a file."""
    pairs_choice()
    infos = {info.fingerprint: info for info in list_pairs()}
    info = infos.get(st.session_state.get(CHOSEN_PAIRS))
    if info is None:
        st.caption("Recipes of the group “given pairs” train on these: questions with answers, NLI, scored pairs.")
        return
    with st.container(horizontal=True):
        shelf_actions(PAIRS, info)
    pairs = open_pairs(info.fingerprint)
    columns = {"Anchor": pairs.anchors, "Belongs to it": pairs.positives}
    columns |= {"Score": pairs.scores} if pairs.scores is not None else {}
    _sample({name: values[:SHOWN_ROWS] for name, values in columns.items()}, counted(info.pairs, "pair"))


def stored_sets() -> None:
    """The chosen evaluation set, what it measures, the beginning of it, and the way to add a file."""
    infos = {info.fingerprint: info for info in list_sets()}
    if not infos:
        st.write("No evaluation set is stored yet. A file of pairs, queries, judgements or candidates becomes one.")
    else:
        if st.session_state.get(SHOWN_SET) not in infos:
            st.session_state[SHOWN_SET] = next(iter(infos))
        info = infos[st.session_state[SHOWN_SET]]
        with st.container(horizontal=True, vertical_alignment="bottom"):
            lines = {each.fingerprint: set_line(each) for each in infos.values()}
            lasting_choice("Evaluation set", lines, info.fingerprint, key=SET_PICKER, on_change=_choose_set, width=460)
            shelf_actions(SETS, info)
        serves = ", ".join(METRICS[key].title for key in info.serves)
        st.caption(escaped(f"Measures {serves}. Scores, Metrics of a run measures on it.", 300))
        _described(info)
        _set_rows(info)
    add_set()


def set_line(info: SetInfo) -> str:
    """``stsb · 1,379 pairs``; plain text, not Markdown."""
    return " · ".join([info.name, *(f"{number:,} {name}" for name, number in info.counts.items())])


def _choose_set() -> None:
    st.session_state[SHOWN_SET] = choice_of(SET_PICKER) or st.session_state[SHOWN_SET]


def _described(info: StoredInfo) -> None:
    if info.reading is not None:
        reading_line(info.reading)
    for note in info.notes:
        st.caption(escaped(note.message, 300))


def _set_rows(info: SetInfo) -> None:
    stored = open_set(info.fingerprint)
    names = {"pairs": ("sentence1", "sentence2", "score", "same"), "queries": ("query",), "candidates": ("query",)}
    columns = {name: stored.column(name)[:SHOWN_ROWS] for name in names[info.kind]}
    kept = {name: values for name, values in columns.items() if any(value is not None for value in values)}
    _sample(kept, ", ".join(f"{number:,} {name}" for name, number in info.counts.items()))


def _sample(columns: dict[str, list], of: str) -> None:
    """The first rows of a stored file."""
    shown = {name: [each[:_CHARACTERS] if isinstance(each, str) else each for each in values]
             for name, values in columns.items()}  # fmt: skip
    rows = len(next(iter(shown.values())))
    st.caption(f"The first {rows} of {of}.")
    st.dataframe(pa.table(shown), hide_index=True, height=table_height(rows), alt=f"The first {rows} of {of}.")


def own_embeddings() -> None:
    """Of one corpus: the runs made of imported embeddings, and the form that imports others."""
    fingerprint = corpus_picker("data.embeddings_of")
    if fingerprint is None:
        empty_state("Embeddings belong to a corpus, so its texts come first.", button="Add a corpus", page="corpus")
        return
    imported = [run for run in find_runs(corpus=fingerprint) if is_own(run)]
    for run in imported:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.write(escaped(run_title(run)))
            if st.button("Open", key=f"data.open-{run.id}", on_click=pick_run, args=(run,)):
                go_to("maps")
    own_vectors_form(opened(fingerprint), is_open=not imported)
