"""What a page works on: the picked run, stored corpora, the parts, and whether the ground is dark."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.figures.palette import MOST_CLASSES, Shades, class_colours
from embedlab.jobs.parts_file import parts_file, read_parts
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.ui.frame.opened import opened
from embedlab.ui.frame.session import start_once

RUN = "run"  # the id of the picked run, and its name in the URL
CHOSEN = "run_is_chosen"  # whether somebody chose the picked run; else it is only the newest one
TRAIN_VIEW, RUN_VIEW, NEW_VIEW = "train.view", "This run", "New run"  # of Train
CORPUS = "corpus"  # the fingerprint that Corpus and Train work on, and its name in the URL


def is_dark() -> bool:
    """Whether the page is drawn on the dark ground."""
    return st.context.theme.type == "dark"


def picked_run() -> RunFolder | None:
    """The run of the picker in the frame, or None while there is none."""
    run_id = st.session_state.get(RUN)
    if run_id is None:
        return None
    try:
        return open_run(run_id)
    except EmbedlabError:
        return None


def pick_run(folder: RunFolder) -> None:
    """Make this the picked run, from the next rerun on."""
    st.session_state[RUN] = folder.id
    st.session_state[CHOSEN] = True


def corpus_of(folder: RunFolder) -> Corpus | None:
    """The corpus of a run, or None while it is not known or no longer stored."""
    try:
        return opened(fingerprint_of(folder))
    except (EmbedlabError, FileNotFoundError, KeyError):
        return None


def colours_of(corpus: Corpus) -> dict[str, Shades]:
    """The colour of each class: the same on all pages and in all runs."""
    return class_colours(each.label for each in corpus.info.classes[:MOST_CLASSES])


def parts() -> dict | None:
    """Cards and schemas of all parts, or None while a worker writes them; asked for once in a session."""
    found = read_parts()
    if found is None and "parts_job" not in st.session_state:
        job = None if parts_file().exists() else start_once("parts", {"file": parts_file().name})
        st.session_state["parts_job"] = job.id if job is not None else None
    return found


def parts_job() -> RunFolder | None:
    """The job that writes the parts, while or after it runs in this session."""
    job = st.session_state.get("parts_job")
    return open_run(job) if job else None
