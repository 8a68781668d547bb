"""The header of every run's page, and the actions on a run: rename, rerun, share, export, delete."""

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.jobs.in_use import delete_unused_run
from embedlab.numbers import accuracy, in_bytes, points
from embedlab.report.result_lines import epochs_in_words
from embedlab.runs import store
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.list_rows import list_rows
from embedlab.runs.result import accuracy_of, awaits_folds, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.tags import MOST_TAGS, change_tags, tags_in_use, tags_of, tidy_tags
from embedlab.training.recipes import recipe_title
from embedlab.training.titles import run_title
from embedlab.ui.components.train_fields import edit_and_rerun
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.page import attempt, delete_question, show_refusal
from embedlab.ui.frame.pickers import run_picker
from embedlab.ui.frame.progress import agree, started_elsewhere
from embedlab.ui.frame.state import corpus_of, shown_distance


def run_header(run: RunFolder) -> None:
    """Picker and actions in one row, then one line of facts, the tags and the note."""
    delete_key = f"run.delete-{run.id}"
    with st.container(horizontal=True, vertical_alignment="center", key="run-header"):
        st.title("Run", anchor=False, width="content")
        with st.container(width="stretch"):
            run_picker(run)
        with st.popover("Rerun, rename, share, delete", width="content"):
            edit_and_rerun(run)
            renaming(run)
            st.caption(
                "This address opens the run with the same tab, view and choices, for whoever can reach this app."
            )
            query = urlencode({name: st.query_params[name] for name in st.query_params})
            st.code(f"{st.context.url}?{query}", language=None, wrap_lines=True)
            freed = f"It holds {in_bytes(store.bytes_of(run))}. The corpus stays."
            delete_question(
                f"Delete {escaped(run_title(run))} with its encoder, embeddings, maps and curves? {freed}",
                partial(delete_unused_run, run), key=delete_key, job=run,
                gone="This run no longer exists: it was deleted in another tab.",
                busy="" if read_state(run).is_over else "It is still running, so it cannot be deleted. Stop it first.",
            )  # fmt: skip
    show_refusal(_NAME_REFUSED)
    show_refusal(f"{delete_key}.refused")
    st.caption(escaped(run_facts(run), 600))
    if tags := tags_of(run):
        st.markdown(" ".join(f":gray-badge[{escaped(tag)}]" for tag in tags))
    if note := store.stored_request(run).note:
        st.caption(escaped(note, store.NOTE_CHARACTERS))


def run_heading(run: RunFolder) -> None:
    """The title of a run on a page that shows more than this run."""
    st.subheader(escaped(run_title(run)), anchor=False, width="content")


def run_facts(run: RunFolder) -> str:
    """``docs · Word statistics · Two sentences · 8.2 epochs · 2 cores · kNN accuracy 79.2 % ± 2.4 (+5.2 points)``"""
    result, settings, corpus = read_result(run), store.settings_of(run), corpus_of(run)
    name = corpus.info.name if corpus is not None else result.corpus.name if result is not None else ""
    if is_own(run):
        parts = [name, "imported embeddings"]
    else:
        encoder, recipe = (str(settings.get(part, "")) for part in ("encoder", "recipe"))
        length = epochs_in_words(result) if result is not None and result.texts_read else ""
        parts = [name, encoder_title(encoder), recipe_title(recipe), length]
    facts = read_state(run)
    ended = "" if facts.state is State.FINISHED else str(facts.state)
    knn, outcome = accuracy_of(result, shown_distance()), ""
    if knn is not None and result is not None and not awaits_folds(result, facts.state):
        change = f" ({points(knn.change.difference)})" if knn.change is not None else ""
        outcome = f"kNN accuracy {accuracy(*knn.of('after'))}{change}"
    return " · ".join(part for part in (*parts, facts.device_line, outcome, ended) if part)


_NAME_REFUSED = "renaming.refused"


def renaming(run: RunFolder) -> None:
    """Name, tags and a note, shown wherever the run appears."""
    stored, current = store.stored_request(run), tags_of(run)
    name, note, tags = (f"renaming.{each}-{run.id}" for each in ("name", "note", "tags"))
    elsewhere = started_elsewhere(run)
    with st.form(f"renaming-{run.id}", border=False):
        if elsewhere is not None:
            st.write(f"{elsewhere} Others may look for it under its old name.")
        st.text_input("Name", stored.name, key=name, max_chars=store.NAME_CHARACTERS)
        in_use = tags_in_use(tidy_tags(row.get("tags") or []) for row in list_rows())
        st.multiselect("Tags", [*current, *(tag for tag in in_use if tag not in current)], current, key=tags,
                       accept_new_options=True, max_selections=MOST_TAGS, placeholder="Choose or type",
                       help="Short words by which you find runs again; Runs filters by them.")  # fmt: skip
        st.text_area("Note", stored.note or "", key=note, max_chars=store.NOTE_CHARACTERS)
        label = "Keep" if elsewhere is None else "Rename anyway"
        st.form_submit_button(label, on_click=_keep, args=(run, name, note, tags, current))


def _keep(run: RunFolder, name: str, note: str, tags: str, shown: list[str]) -> None:
    """Store the form. A tag that was given elsewhere since the form ``shown`` its tags stays."""

    def keep() -> None:
        store.rename_run(run, st.session_state[name], st.session_state[note])
        chosen = tidy_tags(st.session_state[tags])
        change_tags([run], add=chosen, remove=[tag for tag in shown if tag not in chosen])

    agree(run)
    attempt(keep, _NAME_REFUSED)
