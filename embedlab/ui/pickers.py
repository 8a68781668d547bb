"""The run picker of the frame, in the URL, and the names of runs."""

import streamlit as st

from embedlab.corpora.base import CorpusInfo, list_corpora
from embedlab.errors import EmbedlabError
from embedlab.runs.accuracy import accuracy_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs, read_result, read_settings
from embedlab.ui.distance import by_distance, shown_distance
from embedlab.ui.state import CHOSEN, CORPUS, RUN
from embedlab.ui.text import ago, count, percent

BY_LINK = "run_by_link"  # whether this very rerun was asked for a run by its address
IN_URL = "run_in_url"  # what the address said when the page last ran
CORPUS_IN_URL = "corpus_in_url"
SHOWN_RUNS = 200


def run_picker() -> None:
    """Choose the run that all views show. Its id stands in the address, so every view is a link."""
    known = [folder.id for folder in list_runs()[:SHOWN_RUNS]]
    asked = st.query_params.get(RUN)
    is_link = asked in known and asked != st.session_state.get(IN_URL)  # or a reload, or the browser's Back
    st.session_state[BY_LINK] = is_link
    if is_link:
        st.session_state[RUN] = asked
        st.session_state[CHOSEN] = True
    if st.session_state.get(RUN) not in known:
        st.session_state[RUN] = known[0] if known else None
    if known:
        names = run_names(known)
        st.session_state[RUN] = st.session_state[RUN]  # set again, so that the browser takes over a line that changed
        explained = f"The run that every page shows. Its share is kNN accuracy {by_distance(shown_distance())}."
        st.selectbox("Run", known, key=RUN, format_func=names.get, on_change=_choose, help=explained)
    if asked is not None and asked not in known:
        st.caption("The run in the address is not in this store.")
    picked = st.session_state.get(RUN)
    if picked is not None:
        st.query_params[RUN] = picked
    elif asked is not None:
        del st.query_params[RUN]
    st.session_state[IN_URL] = picked


def _choose() -> None:
    st.session_state[CHOSEN] = True


def run_names(run_ids: list[str]) -> dict[str, str]:
    """A distinct line for each run."""
    parent = {folder.id: folder for folder in list_runs()}
    lines, used = {}, set()
    for run_id in run_ids:
        line = run_line(parent[run_id]) if run_id in parent else run_id
        lines[run_id] = f"{line} · {run_id[-4:]}" if line in used else line
        used.add(line)
    return lines


def run_line(folder: RunFolder) -> str:
    """``demo · 57.9 % · docs · token · crops · 5 min ago``; plain text, not Markdown.

    The share is kNN accuracy by the shown distance, of the encoder that is opened.
    """
    try:
        asked = read_settings(folder)
    except EmbedlabError:
        return f"{folder.id} (unreadable)"
    settings, result, state = asked["settings"], read_result(folder), read_state(folder)["state"]
    what = f"{settings.get('encoder', '?')} · {settings.get('recipe', '?')}"
    corpus = result["corpus"]["name"] if result else ""
    knn = accuracy_of(result, shown_distance()) if state in (State.FINISHED, State.STOPPED) else None
    ended = str(state) if knn is None else percent(knn.after)
    if knn is not None and knn.distance != shown_distance():  # an old run has the other one alone
        ended += f" {by_distance(knn.distance)}"
    parts = [asked["name"] or what, ended, corpus, what if asked["name"] else "", ago(asked["created"])]
    return " · ".join(part for part in parts if part)


def run_title(folder: RunFolder) -> str:
    """The run's own name, else what it trains."""
    try:
        asked = read_settings(folder)
    except EmbedlabError:
        return folder.id
    return asked["name"] or f"{asked['settings'].get('encoder', '?')} · {asked['settings'].get('recipe', '?')}"


def corpus_picker(key: str, label: str = "Corpus") -> str | None:
    """Choose a stored corpus; its fingerprint, which also stands in the address. None while nothing is stored."""
    infos = {info.fingerprint: info for info in list_corpora()}
    if not infos:
        return None
    asked = st.query_params.get(CORPUS)
    if asked is not None and asked != st.session_state.get(CORPUS_IN_URL) and asked in infos:
        st.session_state[CORPUS] = asked
    if st.session_state.get(CORPUS) not in infos:
        st.session_state[CORPUS] = next(iter(infos))
    st.session_state[key] = st.session_state[CORPUS]
    st.selectbox(
        label,
        list(infos),
        key=key,
        format_func=lambda each: corpus_line(infos[each]),
        on_change=_take_corpus,
        args=(key,),
    )
    st.query_params[CORPUS] = st.session_state[CORPUS_IN_URL] = st.session_state[CORPUS]
    return st.session_state[CORPUS]


def _take_corpus(key: str) -> None:
    st.session_state[CORPUS] = st.session_state[key]


def corpus_line(info: CorpusInfo) -> str:
    """``docs · 10,789 texts · 54 classes``; plain text, not Markdown."""
    classes = f"{count(len(info.classes))} classes" if info.classes else "no labels"
    return f"{info.name} · {count(info.texts)} texts · {classes}"
