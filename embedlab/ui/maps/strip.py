"""Histograms beside the maps: of numbers, or a bar per group; what is brushed stays highlighted on both maps."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.colour_groups import OWN_NUMBERS, as_numbers
from embedlab.ui.components.loaded_maps import moves
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.strip_view import StripState, strip_view
from embedlab.ui.frame.state import several_of
from embedlab.ui.maps.colour_by import COLUMN, LABEL, LENGTH, MOVEMENT, SPLIT, choices, colouring, lengths

MOST = 4  # beside the maps at once
KEY = "maps.histograms"


def strip_choices(corpus: Corpus, view: Compared) -> dict[str, str]:
    """Columns, and per-text measurements: key -> name."""
    every = choices(corpus, view.run, against=view.against)
    return {
        key: name for key, name in every.items() if key in (LABEL, LENGTH, MOVEMENT, SPLIT) or key.startswith(COLUMN)
    }


def strip_choice(corpus: Corpus, view: Compared) -> list[str]:
    """Draws the choice of columns; returns it."""
    return several_of(
        "Histograms beside the maps", strip_choices(corpus, view), key=KEY, max_selections=MOST,
        placeholder="Choose columns",
        help="What you select on a histogram stays highlighted on both maps. Each histogram counts the texts "
        "that the lasso and the other histograms leave.",
    )  # fmt: skip


def strips(view: Compared, corpus: Corpus, chosen: list[str], method: str) -> StripState:
    """Draws the histograms of the chosen columns; returns what is brushed on all of them together."""
    titles = strip_choices(corpus, view)
    states = {titles[choice]: _strip(view, corpus, choice, titles[choice], method) for choice in chosen}
    brushed = {name: state for name, state in states.items() if state.inside is not None}
    if not brushed:
        return StripState()
    inside = np.logical_and.reduce([state.inside for state in brushed.values() if state.inside is not None])
    return StripState(inside, "; ".join(f"{name}: {state.words}" for name, state in brushed.items()))


def _strip(view: Compared, corpus: Corpus, choice: str, name: str, method: str) -> StripState:
    key, group = f"maps.strip-{choice}-{view.group}", view.group
    values = _numbers(view, corpus, choice)
    if values is not None:
        return strip_view(key=key, values=np.where(corpus.excluded, np.nan, values), group=group, title=name)
    groups = colouring(corpus, view.run, choice, method=method, against=view.against)
    return strip_view(
        key=key, categories=groups.categories, names=groups.names, colours=groups.colours, group=group, title=name,
        height=150,
    )  # fmt: skip


def _numbers(view: Compared, corpus: Corpus, choice: str) -> np.ndarray | None:
    """(corpus rows,) numbers for a histogram, NaN for none; None for words and few distinct numbers."""
    if choice == LENGTH:
        return lengths(corpus, corpus.fingerprint)
    if choice == MOVEMENT:
        moved = moves(view.run, view.against)
        assert moved is not None, "it is offered where it was measured"
        values = np.full(corpus.info.rows, np.nan)
        values[moved.rows] = moved.movement
        return values
    if choice.startswith(COLUMN):
        return _column(corpus, corpus.fingerprint, choice.removeprefix(f"{COLUMN}:"))
    return None


@st.cache_resource(max_entries=8, show_spinner=False)
def _column(_corpus: Corpus, fingerprint: str, column: str) -> np.ndarray | None:
    values = as_numbers(_corpus.column(column))
    if values is None or len(np.unique(values[np.isfinite(values)])) <= OWN_NUMBERS:
        return None
    return values
