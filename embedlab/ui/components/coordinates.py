"""The maps of a run as arrays: coordinates of the texts that have a place, and what is known of the drawing."""

from pathlib import Path

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import shown_as, shown_numbers
from embedlab.figures.palette import MOST_CLASSES, NO_CLASS
from embedlab.runs.drawn_map import DrawnMap, read_map
from embedlab.runs.folder import RunFolder


def load_map(run: RunFolder, name: str, method: str = "tsne") -> DrawnMap | None:
    """The map ``before`` or ``after`` of a run, or None while it is not drawn."""
    return map_at(run.map(name, method), run.map_facts(name, method))


def map_at(path: Path, facts: Path) -> DrawnMap | None:
    """A map by its two files, or None while it is not drawn."""
    if not (path.exists() and facts.exists()):
        return None
    return _read(str(path), str(facts), path.stat().st_mtime_ns)


@st.cache_resource(max_entries=8, show_spinner=False)
def _read(path: str, facts: str, changed: int) -> DrawnMap:
    return read_map(Path(path), Path(facts))


@st.cache_resource(max_entries=4, show_spinner=False)
def _categories(_corpus: Corpus, shown: str) -> np.ndarray:
    """(rows,) index of each row's class, by size, or NO_CLASS"""
    numbers = shown_numbers(_corpus)
    return np.where((numbers >= 0) & (numbers < MOST_CLASSES), numbers, NO_CLASS).astype(np.uint16)


def categories_of(corpus: Corpus, rows: np.ndarray) -> np.ndarray:
    """The class of each of these rows, as map_view wants it.  rows: (texts,) -> (texts,)"""
    return _categories(corpus, shown_as(corpus))[rows]


def shared_places(left: DrawnMap, right: DrawnMap) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts that have a place on both maps: corpus rows, places left, places right.  -> (n,), (n, 2), (n, 2)"""
    if np.array_equal(left.rows, right.rows):
        return right.rows, left.coordinates, right.coordinates
    rows, on_left, on_right = np.intersect1d(left.rows, right.rows, assume_unique=True, return_indices=True)
    return rows, left.coordinates[on_left], right.coordinates[on_right]


def morph(titles: tuple[str, str], left: DrawnMap, right: DrawnMap) -> list[tuple[str, np.ndarray]]:
    """The two ends of the slider, for the texts of the right map; one without a place on the left does not move."""
    rows, on_left, _ = shared_places(left, right)
    start = right.coordinates.copy()
    start[np.searchsorted(right.rows, rows)] = on_left
    return [(titles[0], start), (titles[1], right.coordinates)]
