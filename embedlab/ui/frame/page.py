"""What every page begins and ends with, what it needs to be shown, and the views of a run that it is made of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from embedlab.corpora.stored.shelf import NAME_CHARACTERS
from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import has_only_places, is_own, no_embeddings, no_encoder
from embedlab.runs.result import RunResult, read_result
from embedlab.ui.frame.layout import escaped, show_error
from embedlab.ui.frame.navigation import VIEW, go_button, go_to
from embedlab.ui.frame.progress import follow_job, started_elsewhere
from embedlab.ui.frame.state import picked_run, remember, view_choice


def page_head(title: str, sentence: str) -> None:
    """The page's name and what it answers."""
    st.title(title, anchor=False)
    st.caption(sentence)


def empty_state(sentence: str, *, button: str, page: str) -> None:
    """Nothing to show yet: what to do next, and the button for it."""
    with st.container(border=True):
        st.write(sentence)
        if st.button(button, key=f"empty-{page}", type="primary"):
            go_to(page)


def no_run_yet() -> None:
    """The store has no run: where one comes from."""
    sentence = "There is no run yet. The demo starts with one button on Home and needs no download."
    empty_state(sentence, button="Open Home", page="home")


def what_am_i_looking_at(text: str, section: str) -> None:
    """The folded explanation at the page's end, with the paper's section."""
    with st.expander("What am I looking at?"):
        st.write(text)
        st.caption(section)


RESTORABLE = "For a day it can be restored: on Home, under Storage."


def delete_popover(
    label: str, question: str, delete: Callable[[], object], *, key: str, gone: str,
    confirm: str = "Delete it", busy: str = "", job: RunFolder | None = None,
    options: Callable[[], None] | None = None, is_final: bool = False,
) -> None:  # fmt: skip
    """A button that asks once before it deletes, and says why that was refused; see ``delete_question``."""
    show_refusal(f"{key}.refused")
    with st.popover(label, width="content", disabled=bool(busy), help=busy or None):
        delete_question(question, delete, key=key, gone=gone, confirm=confirm, job=job, options=options,
                        is_final=is_final)  # fmt: skip


def delete_question(
    question: str, delete: Callable[[], object], *, key: str, gone: str, confirm: str = "Delete it",
    busy: str = "", job: RunFolder | None = None, options: Callable[[], None] | None = None, is_final: bool = False,
) -> None:  # fmt: skip
    """The question and its button, for a popover; outside of it ``show_refusal(f"{key}.refused")`` says a refusal.

    ``gone``: the message where another tab was first; ``busy``: why it cannot be deleted now; ``job``: says who
    started it; ``options`` draws further choices below the question; ``is_final``: it does not go to the trash.
    """
    started = None if job is None else started_elsewhere(job)
    st.write(busy or " ".join(filter(None, (started, question, "This cannot be undone." if is_final else RESTORABLE))))
    if options is not None:
        options()
    st.button(confirm, key=key, type="primary", on_click=attempt, args=(delete, f"{key}.refused", gone),
              disabled=bool(busy))  # fmt: skip


def form_button(label: str, *, key: str, primary: bool = True, **more: Any) -> bool:
    """Whether it was pressed, noted before the fields above are read: what was typed just before the click counts."""
    pressed = f"{key}.pressed"
    st.button(
        label, key=key, type="primary" if primary else "secondary", on_click=remember, args=(pressed, True), **more
    )
    return st.session_state.pop(pressed, False)


def rename_form(name: str, rename: Callable[[str], object], *, key: str, refused: str) -> None:
    """A field with the name and its button; ``show_refusal(refused)`` says why a new name was refused."""
    with st.form(f"{key}.form", border=False):
        st.text_input("Name", name, key=key, max_chars=NAME_CHARACTERS)
        act = partial(attempt, lambda: rename(st.session_state[key]), refused)
        st.form_submit_button("Rename", key=f"{key}.button", on_click=act)


def attempt(act: Callable[[], object], refused: str, gone: str = "") -> None:
    """For callbacks: why it was refused is shown by ``show_refusal(refused)`` when the page is drawn."""
    try:
        act()
    except (EmbedlabError, OSError, RuntimeError, MemoryError) as error:
        sentence = trouble_said(error)
        if not isinstance(error, EmbedlabError | OSError) and sentence is None:
            raise
        message = str(error) if sentence is None else sentence.message
        st.session_state[refused] = gone if gone and isinstance(error, FileNotFoundError) else message


def show_refusal(key: str) -> None:
    """Why the last attempt was refused; nothing if it was not."""
    if refused := st.session_state.pop(key, None):
        show_error(refused)


def encoder_needed(run: RunFolder) -> None:
    """For a run imported from files, says that the page needs an encoder, and stops."""
    if is_own(run):
        st.info(escaped(no_encoder(run).message, 500))
        st.stop()


def needs_labels(run: RunFolder, result: RunResult) -> bool:
    """Says why there is no kNN accuracy, if there is none."""
    if result.knn is None:
        none = "kNN accuracy needs labels, and the corpus of this run has none."
        st.info(escaped(f"{result.why_no_knn or none} Choose another run.", 500))
    return result.knn is None


def faults_line(faults: Iterable[str], of: str = "") -> None:
    """Defects of the vectors that the page measures, a sentence each; nothing without any. ``of``: whose they are."""
    lines = [escaped(f"{of}: {sentence}" if of else sentence, 400) for sentence in faults]
    if lines:
        st.caption("  \n".join(f":material/warning: {line}" for line in lines))


@dataclass(frozen=True)
class View:
    """One view of the picked run."""

    show: Callable[[Any], None]  # gets the run, or what ``controls`` returned
    explained: str = ""  # in at most 120 words; empty where the view explains itself
    source: str = ""
    controls: Callable[[RunFolder], Any] | None = None  # draws further controls in the row of the view's switch
    begin: Callable[[], None] | None = None  # before anything else
    example: Callable[[], None] | None = None  # the packaged example's view, where there is no run or no result yet
    always_example: bool = False  # also where the run ended without a result: lessons open the view
    needs_result: bool = True  # else it also shows a run at work, or one that failed
    needs_embeddings: bool = False
    needs_encoder: bool = False


def run_needed(view: View) -> RunFolder:
    """The picked run with its result, below what its encoder requests but embedlab does not do; otherwise the page says
    what is missing, offers the next step, shows the packaged example's view below that, and stops.
    """
    run, example = picked_run(), view.example
    if run is None:
        no_run_yet()
        go_button("Use my own embeddings", "own embeddings", help="Vectors or coordinates for a stored corpus.")
    elif (result := read_result(run)) is not None:
        faults_line(result.vector_faults)
        for line in result.not_done:
            st.caption(escaped(line, 600))
        return run
    elif not view.needs_result:
        return run
    elif follow_job(run, stop="").is_over:
        empty_state("This run has no result to show here.", button="See how it ended", page="result")
        example = example if view.always_example else None
    if example is not None:
        example()
    st.stop()


def show_views(views: Mapping[str, View], *, key: str, more: int) -> None:
    """The switch if there are several views, and the chosen one. ``more``: as for ``view_choice``"""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = next(iter(views))
    if len(views) > 1:
        with row:
            name = view_choice(list(views), key=key, address=VIEW, more=more)
    view = views[name]
    if view.begin is not None:
        view.begin()
    run = run_needed(view)
    result = read_result(run)
    if view.needs_embeddings and (has_only_places(run) or (result is not None and result.is_unmeasured)):
        st.info(escaped(no_embeddings(run).message, 500))
        st.stop()
    if view.needs_encoder:
        encoder_needed(run)
    with row:
        subject = run if view.controls is None else view.controls(run)
    view.show(subject)
    if view.explained:
        what_am_i_looking_at(view.explained, view.source)
