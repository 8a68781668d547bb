"""The maps of a run as arrays, their measurements, and their titles; cached while the files stay unchanged."""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES, EUCLIDEAN
from embedlab.map_methods import ANY_OF_EQUAL, map_title
from embedlab.numbers import count, counted, percent
from embedlab.palette import MOST_CLASSES, NO_CLASS
from embedlab.runs.drawn_map import UNTOUCHED, DrawnMap, read_map, read_map_facts, right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_as, shown_numbers
from embedlab.runs.imported import own_files
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.map_readings import MapTrust, class_neighbors_of, clusters_of, moves_of, trust_of
from embedlab.runs.result import read_result
from embedlab.runs.store import open_run
from embedlab.ui.components.map_view import MapState, map_view
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.state import by_distance, colours_of, shown_distance


def load_map(run: RunFolder, name: str, method: str = "tsne") -> DrawnMap | None:
    """The map ``before`` or ``after`` of a run, or None if not drawn."""
    return map_at(run.map(name, method))


@read_once(lambda path: [path, path.with_suffix(".json")])
def map_at(path: Path) -> DrawnMap | None:
    """A map by its file, or None if not drawn."""
    return read_map(path)


@st.cache_resource(max_entries=4, show_spinner=False)
def _categories(_corpus: Corpus, labels_shown: str) -> np.ndarray:
    """(rows,) index of each row's class, by size, or NO_CLASS"""
    numbers = shown_numbers(_corpus)
    return np.where((numbers >= 0) & (numbers < MOST_CLASSES), numbers, NO_CLASS).astype(np.uint16)


def categories_of(corpus: Corpus, rows: np.ndarray) -> np.ndarray:
    """The class of each of these rows, in map_view's format. rows: (texts,) -> (texts,)"""
    return _categories(corpus, shown_as(corpus))[rows]


def class_map(corpus: Corpus, rows: np.ndarray, coordinates: np.ndarray, **more: Any) -> MapState:
    """A map of these corpus rows, coloured by class; everything else as for ``map_view``."""
    colours = colours_of(corpus)
    return map_view(
        coordinates=coordinates, categories=categories_of(corpus, rows), class_names=list(colours),
        colours=list(colours.values()), row_ids=rows, corpus=corpus.fingerprint, **more,
    )  # fmt: skip


def morph(titles: tuple[str, str], left: DrawnMap, right: DrawnMap) -> list[tuple[str, np.ndarray]]:
    """Both ends of the slider for the texts of the right map; one missing on the left does not move."""
    start = left.coordinates
    if not np.array_equal(left.rows, right.rows):
        _, on_left, on_right = np.intersect1d(left.rows, right.rows, assume_unique=True, return_indices=True)
        start = right.coordinates.copy()
        start[on_right] = left.coordinates[on_left]
    return [(titles[0], start), (titles[1], right.coordinates)]


TITLES = {"before": "Before: untouched", "after": "After: fine-tuned"}
AS_IT_IS = "The encoder as it is"


def titles_of(run: RunFolder) -> tuple[str, str]:
    """Titles of the left and the right map; imported runs use file names, a run without training has one encoder."""
    files = own_files(run)
    if not files:
        return (AS_IT_IS, AS_IT_IS) if is_untrained(run) else (f"Before: {word_of_before(run)}", TITLES["after"])
    first = files.get("before") or files["coordinates"]
    second = files.get("after") or files.get("coordinates_after")
    return (first, first) if second is None else (f"Before: {first}", f"After: {second}")


def is_untrained(run: RunFolder) -> bool:
    """Whether it measured an encoder without training, so that its two maps are one."""
    result = read_result(run)
    return not own_files(run) and result is not None and not result.is_trained


def map_caption(drawn: DrawnMap, corpus: Corpus, method: str) -> str:
    """``t-SNE (Euclidean distance), seed 42, 11,024 of 11,024 texts``

    Where another distance is shown, the reason is given.
    """
    seed = drawn.facts.seed
    distance = drawn.facts.distance
    by = f" {by_distance(distance)}" if distance else ""
    if distance == EUCLIDEAN != shown_distance():
        by = f" ({DISTANCES[EUCLIDEAN]}, as in the papers)"
    cut = f"first {count(drawn.facts.dimensions)} dimensions" if drawn.facts.dimensions is not None else ""
    parts = [drawn.facts.file or map_title(method) + by, cut, f"seed {seed}" if seed is not None else ""]
    texts_on_map = f"{count(len(drawn.rows))} of {count(corpus.info.texts)} texts"
    parts.append(f"preview of {texts_on_map}" if drawn.facts.preview else texts_on_map)
    if drawn.facts.approximate and drawn.facts.recall_15 is not None:
        recall, queries = percent(drawn.facts.recall_15), count(drawn.facts.queries or 0)
        parts.append(f"neighbors approximate, recall@15 {recall} on {queries} texts, {ANY_OF_EQUAL}")
    return ", ".join(part for part in parts if part)


# What was measured on the maps of a run
moves = read_once(lambda run, against: [run.moves_facts(against)], most=4)(moves_of)
class_neighbors = read_once(lambda run, against: [run.class_neighbors(against)], most=4)(class_neighbors_of)
trust = read_once(lambda run, drawn: [run.trust(drawn).with_suffix(".json")])(trust_of)
clusters = read_once(lambda run, name: [run.clusters(name).with_suffix(".json")])(clusters_of)


def both_pictures(run: RunFolder, method: str, against: str) -> tuple[tuple[RunFolder, Path], tuple[RunFolder, Path]]:
    """Left and right: the owner of each map, and its file."""
    other = None if against == UNTOUCHED else open_run(against)
    left = (run, run.map("before", method)) if other is None else (other, other.map("after", method))
    return left, (run, right_map(run, against, other, method))


def both_trusts(run: RunFolder, method: str, against: str) -> tuple[MapTrust, MapTrust] | None:
    """For the left and the right map; None until both are measured."""
    left, right = (trust(whose, path) for whose, path in both_pictures(run, method, against))
    return None if left is None or right is None else (left, right)


def space_of(run: RunFolder, method: str, against: str) -> str:
    """``the full space``, or ``the first 32 dimensions`` where the right map was drawn from vectors cut to so many."""
    facts = read_map_facts(both_pictures(run, method, against)[1][1].with_suffix(".json"))
    dimensions = None if facts is None else facts.dimensions
    return "the full space" if dimensions is None else f"the first {counted(dimensions, 'dimension')}"


@read_once(lambda run, against, order: [run.moves_facts(against)], most=6)
def ranked(run: RunFolder, against: str, order: str) -> np.ndarray:
    """Positions of the texts above noise in this order; gained and lost: with more, or fewer, neighbors of their own
    class.
    """
    measured = moves(run, against)
    assert measured is not None, "only what was measured is ranked"
    effect = np.nan_to_num(measured.effect, nan=0.0)
    above = measured.above
    positions = np.flatnonzero({"most": above, "gained": above & (effect > 0), "lost": above & (effect < 0)}[order])
    moved, effect = measured.movement[positions], effect[positions]
    first, second = {"most": (moved, np.abs(effect)), "gained": (effect, moved), "lost": (-effect, moved)}[order]
    return positions[np.lexsort((positions, -second, -first))]
