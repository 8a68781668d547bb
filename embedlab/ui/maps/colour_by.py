"""Colours for the points of a map: label, any column, kNN right or wrong, length; clusters, trust and movement."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.distance import Distance
from embedlab.figures.colour_groups import (
    OWN_GROUPS,
    OWN_NUMBERS,
    STEPS,
    Colouring,
    as_numbers,
    grouped,
    grouped_numbers,
    scaled,
    written,
)
from embedlab.numbers import count, percent
from embedlab.palette import ACCENT, REFERENCE, UNTOUCHED, categorical, ramp
from embedlab.runs.drawn_map import UNTOUCHED as ITSELF
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names
from embedlab.runs.map_readings import Clusters, MapTrust, Moves
from embedlab.runs.predictions import folds_of
from embedlab.ui.components.loaded_maps import both_pictures, both_trusts, categories_of, clusters, moves, space_of
from embedlab.ui.components.map_view import NO_CLASS, MapState, map_view
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.state import AS_DRAWN, by_distance, colours_of, shown_distance

LABEL, KNN, LENGTH, SPLIT, COLUMN = "label", "knn", "length", "split", "column"

# by (right before, right after)
OUTCOMES = {
    (True, True): ("right before and after", categorical(4)[2]),
    (False, True): ("right only after", ACCENT),
    (True, False): ("right only before", categorical(4)[1]),
    (False, False): ("wrong before and after", UNTOUCHED),
}


def choices(corpus: Corpus, run: RunFolder, *, method: str = "tsne", against: str = ITSELF) -> dict[str, str]:
    """The available colourings of this run's maps: key -> name."""
    return {key: name for key, (name, _) in _offers(corpus, run, method, against).items()}


def colouring(
    corpus: Corpus, run: RunFolder, choice: str | None, *, method: str = "tsne", against: str = ITSELF
) -> Colouring:
    """The colours of one of the choices; without one, or if what it shows is gone, all points alike."""
    offers = _offers(corpus, run, method, against)
    if choice not in offers:
        return Colouring(np.zeros(corpus.info.rows, np.uint16), ["texts"], [ACCENT], False, "")
    return offers[choice][1]()


def coloured_map(groups: Colouring, drawn: DrawnMap, *, side: str, **more: Any) -> MapState:
    """The map in the colours of these groups; everything else as for ``map_view``."""
    return map_view(
        coordinates=drawn.coordinates, categories=groups.on(side)[drawn.rows], class_names=groups.names,
        colours=groups.colours, without=groups.without, row_ids=drawn.rows, by_size=groups.names_on_map, **more,
    )  # fmt: skip


def _offers(
    corpus: Corpus, run: RunFolder, method: str, against: str
) -> dict[str, tuple[str, Callable[[], Colouring]]]:
    """Each available colouring's name, and how it is made, in display order."""
    offers: dict[str, tuple[str, Callable[[], Colouring]]] = {}
    rows, is_alone = corpus.info.rows, against == ITSELF
    if shown_names(corpus):
        offers[LABEL] = ("Label" if corpus.info.classes else "Label by hand", partial(_by_label, corpus))
    left, right = ("before", "after") if is_alone else ("left", "right")
    clustered = {CLUSTERS_AFTER: f"Clusters (k-means, {right})", CLUSTERS_BEFORE: f"Clusters (k-means, {left})"}
    for key, name in (clustered | {PICTURE: "Clusters of the picture"}).items():
        grouping = shown_clusters(run, key, method, against)
        if grouping is not None and (grouping.names or key != PICTURE):
            offers[key] = (name, partial(_by_cluster, grouping, rows, key))
    if (trusts := both_trusts(run, method, against)) is not None and trusts[1].means.chance != 1:
        space = partial(space_of, run, method, against)
        offers[TRUE] = ("Trust: true neighbors", partial(_by_trust, trusts, rows, "true", space))
        offers[KEPT] = ("Trust: neighbors kept", partial(_by_trust, trusts, rows, "kept", space))
    if (moved := moves(run, against)) is not None:
        offers[MOVEMENT] = ("Movement", partial(_by_movement, moved, rows))
        if moved.facts.classes:
            offers[EFFECT] = ("Did the move help its class?", partial(_by_effect, moved, rows))
    if run.predictions.exists() and is_alone:
        offers[KNN] = ("kNN right or wrong, before and after", partial(_by_outcome, run, rows, shown_distance()))
        offers[SPLIT] = ("Test and train texts", partial(_by_split, run, corpus))
    offers[LENGTH] = ("Length in characters", partial(_by_length, corpus, corpus.fingerprint))
    columns = {name: partial(_by_column, corpus, corpus.fingerprint, name) for name in corpus.info.columns}
    return offers | {f"{COLUMN}:{name}": (name, colours) for name, colours in columns.items()}


def _by_label(corpus: Corpus) -> Colouring:
    colours = colours_of(corpus)
    categories = categories_of(corpus, np.arange(corpus.info.rows))
    return Colouring(categories, list(colours), list(colours.values()), True, "no label")


@st.cache_resource(max_entries=2, show_spinner=False)
def lengths(_corpus: Corpus, fingerprint: str) -> np.ndarray:
    """The characters of each text. -> (corpus rows,) float64"""
    return np.fromiter(map(len, _corpus.texts), np.float64, _corpus.info.rows)


@st.cache_resource(max_entries=2, show_spinner=False)
def _by_length(_corpus: Corpus, fingerprint: str) -> Colouring:
    return _by_numbers(np.where(_corpus.excluded, np.nan, lengths(_corpus, fingerprint)), "Characters")


@st.cache_resource(max_entries=8, show_spinner=False)
def _by_column(_corpus: Corpus, fingerprint: str, column: str) -> Colouring:
    values = _corpus.column(column)
    numbers = as_numbers(values)
    if numbers is not None:
        return _by_numbers(np.where(_corpus.excluded, np.nan, numbers), column)
    groups = grouped(values)
    note = ""
    if groups.different > OWN_GROUPS:
        note = f"Of {count(groups.different)} different values, the {OWN_GROUPS - 1} most frequent have a color."
    return Colouring(_members(groups.members), groups.names, categorical(len(groups.names)), True, "empty", note)


def _by_numbers(numbers: np.ndarray, title: str) -> Colouring:
    """One colour per value if there are few, such as years, otherwise a continuous bar. numbers: (rows,)"""
    if len(np.unique(numbers[np.isfinite(numbers)])) <= OWN_NUMBERS:
        groups = grouped_numbers(numbers)
        return Colouring(_members(groups.members), groups.names, ramp(len(groups.names)), False, "empty")
    members, names, bar = scaled(numbers, title)
    return Colouring(_members(members), names, ramp(STEPS), False, "empty", bar=bar)


def _members(groups: np.ndarray) -> np.ndarray:
    return np.where(groups < 0, NO_CLASS, groups).astype(np.uint16)


@read_once(lambda run, corpus: [run.predictions], most=2)
def _by_split(run: RunFolder, corpus: Corpus) -> Colouring:
    """Which texts were tested for kNN accuracy, and which they were compared with."""
    folds = folds_of(run, only_test_texts=True)
    categories = np.full(corpus.info.rows, NO_CLASS, np.uint16)
    categories[corpus.labelled] = 1
    if folds is not None:
        categories[folds.rows] = 0
    return Colouring(categories, ["test texts", "train texts"], [ACCENT, UNTOUCHED], False, "no label")


@read_once(lambda run, rows, distance: [run.predictions], most=4)
def _by_outcome(run: RunFolder, rows: int, distance: Distance) -> Colouring:
    """Only test texts have an outcome; train texts are what they are compared with."""
    folds, order = folds_of(run, distance, only_test_texts=True), list(OUTCOMES)
    assert folds is not None, "it is offered where the run has predictions"
    categories = np.full(rows, NO_CLASS, np.uint16)
    for row, *right in zip(folds.rows, folds.right("before"), folds.right("after"), strict=True):
        categories[row] = order.index(tuple(right))
    names, colours = zip(*OUTCOMES.values(), strict=True)
    tested = f"each of the {count(len(folds.rows))} test texts"
    note = f"Whether the ten nearest train texts {by_distance(distance)} voted for the label of {tested}."
    return Colouring(categories, list(names), list(colours), False, "not a test text", note)


CLUSTERS_AFTER, CLUSTERS_BEFORE, PICTURE = "clusters-after", "clusters-before", "clusters-of-picture"
TRUE, KEPT, MOVEMENT, EFFECT = "trust-true", "trust-kept", "movement", "effect"
KindOfTrust = Literal["true", "kept"]
KINDS_OF_TRUST: tuple[KindOfTrust, ...] = ("true", "kept")
_TRUST_NAMES = ["under 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 % and more"]
_TRUST_NOTES = {
    "true": "of the ten neighbors on the map are among the 90 nearest texts in {space} (Euclidean)",
    "kept": "of the ten nearest texts in {space} (Euclidean) are among the 90 neighbors on the map",
}


def shown_clusters(run: RunFolder, choice: str | None, method: str, against: str) -> Clusters | None:
    """The clusters behind a choice of colour, for their names on the map; None for other choices."""
    (left, _), (_, right_picture) = both_pictures(run, method, against)
    of_choice = {
        PICTURE: (run, right_picture.stem),
        CLUSTERS_AFTER: (run, "after"),
        CLUSTERS_BEFORE: (left, "before" if against == ITSELF else "after"),
    }
    return clusters(*of_choice[choice]) if choice in of_choice else None


def topics(run: RunFolder) -> Clusters | None:
    """The clusters whose keywords name the topics of a map without class names; None if not computed."""
    after = clusters(run, "after")
    return after if after is not None and len(after.names) > 1 else None


def fade_by(
    corpus: Corpus, run: RunFolder, kind: str | None, *, method: str = "tsne", against: str = ITSELF
) -> dict[str, np.ndarray] | None:
    """The opacity of each corpus row on the map ``before`` and ``after``, by trust ``true`` or ``kept``.

    -> (rows,) float32 each, .08 at chance and 1 from the 90 % quantile of both maps on; None where it is not measured
    """
    trusts = None if kind is None else both_trusts(run, method, against)
    if kind is None or trusts is None:
        return None
    values = [getattr(each, kind) for each in trusts]
    measured = np.concatenate([each[np.isfinite(each)] for each in values])
    low, high = trusts[1].means.chance, float(np.quantile(measured, 0.9)) if len(measured) else 1.0
    visibility = {}
    for side, each, shares in zip(("before", "after"), trusts, values, strict=True):
        visibility[side] = np.ones(corpus.info.rows, np.float32)
        visibility[side][each.rows] = np.clip((np.nan_to_num(shares) - low) / max(high - low, 1e-6), 0.08, 1.0)
    return visibility


def trust_line(run: RunFolder, method: str, against: str = ITSELF) -> str:
    """Both maps' means with chance levels, and what distances on a map do not mean; nothing if not measured."""
    trusts = both_trusts(run, method, against)
    if trusts is None or trusts[0].means.true is None or trusts[1].means.true is None:
        return ""
    if trusts[1].means.chance == 1:
        return "Map trust needs more texts: here each is among the 90 nearest of every other. " + _NO_MEANING
    shares = [[percent(getattr(each.means, name), 0) for each in trusts] for name in KINDS_OF_TRUST]
    true, stay = (f"left {left}, right {right}" for left, right in shares)
    chance = percent(trusts[1].means.chance)
    return (
        f"Map trust: {true} of map neighbors are true neighbors; {stay} of true neighbors stay neighbors (chance "
        f"{chance}). Ten neighbors each; true or kept: among the 90 nearest in {space_of(run, method, against)} "
        f"(Euclidean) or on the map. {_NO_MEANING}"
    )


_NO_MEANING = "Distances between far groups, and the size of a group, mean nothing on a map."


def _by_cluster(grouping: Clusters, rows: int, choice: str) -> Colouring:
    categories, without = _on_rows(grouping.rows, grouping.clusters, rows), "no cluster"
    note = "k-means on the embeddings (Euclidean distance); a cluster is named by its three most characteristic words."
    if choice == PICTURE:
        without = "between clusters"
        note = "Clusters of the picture: HDBSCAN on the coordinates of the right map, not on the embeddings."
    return Colouring(categories, grouping.names, categorical(len(grouping.names)), True, without, note)


def _by_trust(trusts: tuple[MapTrust, MapTrust], rows: int, kind: KindOfTrust, space: Callable[[], str]) -> Colouring:
    left, right = (_on_rows(each.rows, _steps(getattr(each, kind)), rows) for each in trusts)
    left_mean, right_mean = (getattr(each.means, kind) for each in trusts)
    average = ""
    if left_mean is not None and right_mean is not None:
        average = f" On average {percent(left_mean)} left and {percent(right_mean)} right"
    chance = percent(trusts[1].means.chance)
    note = f"Which share {_TRUST_NOTES[kind].format(space=space())}.{average}, by chance {chance}."
    return Colouring(right, _TRUST_NAMES, ramp(len(_TRUST_NAMES)), False, "not measured", note, left=left)


def _steps(values: np.ndarray) -> np.ndarray:
    """Fifths of shares that are whole tenths, -1 for none. (points,) -> (points,)"""
    tenths = np.rint(np.nan_to_num(values, nan=-10) * 10).astype(int)
    return np.where(tenths < 0, -1, np.minimum(tenths // 2, 4))


def _by_movement(moved: Moves, rows: int) -> Colouring:
    floor = moved.facts.floor.value or 0.0
    edges = [edge for edge in (0.2, 0.4, 0.6, 0.8) if edge > floor]
    bounds = [floor, *edges, 1.0]
    names = [f"not above noise ({written(round(floor, 2))})"]
    names += [f"{written(round(low, 2))} to {written(high)}" for low, high in zip(bounds, bounds[1:], strict=False)]
    steps = np.digitize(np.nan_to_num(moved.movement, nan=0.0), edges, right=True) + 1
    steps = np.where(moved.above, steps, 0)
    steps[~np.isfinite(moved.movement)] = -1
    note = f"Which share of a text's ten nearest texts {AS_DRAWN} changed: 0 none, 1 all. "
    note += moved.facts.floor.sentence
    shades = [UNTOUCHED, *ramp(len(names) - 1)]
    return Colouring(_on_rows(moved.rows, steps, rows), names, shades, False, "no vector", note)


def _by_effect(moved: Moves, rows: int) -> Colouring:
    effect = np.nan_to_num(moved.effect, nan=0.0)
    steps = np.where(moved.above & (effect > 0), 0, np.where(moved.above & (effect < 0), 2, 1))
    steps = np.where(np.isfinite(moved.effect), steps, -1)
    names = ["helped", "unchanged", "hurt"]
    note = (
        f"Helped: more of its ten nearest texts {AS_DRAWN} are of its own class than before; hurt: fewer. "
        "Only above noise."
    )
    return Colouring(_on_rows(moved.rows, steps, rows), names, [ACCENT, UNTOUCHED, REFERENCE], False, "no label", note)


def _on_rows(map_rows: np.ndarray, steps: np.ndarray, rows: int) -> np.ndarray:
    """The group of each corpus row; ``steps``: those of the rows on the map, negative for none."""
    categories = np.full(rows, NO_CLASS, np.uint16)
    categories[map_rows] = _members(steps)
    return categories
