"""Runs other than the picked one: for comparison, and those whose encoder has layers."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import islice
from operator import attrgetter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.comparison.rows import run_names
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.index.find import at_work, find_runs, strings_told
from embedlab.runs.label_lineage import first_encoder
from embedlab.runs.result import read_result
from embedlab.runs.store import corpus_key, fingerprint_of, settings_of
from embedlab.training.titles import run_title
from embedlab.ui.components.built_in import start_demo
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.state import CHOSEN, RUN, pick_run, picked_run, several_of


def open_layered_by_default() -> None:
    """Move the picker to a run with layers if it is on a token layer that nobody chose."""
    run = picked_run()
    if run is None or st.session_state.get(CHOSEN) or not is_token(run):
        return
    other = layered_run(run)
    if other is not None and read_result(other) is not None:
        st.session_state[RUN] = other.id  # without CHOSEN: nobody chose it
        st.rerun()


def is_token(run: RunFolder) -> bool:
    """Whether the run's encoder is a bare token layer, including through the run that it continued."""
    return is_token_layer(first_encoder(str(settings_of(run).get("encoder", ""))))


def measuring_place(run: RunFolder) -> DeltaGenerator:
    """Where the measurement is started: collapsed for a token layer, which it cannot measure."""
    return st.expander("Measure anyway") if is_token(run) else st.container()


def layered_run(run: RunFolder) -> RunFolder | None:
    """The newest run with layers: finished before running ones, those on the same corpus before others."""
    encoders = [each for each in strings_told("encoder") if not is_token_layer(each.partition(":")[0])]
    for settings in ({"corpus": fingerprint_of(run)}, {}):
        others = merge(*(find_runs(encoder=each, **settings) for each in encoders), key=attrgetter("id"), reverse=True)
        candidates = (each for each in _layered(others, run) if not settings or corpus_key(each) == corpus_key(run))
        if (newest := next(candidates, None)) is not None:
            return newest
    waiting = list(_layered(reversed(at_work("runs")), run, is_done=False))
    return min(waiting, key=lambda other: corpus_key(other) != corpus_key(run), default=None)


def offer_layered(run: RunFolder, why: str, *, key: str) -> None:
    """Say why, and open a run whose encoder has layers; if there is none, start the demo."""
    other = layered_run(run)
    with st.container(border=True):
        st.write(why)
        if other is not None:
            label, explained = f"Open {escaped(run_title(other))}", "A run whose encoder has layers."
            st.button(label, key=key, type="primary", on_click=pick_run, args=(other,), help=explained)
        else:
            st.button("Train the demo, whose encoder has layers", key=key, type="primary", on_click=start_demo)


def _layered(candidates: Iterable[RunFolder], run: RunFolder, *, is_done: bool = True) -> Iterator[RunFolder]:
    """Those whose encoder has layers; only with a result, if they must be finished."""
    for other in candidates:
        has_layers = bool(settings_of(other).get("encoder")) and not is_token(other) and not is_own(other)
        if other.id != run.id and has_layers and not (is_done and read_result(other) is None):
            yield other


def runs_beside(run: RunFolder, is_measured: Callable[[RunFolder], bool], *, key: str) -> dict[str, RunFolder]:
    """The chosen runs by name; nothing is shown if there are none to choose."""
    others = find_runs(corpus=fingerprint_of(run))
    measured = (each for each in others if each.id != run.id and is_measured(each) and read_result(each) is not None)
    offered = {other.id: other for other in islice(measured, 50)}
    if not offered:
        return {}
    names = run_names(list(offered.values()))
    explained = "Other runs on this corpus that have this measurement."
    chosen = several_of("Compare with", {each: names[each] for each in offered}, key=key, help=explained)
    return {names[each]: offered[each] for each in chosen}
