"""What a map method is: vectors and their neighbor graph -> two coordinates per text, and the settings used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from embedlab.config import Config
from embedlab.distance import Distance
from embedlab.errors import CorpusError
from embedlab.map_methods import map_title
from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.runs.drawn_map import MapFacts
from embedlab.vectors.directions import are_directions, one_blas_thread
from embedlab.vectors.exact import usable

if TYPE_CHECKING:
    from embedlab.neighbors import NeighborGraph

ROWS_AT_ONCE = 16_384
WIDE = 4096  # dimensions


@dataclass(frozen=True)
class Layout:
    """A finished map: (texts, 2) float32, NaN for texts with a zero or non-finite vector."""

    coordinates: np.ndarray
    used: MapFacts  # the settings after clamping, and what the method found


class LayoutMethod(ABC):
    """A method that lays out embeddings in two dimensions; ``start`` is the map before, with which it is aligned."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]

    @staticmethod
    @abstractmethod
    def neighbors_needed(config: Any) -> int:
        """How many neighbors of the graph these settings need; with fewer the method goes on and reports it."""

    @staticmethod
    @abstractmethod
    def place(
        points: MapPoints, config: Any, *, stage: str, progress: Progress, threads: int
    ) -> tuple[np.ndarray, MapFacts]:
        """Coordinates of the points, aligned with what they start from, and the settings used.  -> (points, 2)"""

    @classmethod
    def lay_out(
        cls,
        embeddings: np.ndarray,
        graph: NeighborGraph | None,
        config: Any,
        *,
        start: np.ndarray | None = None,
        preview: np.ndarray | None = None,
        neighbors_kept: np.ndarray | None = None,
        progress: Progress = silent,
        threads: int = 1,
    ) -> Layout:
        """embeddings: (texts, dim); start, preview: (texts, 2) or None

        ``preview`` holds this very map as far as it is drawn, not a number elsewhere: the map grows out of it.
        ``neighbors_kept``: (texts,) the share of its neighbors that each text kept since ``start``; it steadies it.
        """
        first = start if preview is None else preview
        points = usable_points(embeddings, graph, first, neighbors=cls.neighbors_needed(config))
        points = replace(
            points,
            preview=None if preview is None else preview[points.rows],
            neighbors_kept=None if neighbors_kept is None else neighbors_kept[points.rows],
        )
        stage = f"Laying out {counted(len(points.rows), 'text')} by {map_title(cls.key)}"
        progress(stage)
        coordinates, used = cls.place(points, config, stage=stage, progress=progress, threads=threads)
        return points.layout(coordinates, MapFacts(method=cls.key) | used)


@dataclass(frozen=True)
class MapPoints:
    """The texts that get coordinates: those with a usable vector, renumbered."""

    rows: np.ndarray  # of all the texts
    total: int
    embeddings: np.ndarray  # (points, dim), as they were given
    indices: np.ndarray | None  # (points, neighbors), all of them points
    distances: np.ndarray | None
    distance: Distance | None
    start: np.ndarray | None  # (points, 2), finite
    how: MapFacts  # of an approximate graph: how well it was found
    preview: np.ndarray | None = None  # (points, 2), not a number for texts that it does not show
    neighbors_kept: np.ndarray | None = None  # (points,)

    @property
    def given_start(self) -> np.ndarray:
        """The starting coordinates, where given."""
        assert self.start is not None, "a map that continues was given no start"
        return self.start

    @property
    def has_extent(self) -> bool:
        """Whether there are starting coordinates that do not all coincide."""
        return self.start is not None and bool(np.ptp(self.start, axis=0).any())

    def layout(self, coordinates: np.ndarray, used: MapFacts) -> Layout:
        """The points' coordinates (points, 2) placed among all texts, with the number of texts that have none."""
        everywhere = np.full((self.total, 2), np.nan, np.float32)
        everywhere[self.rows] = coordinates
        shared = MapFacts(
            texts=len(self.rows),
            without_place=self.total - len(self.rows),
            distance=self.distance,
            aligned=self.start is not None,
        )
        return Layout(everywhere, shared | self.how | used)


def usable_points(
    embeddings: np.ndarray, graph: NeighborGraph | None, start: np.ndarray | None, *, neighbors: int | None = None
) -> MapPoints:
    """The texts that can be placed, with ``neighbors`` of the graph (default: all). Raises an error if none can."""
    good = usable(embeddings)
    rows = np.flatnonzero(good)
    if len(rows) < 2:
        raise CorpusError(
            "E-FEW-TEXTS",
            f"A map needs at least 2 texts with a non-zero vector, but found {len(rows)} among {len(good):,}."
            " Add texts, or choose an encoder that knows their words.",
        )
    points = np.asarray(embeddings) if len(rows) == len(good) else np.asarray(embeddings[rows])
    if all((points[at : at + ROWS_AT_ONCE] == points[0]).all() for at in range(0, len(points), ROWS_AT_ONCE)):
        raise CorpusError(
            "E-CONSTANT",
            f"A map needs texts that differ, but all {len(rows):,} have the same vector: this encoder does not "
            f"distinguish them. Choose another encoder or other texts.",
        )
    if start is not None:
        start = completed(np.asarray(start[rows], np.float64), None if graph is None else _renumbered(graph, good))
    if graph is None:
        return MapPoints(rows, len(good), points, None, None, None, start, MapFacts())
    indices = _renumbered(graph, good, neighbors)
    distances = np.asarray(graph.distances[rows, : indices.shape[1]], np.float64)
    return MapPoints(rows, len(good), points, indices, distances, graph.distance, start, MapFacts(**graph.how))


def _renumbered(graph: NeighborGraph, good: np.ndarray, neighbors: int | None = None) -> np.ndarray:
    """The graph restricted to placeable texts, at most ``neighbors`` wide. -> (points, neighbors)"""
    rows = np.flatnonzero(good)
    width = min(graph.indices.shape[1], len(rows) - 1)
    width = width if neighbors is None else min(width, neighbors)
    number = np.full(len(good), -1, np.int32)
    number[rows] = np.arange(len(rows), dtype=np.int32)
    return number[graph.indices[rows, :width]]


def principal_axes(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components with fixed signs, independent of thread count, and their share of variance.

    A direction in which the points do not vary has coordinates of zero.  points: (points, dim) -> (points, 2), (2,)
    """
    largest = max(float(points.max()), -float(points.min()))  # the axes do not feel the scale, the squares would
    parts = [slice(at, at + ROWS_AT_ONCE) for at in range(0, len(points), ROWS_AT_ONCE)]
    middle = sum((points[part] / np.float64(largest)).sum(axis=0) for part in parts) / len(points)
    axes, shares = np.zeros((len(points), 2)), np.zeros(2)
    with one_blas_thread():
        directions, shares = _directions(points, middle, largest, parts)
        for part in parts:
            axes[part, : directions.shape[1]] = (points[part] / np.float64(largest) - middle) @ directions
    far = np.abs(axes).argmax(axis=0)
    axes *= np.where(axes[far, [0, 1]] < 0, -1.0, 1.0)  # the farthest text of each axis lies on its positive side
    return axes, shares


def _directions(points: np.ndarray, middle: np.ndarray, largest: float, parts: list) -> tuple[np.ndarray, np.ndarray]:
    """The (at most) two directions of largest variance, and their shares of it.  -> (dim, directions), (2,)"""
    from scipy.linalg import eigh, svd

    count, shares = min(2, *points.shape), np.zeros(2)
    if points.shape[1] > WIDE and points.shape[0] < points.shape[1]:  # a covariance of that width is no longer small
        _, lengths, across = svd(points / np.float64(largest) - middle, full_matrices=False)
        squares, directions, is_there = lengths**2, across.T, are_directions(lengths, points.shape)
    else:
        products = np.zeros((points.shape[1], points.shape[1]))
        for part in parts:
            shifted = points[part] / np.float64(largest) - middle
            products += shifted.T @ shifted
        squares, directions = eigh(products)
        squares, directions = np.maximum(squares[::-1], 0), directions[:, ::-1]
        is_there = are_directions(squares, products.shape)
    count = min(count, int(is_there.sum()))
    shares[:count] = squares[:count] / squares.sum()
    return directions[:, :count], shares


def jittered(start: np.ndarray, *, spread: float, seed: int) -> np.ndarray:
    """The start scaled to the given standard deviation along x, with 1 % noise so that no two points coincide."""
    start = start * (spread / start[:, 0].std())
    return start + np.random.default_rng(seed).normal(scale=spread / 100, size=start.shape)


def completed(start: np.ndarray, indices: np.ndarray | None) -> np.ndarray:
    """Points without coordinates at the median of their ten nearest that have some, in rounds, otherwise at the centre.

    start: (points, 2), not a number for none; indices: (points, neighbors) -> (points, 2)
    """
    start = start.copy()
    placed = np.isfinite(start).all(axis=1)
    missing = np.flatnonzero(~placed)
    while indices is not None and placed.any() and len(missing):
        medians = [_amid(start, placed, indices, missing[at : at + ROWS_AT_ONCE]) for at in
                 range(0, len(missing), ROWS_AT_ONCE)]  # fmt: skip
        places = np.concatenate(medians)
        here = np.isfinite(places).all(axis=1)
        if not here.any():
            break
        start[missing[here]], placed[missing[here]] = places[here], True
        missing = missing[~here]
    if len(missing):
        start[missing] = np.median(start[placed], axis=0) if placed.any() else 0.0
    return start


def _amid(start: np.ndarray, has_place: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The median coordinates of each row's ten nearest placed points, NaN where none is placed. -> (rows, 2)"""
    near = indices[rows]
    near_placed = has_place[near] & (near >= 0)
    nearest = np.argsort(~near_placed, axis=1, kind="stable")[:, :10]
    places = np.where(
        np.take_along_axis(near_placed, nearest, axis=1)[:, :, None],
        start[np.take_along_axis(near, nearest, axis=1)],
        np.nan,
    )
    some = near_placed.any(axis=1)
    amid = np.full((len(rows), 2), np.nan)
    amid[some] = np.nanmedian(places[some], axis=1)
    return amid


def graph_of(points: MapPoints) -> tuple[np.ndarray, np.ndarray]:
    """Neighbor indices and distances, for a method that needs the graph. -> 2 x (points, neighbors)"""
    assert points.indices is not None and points.distances is not None, "a method with neighbors was given no graph"
    return points.indices, points.distances


def with_itself(points: MapPoints, neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    """The graph in UMAP's format: each point itself first. -> 2 x (points, neighbors)"""
    near, apart = graph_of(points)
    itself = np.arange(len(points.rows))[:, None]
    indices = np.hstack([itself, near[:, : neighbors - 1]]).astype(np.int32)
    distances = np.hstack([np.zeros(itself.shape), apart[:, : neighbors - 1]]).astype(np.float32)
    return indices, distances
