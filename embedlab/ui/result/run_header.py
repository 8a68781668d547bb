"""The run that a page shows, named at its top: the box that picks it, what can be done with it, and what it is."""

from urllib.parse import urlencode

import streamlit as st

from embedlab.encoders.catalog import encoder_title
from embedlab.report.run_lines import epochs_told
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.result import RunResult, accuracy_of, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import settings_of
from embedlab.training.recipes import recipe_title
from embedlab.ui.components.train_fields import edit_and_rerun
from embedlab.ui.frame.pickers import run_picker
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.switches import shown_distance
from embedlab.ui.frame.text import accuracy, escaped, points
from embedlab.ui.result.run_actions import delete_section, note_of, renaming


def run_header(run: RunFolder) -> None:
    """Picker and actions in one row, then one line of facts, and the note."""
    with st.container(horizontal=True, vertical_alignment="center", key="run-header"):
        st.title("Run", anchor=False, width="content")
        with st.container(width=410):
            run_picker(run)
        renaming(run)
        edit_and_rerun(run)
        delete_section(run)
        _share()
    st.caption(escaped(run_facts(run), 600))
    note_of(run)


def run_facts(run: RunFolder) -> str:
    """``docs · Word statistics · Two sentences · 8.2 epochs · 2 cores · kNN accuracy 79.2 % ± 2.4 (+5.2 points)``"""
    result, asked, corpus = read_result(run), settings_of(run), corpus_of(run)
    name = corpus.info.name if corpus is not None else result.corpus.name if result is not None else ""
    if is_own(run):
        parts = [name, "imported embeddings"]
    else:
        encoder, recipe = (str(asked.get(part, "")) for part in ("encoder", "recipe"))
        parts = [name, encoder_title(encoder), recipe_title(recipe), _length(result)]
    facts = read_state(run)
    ended = "" if facts.state is State.FINISHED else str(facts.state)
    return " · ".join(part for part in (*parts, facts.device_line, _outcome(result), ended) if part)


def _length(result: RunResult | None) -> str:
    return epochs_told(result) if result is not None and result.texts_read else ""


def _outcome(result: RunResult | None) -> str:
    """The accuracy of the encoder that is opened, and its change."""
    found = accuracy_of(result, shown_distance())
    if found is None:
        return ""
    change = f" ({points(found.change.difference)})" if found.change is not None else ""
    return f"kNN accuracy {accuracy(*found.of('after'))}{change}"


def _share() -> None:
    """The address of what is shown, to be copied."""
    with st.popover("Share", width="content"):
        st.caption("This address opens the run with the same tab, view and choices, for whoever can reach this app.")
        query = urlencode({name: st.query_params[name] for name in st.query_params})
        st.code(f"{st.context.url}?{query}", language=None, wrap_lines=True)
