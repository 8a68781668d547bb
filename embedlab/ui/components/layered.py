"""Runs whose encoder has layers: Layers and Length open one by default, and offer one beside the token layer."""

import streamlit as st

from embedlab.encoder_names import is_token_layer
from embedlab.errors import EmbedlabError
from embedlab.runs.brought import is_own
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_runs
from embedlab.runs.label_lineage import run_title
from embedlab.runs.result import read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import fingerprint_of, open_run, settings_of
from embedlab.ui.components.demo import second_encoder, start_second
from embedlab.ui.frame.progress import awaited_parts
from embedlab.ui.frame.state import CHOSEN, RUN, pick_run, picked_run
from embedlab.ui.frame.text import escaped

LOOKED_AT = 200  # the newest runs


def open_layered_by_default() -> None:
    """Move the picker to a run with layers, where it stands on a token layer that nobody chose."""
    run = picked_run()
    if run is None or st.session_state.get(CHOSEN) or not is_token(run):
        return
    other = layered_run(run)
    if other is not None and read_result(other) is not None:
        st.session_state[RUN] = other.id  # without CHOSEN: nobody chose it
        st.rerun()


def is_token(run: RunFolder) -> bool:
    """Whether the run's encoder is a bare token-embedding layer, also by way of the run that it started from."""
    for _ in range(LOOKED_AT):
        kind, _, rest = str(settings_of(run).get("encoder", "")).partition(":")
        if kind != "run":
            return is_token_layer(kind)
        try:
            run = open_run(rest)
        except EmbedlabError:
            return False
    return False


def measuring_place(run: RunFolder):
    """Where the measurement is started: folded for a token layer, of which it can show nothing."""
    return st.expander("Measure it all the same") if is_token(run) else st.container()


def layered_run(run: RunFolder) -> RunFolder | None:
    """The newest run with layers: one with a result before one at work, one on the same corpus before others."""
    found = [other for other in find_runs() if other.id != run.id and _can_be_opened(other)]
    return min(found, key=lambda other: (read_result(other) is None, not _same_corpus(run, other)), default=None)


def offer_layered(run: RunFolder, *, key: str) -> None:
    """Opens a run whose encoder has layers; where there is none, starts the second built-in run."""
    other = layered_run(run)
    if other is not None:
        label = f"Open {escaped(run_title(other))}"
        st.button(
            label, key=key, type="primary", on_click=pick_run, args=(other,), help="A run whose encoder has layers."
        )
    elif (known := awaited_parts()) is not None:
        label = f"Train {escaped(second_encoder(known)['title'])} on the built-in texts"
        st.button(label, key=key, type="primary", on_click=start_second, args=(known,))


def _can_be_opened(run: RunFolder) -> bool:
    has_layers = bool(settings_of(run).get("encoder")) and not is_token(run) and not is_own(run)
    return has_layers and (read_result(run) is not None or not read_state(run).is_over)


def _same_corpus(run: RunFolder, other: RunFolder) -> bool:
    try:
        return fingerprint_of(run) == fingerprint_of(other)
    except (EmbedlabError, KeyError):
        return False
