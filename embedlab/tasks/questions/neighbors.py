"""Questions about texts: the nearest ones, where a typed one lies on the map or flies, and what cosines answer."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from embedlab.diagnostics.length import bench, repeated
from embedlab.distance import Distance
from embedlab.jobs.questions import give_array
from embedlab.metrics.exact import usable
from embedlab.runs.drawn_map import read_places
from embedlab.runs.frames import right_map
from embedlab.runs.store import open_run
from embedlab.runs.vectors import between, nearest_by
from embedlab.tasks.questions.sides import Side, distance_of, embedded, is_known, sides_of


def neighbors(question: dict) -> dict:
    """``text k method distance`` -> for each side the nearest rows, and the place amid them where a map is drawn."""
    distance = distance_of(question)
    return {
        name: _of_typed(side, question["text"], question["k"], question["method"], distance)
        for name, side in sides_of(question).items()
    }


def row_neighbors(question: dict) -> dict:
    """``row k distance`` -> for each side the nearest rows of a text of the corpus, without itself, by no encoder."""
    row, k, distance = question["row"], question["k"], distance_of(question)
    return {name: _of_row(side, row, k, distance) for name, side in sides_of(question).items()}


def flight(question: dict) -> dict:
    """``text copies k method distance`` -> for each side where the text flies on the map when it is repeated.

    For each m of ``copies``: the nearest ``rows`` with their ``distances``, the ``places`` where a map is drawn, and
    how many of the nearest at the first m are still among them, ``kept``.
    """
    distance = distance_of(question)
    return {
        name: _flown(side, question["text"], question["copies"], question["k"], question["method"], distance)
        for name, side in sides_of(question).items()
    }


def _flown(side: Side, text: str, copies: list[int], k: int, method: str, distance: Distance) -> dict:
    vectors, facts = repeated(side.encoder, [text], copies)
    coordinates, near, places = _coordinates(side, method), [], []
    for vector in vectors[0]:
        apart = _apart(side, vector[None], distance)
        near.append(_listed(apart, nearest_by(apart, k)))
        places.append(None if coordinates is None else _place(apart, coordinates))
    first = set(near[0]["rows"])
    return {
        **facts,
        "known": is_known(side.encoder, text),
        "near": near,
        "kept": [len(first & set(each["rows"])) for each in near],
        "places": places,
    }


def _apart(side: Side, vector: np.ndarray, distance: Distance) -> np.ndarray:
    """How far every row is from a vector; infinitely far from one without a direction.  (1, dim) -> (rows,)"""
    if not usable(vector)[0]:
        return np.full(len(side.vectors.lengths), np.inf)
    return side.vectors.distances(vector, distance)[0]


def _of_typed(side: Side, text: str, k: int, method: str, distance: Distance) -> dict:
    encoder = side.encoder
    apart = _apart(side, embedded(encoder, [text]), distance)
    found = {**_listed(apart, nearest_by(apart, k)), "known": is_known(encoder, text)}
    coordinates = _coordinates(side, method)
    if coordinates is not None:
        found["place"] = _place(apart, coordinates)
    return found


def _of_row(side: Side, row: int, k: int, distance: Distance) -> dict:
    vectors = side.vectors
    if vectors.lengths[row] == 0:
        return {"rows": [], "distances": [], "known": False}
    apart = vectors.distances(vectors.embeddings[row : row + 1], distance)[0]
    return {**_listed(apart, nearest_by(apart, k, without=row)), "known": True}


def _listed(distances: np.ndarray, rows: np.ndarray) -> dict:
    return {"rows": rows.tolist(), "distances": distances[rows].tolist()}


def _place(distances: np.ndarray, coordinates: np.ndarray) -> list[float] | None:
    """Amid the ten nearest texts that the map shows.  distances: (rows,), coordinates: (rows, 2)"""
    shown = np.isfinite(coordinates).all(axis=1)
    near = nearest_by(np.where(shown, distances, np.inf), PLACED_BY)
    place = placed(near[None], coordinates)[0]
    return place.tolist() if np.isfinite(place).all() else None


def _coordinates(side: Side, method: str) -> np.ndarray | None:
    """Where the map of this side shows each row, (rows, 2), not a number for others; None while none is drawn."""
    drawn = side.run.map(side.name, method)
    if side.onto is not None:
        drawn, _ = right_map(side.run, side.onto, open_run(side.onto), method)
    return _read(drawn, drawn.stat().st_mtime_ns, len(side.vectors.lengths)) if drawn.exists() else None


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, rows: int) -> np.ndarray:
    everywhere, (known, places) = np.full((rows, 2), np.nan), read_places(path)
    everywhere[known] = places
    return everywhere


PLACED_BY = 10


def placed(neighbors: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """The median place of each text's ten nearest texts that have one, not a number where none has.

    neighbors: (queries, k) rows, nearest first, -1 for none; coordinates: (texts, 2) -> (queries, 2)
    """
    places = np.full((len(neighbors), 2), np.nan)
    for query, rows in enumerate(neighbors):
        near = coordinates[rows[rows >= 0][:PLACED_BY]]
        near = near[np.isfinite(near).all(axis=1)]
        if len(near):
            places[query] = np.median(near, axis=0)
    return places


def axes(question: dict) -> dict:
    """``phrases``, two of them -> ``array``: a file of (sides, phrases, rows) float32; ``known``: per side and phrase.

    Not a number: a text (or a phrase) without a vector.
    """
    phrases, found, known = question["phrases"], [], {}
    for name, side in sides_of(question).items():
        encoder = side.encoder
        known[name] = [is_known(encoder, phrase) for phrase in phrases]
        found.append(side.vectors.cosines(embedded(encoder, phrases)))
    return {"array": give_array(np.asarray(found, np.float32)), "known": known}


def length(question: dict) -> dict:
    """``a b copies`` -> the bench of each side."""
    a, b, copies = question["a"], question["b"], question["copies"]
    return {name: bench(side.encoder, a, b, copies) for name, side in sides_of(question).items()}


def two_texts(question: dict) -> dict:
    """``first second``, two rows, and ``distance`` -> for each side what ``between`` says."""
    first, second = question["first"], question["second"]
    distance = distance_of(question)
    return {name: between(side.vectors, first, second, distance) for name, side in sides_of(question).items()}
