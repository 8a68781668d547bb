"""Other runs in the same picture: those on the same corpus of which the same was measured, as a reader chooses."""

from collections.abc import Callable

import streamlit as st

from embedlab.compare.rows import run_names
from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of, list_runs

SHOWN_RUNS = 50


def runs_beside(run: RunFolder, is_measured: Callable[[RunFolder], bool], *, key: str) -> dict[str, RunFolder]:
    """The chosen runs by their names; without any that could be chosen nothing is asked."""
    offered = {
        other.id: other
        for other in list_runs()[:SHOWN_RUNS]
        if other.id != run.id and is_measured(other) and _on_one_corpus(run, other)
    }
    if not offered:
        return {}
    names = run_names(list(offered.values()))
    chosen = st.multiselect("Beside it", list(offered), format_func=names.get, key=key,
                            help="Other runs on this corpus of which this was measured.")  # fmt: skip
    return {names[each]: offered[each] for each in chosen}


def _on_one_corpus(run: RunFolder, other: RunFolder) -> bool:
    try:
        return read_result(other) is not None and fingerprint_of(run) == fingerprint_of(other)
    except EmbedlabError:
        return False
