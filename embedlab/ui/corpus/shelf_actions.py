"""What is done with stored data of any kind: called otherwise, downloaded, deleted."""

from collections.abc import Iterator
from contextlib import suppress

import streamlit as st

from embedlab.corpora.stored.shelf import NAME_CHARACTERS, Shelf, StoredInfo
from embedlab.errors import EmbedlabError
from embedlab.finds.store import open_find
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.numbers import counted, in_bytes
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work, find_runs
from embedlab.runs.selections import open_selection
from embedlab.runs.store import open_run, settings_of, task_of
from embedlab.studies.store import open_study
from embedlab.training.settings import Estimate
from embedlab.ui.frame.files import offer_file
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import escaped

_REFUSED = "data.refused"


def shelf_actions(shelf: Shelf, info: StoredInfo) -> None:
    """Three popovers, to be drawn in a row."""
    key = f"{shelf.folder}-{info.fingerprint}"
    with st.popover("Rename", width="content"), st.form(f"data.rename-{key}", border=False):
        st.text_input("Name", info.name, key=f"data.name-{key}", max_chars=NAME_CHARACTERS)
        st.form_submit_button("Rename", on_click=_rename, args=(shelf, info.fingerprint, f"data.name-{key}"))
    with st.popover("Export", width="content"):
        for path in sorted(shelf.place(info.fingerprint).glob("*.parquet")):
            offer_file(f"{path.stem.capitalize()} as Parquet", path, f"{info.name}-{path.name}")
    users = used_by(info.fingerprint)
    busy = "It is being worked on. Stop that first." if users else None
    with st.popover("Delete", width="content", disabled=busy is not None, help=busy):
        runs = sum(1 for _ in find_runs(corpus=info.fingerprint))
        size = in_bytes(sum(path.stat().st_size for path in shelf.place(info.fingerprint).rglob("*") if path.is_file()))
        stay = f" {counted(runs, 'run')} on it {'stays' if runs == 1 else 'stay'}, without the texts." if runs else ""
        question = f"Delete {escaped(info.name)} ({size}) from the store? Your own file stays where it is.{stay}"
        st.write(f"{question} This cannot be undone.")
        st.button("Delete for good", key=f"data.delete-{key}", type="primary", on_click=_delete,
                  args=(shelf, info.fingerprint))  # fmt: skip
    if refused := st.session_state.pop(_REFUSED, None):
        show_error(refused)


_PASSING = (Estimate.task, AnswerTexts.task)  # they begin by themselves, and end without harm where a corpus is gone


def used_by(fingerprint: str) -> list[RunFolder]:
    """Runs and jobs at work that were told of this content, themselves or through the run, study, Find or selection
    that they work on.
    """
    return [
        folder
        for folder in at_work()
        if task_of(folder) not in _PASSING and any(fingerprint in str(each) for each in _told(folder))
    ]


def _told(folder: RunFolder) -> Iterator[object]:
    """Its settings, and those of what they name."""
    settings = settings_of(folder)
    yield settings
    for name, opened in _NAMED.items():
        if settings.get(name):
            with suppress(EmbedlabError, FileNotFoundError):  # deleted meanwhile, or damaged
                yield opened(str(settings[name]))


_NAMED = {
    "run": lambda run: settings_of(open_run(run)),
    "of": lambda run: settings_of(open_run(run)),
    "study": lambda study: asked_of(open_study(study)),
    "find": lambda find: asked_of(open_find(find)),
    "selection": open_selection,
}


def _rename(shelf: Shelf, fingerprint: str, key: str) -> None:
    try:
        shelf.rename(fingerprint, st.session_state[key])
    except (EmbedlabError, OSError) as error:
        st.session_state[_REFUSED] = str(error)


def _delete(shelf: Shelf, fingerprint: str) -> None:
    if used_by(fingerprint):
        st.session_state[_REFUSED] = "It is being worked on. Stop that first."
        return
    try:
        shelf.delete(fingerprint)
    except (EmbedlabError, OSError) as error:
        st.session_state[_REFUSED] = str(error)
