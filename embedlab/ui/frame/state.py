"""What a page works on: the picked run, opened corpora, the device, and the theme."""

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path

import streamlit as st

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.encoders.device import Device, known_device
from embedlab.errors import EmbedlabError
from embedlab.example import example_corpus
from embedlab.figures.palette import MOST_CLASSES, Shades, class_colours
from embedlab.jobs.worker_process import answered
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import store_root


def opened(fingerprint: str) -> Corpus:
    """A stored corpus with its columns read so far; reopened after a rename or new summaries.

    The example's is the packaged one.
    """
    example = example_corpus()
    if example is not None and example.fingerprint == fingerprint:
        return example
    return _opened(store_root(), fingerprint, *(_written(fingerprint, name) for name in _MAY_CHANGE))


_MAY_CHANGE = ("corpus.json", "summaries.json")


@lru_cache(maxsize=2)
def _opened(root: Path, fingerprint: str, *written: int | None) -> Corpus:
    return open_corpus(fingerprint)


def _written(fingerprint: str, name: str) -> int | None:
    """When this file of the corpus was written, or None."""
    try:
        return (store_root() / "corpora" / fingerprint / name).stat().st_mtime_ns
    except (OSError, ValueError):
        return None


RUN = "run"  # the id of the picked run, and its name in the URL
CHOSEN = "run_is_chosen"  # whether somebody chose the picked run; else it is only the newest one
TRAIN_VIEW, NEW_VIEW, FIND_VIEW = "train.view", "One run", "Find"  # of Train
CORPUS_SOURCE, OWN_FILE = "corpus.source", "Your file"  # of Data
CORPUS = "corpus"  # the fingerprint that Data and Train work on, and its name in the URL


def is_dark() -> bool:
    """Whether the page uses the dark theme."""
    return st.context.theme.type == "dark"


def picked_run() -> RunFolder | None:
    """The run picked in the frame, or None if there is none."""
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


def hold(key: str) -> None:
    """Call before drawing a choice whose labels change between runs of the page (a time, a name): the browser returns
    the last label, which would count as a choice nobody made.
    """
    if key in st.session_state:
        st.session_state[key] = st.session_state[key]


def corpus_of(folder: RunFolder) -> Corpus | None:
    """The corpus of a run, or None if it is unknown or no longer stored."""
    try:
        return opened(fingerprint_of(folder))
    except (EmbedlabError, FileNotFoundError, KeyError):
        return None


def colours_of(corpus: Corpus) -> dict[str, Shades]:
    """The colour of each class, the same on all pages and in all runs; of labels by hand if there are no classes."""
    return class_colours(shown_names(corpus)[:MOST_CLASSES])


def device() -> Device | None:
    """The default device of runs; None until a process that may load torch has looked for a GPU."""
    detected = known_device()
    if detected is None and (looking := _looking()).done():
        detected = Device(**looking.result())
    return detected


@cache
def _looking() -> Future:
    """The search for a GPU, started by the first caller."""
    return ThreadPoolExecutor(1, thread_name_prefix="embedlab-device").submit(answered, "embedlab.encoders.device")
