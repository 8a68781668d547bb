"""The picked run, in the address of every page; the boxes that choose a run or a corpus, and the names in them."""

from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import Distance
from embedlab.errors import EmbedlabError
from embedlab.numbers import ago, counted, percent
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.file import changed
from embedlab.runs.index.find import unsettled
from embedlab.runs.result import accuracy_of, read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs, open_run, request_if_readable
from embedlab.store_root import store_root
from embedlab.training.titles import what_it_trains
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.state import CHOSEN, CORPUS, RUN, shown_distance, take_choice, tell_choice

BY_LINK = "run_by_link"  # whether this very rerun was asked for a run by its address
SHOWN_RUNS = 200
_PICKER = "run_picker"  # the box alone; what is picked stands in RUN
_IN_URL = "run_in_url"  # what the address said when the page last ran
_LEFT = "runs_left"  # addresses that a click may still come from: the browser has not shown a later one yet
_LAST = "run_last"  # the picked run when the page last ran
_UNKNOWN = "run_unknown"  # the address of this rerun, where it names no stored run


def take_run() -> None:
    """The run in the address, else the one picked before, else the newest readable one; the address then names it."""
    runs, in_address = list_runs(), st.query_params.get(RUN)
    stored = [folder.id for folder in runs]
    left: set = st.session_state.setdefault(_LEFT, set())
    is_new = in_address in stored and in_address != st.session_state.get(_IN_URL)
    context = get_script_run_ctx()
    went_back = context is not None and context.is_history_navigation  # by the browser's Back or Forward
    is_link = is_new and (in_address not in left or went_back)
    st.session_state[BY_LINK] = is_link
    if is_link:
        st.session_state[RUN] = in_address
        st.session_state[CHOSEN] = True
    if st.session_state.get(RUN) not in stored:
        readable = (folder.id for folder in runs if request_if_readable(folder) is not None)
        st.session_state[RUN] = next(readable, stored[0] if stored else None)
    picked = st.session_state[RUN]
    is_unknown = in_address is not None and in_address not in stored and in_address not in left
    is_unknown = is_unknown and picked == st.session_state.get(_LAST, picked)  # another choice ends it
    st.session_state[_UNKNOWN] = in_address if is_unknown else None
    new_address = in_address if is_unknown else picked
    if in_address in (new_address, st.session_state.get(_IN_URL)):
        left.clear()  # the browser shows it: no click can come from an earlier one
    if new_address is not None and in_address != new_address:
        left |= {in_address, st.session_state.get(_IN_URL)} - {None}
        st.query_params[RUN] = new_address
    st.session_state[_IN_URL], st.session_state[_LAST] = new_address, picked


def unknown_run() -> None:
    """Says on the page that the address names no stored run, or why the picked one cannot be opened."""
    if (in_address := st.session_state.get(_UNKNOWN)) is not None:
        line = f"The run in the address, {in_address[:40]}, is not in this store, so the run shown is unchanged."
        st.warning(escaped(line, 200))
    if (picked := st.session_state.get(RUN)) is not None:
        try:
            open_run(picked)
        except EmbedlabError as error:
            st.warning(escaped(error.message, 400))


def run_picker(picked: RunFolder) -> None:
    """The box that chooses another run."""
    names = run_names(list(dict.fromkeys([*(run.id for run in list_runs()[:SHOWN_RUNS]), picked.id])))
    lasting_choice("Run", names, picked.id, key=_PICKER, on_change=_choose, label_visibility="collapsed")


def _choose() -> None:
    """Take the box's choice, unless it repeats what it had before a choice that its browser has not shown yet."""
    chosen, is_behind = choice_of(_PICKER), st.query_params.get(RUN) != st.session_state[_IN_URL]
    is_stale = is_behind and chosen in st.session_state[_LEFT]
    if chosen not in (None, st.session_state[RUN]) and not is_stale:
        st.session_state[RUN] = chosen
        st.session_state[CHOSEN] = True


def run_names(run_ids: list[str]) -> dict[str, str]:
    """A distinct line for each run."""
    parent, lines, used = store_root() / "runs", {}, set()
    may_change = {folder for folder, _ in unsettled("runs")}
    for run_id in run_ids:
        folder = RunFolder(parent / run_id)
        written = (changed(file) for file in (folder.settings, folder.state, folder.result))
        words_of = _words_of if folder in may_change else _kept_words
        words, created = words_of(folder, shown_distance(), *written)
        line = f"{words} · {ago(created)}" if created else words
        lines[run_id] = f"{line} · {run_id[-4:]}" if line in used else line
        used.add(line)
    return lines


def _words_of(folder: RunFolder, distance: Distance, *written: int) -> tuple[str, str]:
    """``demo · 57.9 % · docs · token · crops``, plain text, not Markdown; and when the run was created.

    The share is kNN accuracy by the shown distance, of the encoder that is opened.
    """
    request = request_if_readable(folder)
    if request is None:
        return f"{folder.id} (unreadable)", ""
    result, state = read_result(folder), read_state(folder).state
    what = what_it_trains(request.settings, "untouched")
    corpus = "" if result is None else result.corpus.name
    knn = accuracy_of(result, distance) if state in (State.FINISHED, State.STOPPED) else None
    ended = percent(knn.after) if knn is not None else str(state) if state.is_over else ""  # at work: the foot says
    parts = [request.name or what, ended, corpus, what if request.name else ""]
    return " · ".join(part for part in parts if part), request.created


_kept_words = lru_cache(maxsize=1000)(_words_of)  # of a run that is over: the same until one of its files is another


def corpus_picker(key: str, label: str = "Corpus", **more: Any) -> str | None:
    """Choose a stored corpus; returns its fingerprint, also in the address. None while nothing is stored."""
    lines = {}  # ``docs · 10,789 texts · 54 classes``; plain text, not Markdown
    for info in list_corpora():
        classes = counted(len(info.classes), "class", "classes") if info.classes else "no labels"
        lines[info.fingerprint] = f"{info.name} · {counted(info.texts, 'text')} · {classes}"
    return stored_choice(label, lines, key=key, slot=CORPUS, address=CORPUS, **more) if lines else None


def stored_choice(label: str, lines: dict[str, str], *, key: str, slot: str, address: str = "", **more: Any) -> str:
    """The choice that the session stores under ``slot``, and the address if it has a name there; first the first."""
    if address:
        take_choice({choice: choice for choice in lines}, key=slot, address=address)
    if st.session_state.get(slot) not in lines:
        st.session_state[slot] = next(iter(lines))
    lasting_choice(label, lines, st.session_state[slot], key=key, on_change=keep_choice, args=(key, slot), **more)
    if address:
        tell_choice(st.session_state[slot], key=slot, address=address)
    return st.session_state[slot]


def lasting_choice(label: str, lines: dict[str, str], chosen: str, *, key: str, **more: Any) -> None:
    """``lines``: the current label of each choice; ``on_change`` calls ``choice_of(key)`` and stores the result."""
    drawn = [*st.session_state.get(_drawn(key), []), {line: choice for choice, line in lines.items()}]
    st.session_state[_drawn(key)] = drawn[-3:]  # a click may come from any of these drawings
    st.session_state[key] = chosen

    def line_of(choice: str) -> str:
        return lines.get(choice, choice)  # a line of an earlier drawing stays that line

    st.selectbox(label, list(lines), key=key, format_func=line_of, **more)


def keep_choice(key: str, slot: str) -> None:
    """For ``on_change``: the session stores the choice under ``slot``."""
    st.session_state[slot] = choice_of(key) or st.session_state[slot]


def choice_of(key: str) -> str | None:
    """The choice of the box with this key, even under an earlier label; None for a label never drawn."""
    value = st.session_state[key]
    choices = {line: choice for lines in st.session_state[_drawn(key)] for line, choice in lines.items()}
    chosen = choices.get(value, value)
    return chosen if chosen in choices.values() else None


def _drawn(key: str) -> str:
    return f"{key}.lines"
