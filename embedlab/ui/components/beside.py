"""Other runs in the same picture: those on the same corpus of which the same was measured, as a reader chooses."""

from collections.abc import Callable
from itertools import islice

import streamlit as st

from embedlab.compare.rows import run_names
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_runs
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of
from embedlab.ui.frame.state import hold

SHOWN_RUNS = 50


def runs_beside(run: RunFolder, is_measured: Callable[[RunFolder], bool], *, key: str) -> dict[str, RunFolder]:
    """The chosen runs by their names; without any that could be chosen nothing is asked."""
    others = find_runs(corpus=fingerprint_of(run))
    measured = (each for each in others if each.id != run.id and is_measured(each) and read_result(each) is not None)
    offered = {other.id: other for other in islice(measured, SHOWN_RUNS)}
    if not offered:
        return {}
    names = run_names(list(offered.values()))
    hold(key)
    chosen = st.multiselect("Compare with", list(offered), format_func=names.get, key=key,
                            help="Other runs on this corpus that have this measurement.")  # fmt: skip
    return {names[each]: offered[each] for each in chosen}
