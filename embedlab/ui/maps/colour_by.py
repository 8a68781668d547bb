"""Colours for the points of a map: label, any column, kNN right or wrong, cluster, length, trust, movement."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import Distance
from embedlab.figures.palette import ACCENT, UNTOUCHED, Shades, categorical, ramp
from embedlab.numbers import count
from embedlab.runs.drawn_map import UNTOUCHED as ITSELF
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names
from embedlab.runs.predictions import folds_of
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.map_view import NO_CLASS
from embedlab.ui.frame.state import colours_of
from embedlab.ui.frame.switches import by_distance, shown_distance
from embedlab.ui.maps.colour_by_reading import MEASURED, measured_choices, measured_colouring
from embedlab.ui.maps.grouping import (
    NOWHERE,
    OWN_GROUPS,
    OWN_NUMBERS,
    STEPS,
    as_numbers,
    grouped,
    grouped_numbers,
    scaled,
)

LABEL, KNN, LENGTH, SPLIT, COLUMN = "label", "knn", "length", "split", "column"

# by (right before, right after)
OUTCOMES = {
    (True, True): ("right before and after", categorical(4)[2]),
    (False, True): ("right only after", ACCENT),
    (True, False): ("right only before", categorical(4)[1]),
    (False, False): ("wrong before and after", UNTOUCHED),
}


@dataclass(frozen=True)
class Colouring:
    """The group of every corpus row, and the groups' names and colours."""

    categories: np.ndarray  # (rows,) uint16, NO_CLASS where there is none
    names: list[str]
    colours: list[Shades]
    names_on_map: bool
    without: str  # what the legend calls the rest
    note: str = ""
    bar: dict | None = None  # of numbers: title and ticks of the colour bar
    left: np.ndarray | None = None  # (rows,) the groups on the map before, where they are not those on the map after

    def on(self, side: str) -> np.ndarray:
        """The group of every corpus row on the map ``before`` or ``after``.  -> (rows,) uint16"""
        return self.left if side == "before" and self.left is not None else self.categories


def choices(corpus: Corpus, run: RunFolder, *, method: str = "tsne", against: str = ITSELF) -> dict[str, str]:
    """The available colourings of this run's maps: key -> name."""
    available = {LABEL: "Label" if corpus.info.classes else "Label by hand"} if shown_names(corpus) else {}
    available |= measured_choices(run, method, against)
    if run.predictions.exists() and against == ITSELF:
        available[KNN] = "kNN right or wrong, before and after"
        available[SPLIT] = "Test and train texts"
    available[LENGTH] = "Length in characters"
    return available | {f"{COLUMN}:{name}": name for name in corpus.info.columns}


def colouring(
    corpus: Corpus, run: RunFolder, choice: str | None, *, method: str = "tsne", against: str = ITSELF
) -> Colouring:
    """The colours of one of the choices; without one, all points alike."""
    if choice == LABEL:
        colours = colours_of(corpus)
        return Colouring(
            categories_of(corpus, np.arange(corpus.info.rows)), list(colours), list(colours.values()), True, "no label"
        )
    if choice == KNN:
        changed = run.predictions.stat().st_mtime_ns
        return _by_outcome(str(run.path), changed, corpus.info.rows, shown_distance())
    if choice == SPLIT:
        return _by_split(corpus, str(run.path), run.predictions.stat().st_mtime_ns)
    if choice == LENGTH:
        return _by_length(corpus, corpus.fingerprint)
    if choice in MEASURED:
        return Colouring(**measured_colouring(corpus, run, choice, method, against))
    if choice is not None:
        return _by_column(corpus, corpus.fingerprint, choice.removeprefix(f"{COLUMN}:"))
    everything = np.zeros(corpus.info.rows, np.uint16)
    return Colouring(everything, ["texts"], [ACCENT], False, "")


@st.cache_resource(max_entries=2, show_spinner=False)
def _by_length(_corpus: Corpus, fingerprint: str) -> Colouring:
    lengths = np.fromiter(map(len, _corpus.texts), np.float64, _corpus.info.rows)
    return _by_numbers(np.where(_corpus.excluded, np.nan, lengths), "Characters")


@st.cache_resource(max_entries=8, show_spinner=False)
def _by_column(_corpus: Corpus, fingerprint: str, column: str) -> Colouring:
    values = _corpus.column(column)
    numbers = as_numbers(values)
    if numbers is not None:
        return _by_numbers(np.where(_corpus.excluded, np.nan, numbers), column)
    groups = grouped(values)
    note = ""
    if groups.different > OWN_GROUPS:
        note = f"Of {count(groups.different)} different values, the {OWN_GROUPS - 1} most frequent have a colour."
    return Colouring(_members(groups.members), groups.names, categorical(len(groups.names)), True, "empty", note)


def _by_numbers(numbers: np.ndarray, title: str) -> Colouring:
    """One colour per value if there are few, such as years, otherwise a continuous bar. numbers: (rows,)"""
    if len(np.unique(numbers[np.isfinite(numbers)])) <= OWN_NUMBERS:
        groups = grouped_numbers(numbers)
        return Colouring(_members(groups.members), groups.names, ramp(len(groups.names)), False, "empty")
    members, names, scale = scaled(numbers)
    return Colouring(_members(members), names, ramp(STEPS), False, "empty", bar=scale.as_bar(title))


def _members(groups: np.ndarray) -> np.ndarray:
    return np.where(groups == NOWHERE, NO_CLASS, groups).astype(np.uint16)


@st.cache_resource(max_entries=2, show_spinner=False)
def _by_split(_corpus: Corpus, path: str, changed: int) -> Colouring:
    """Which texts were tested for kNN accuracy, and which they were compared with."""
    folds = folds_of(RunFolder(Path(path)), only_test_texts=True)
    categories = np.full(_corpus.info.rows, NO_CLASS, np.uint16)
    categories[_corpus.labelled] = 1
    if folds is not None:
        categories[folds.rows] = 0
    return Colouring(categories, ["test texts", "train texts"], [ACCENT, UNTOUCHED], False, "no label")


@st.cache_resource(max_entries=4, show_spinner=False)
def _by_outcome(path: str, changed: int, rows: int, distance: Distance) -> Colouring:
    """Only test texts have an outcome; train texts are what they are compared with."""
    folds, order = folds_of(RunFolder(Path(path)), distance, only_test_texts=True), list(OUTCOMES)
    assert folds is not None, "it is offered where the run has predictions"
    categories = np.full(rows, NO_CLASS, np.uint16)
    for row, *right in zip(folds.rows, folds.right("before"), folds.right("after"), strict=True):
        categories[row] = order.index(tuple(right))
    names, colours = zip(*OUTCOMES.values(), strict=True)
    tested = f"each of the {count(len(folds.rows))} test texts"
    note = f"Whether the ten nearest train texts {by_distance(distance)} voted for the label of {tested}."
    return Colouring(categories, list(names), list(colours), False, "not a test text", note)
