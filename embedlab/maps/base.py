"""What a map method is: vectors and their neighbor graph -> two coordinates per text, and what was used for it."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from embedlab.config import Config
from embedlab.errors import CorpusError
from embedlab.metrics.exact import usable
from embedlab.progress import Progress, silent


@dataclass(frozen=True)
class Layout:
    """A finished map: (texts, 2) float32, not a number for texts with a zero or non-finite vector."""

    coordinates: np.ndarray
    used: dict  # plain values: the settings after clamping, and what the method found


class MapMethod(Protocol):
    """One way from embeddings to a picture; ``start`` holds the map before, on which the new one is aligned."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]

    @staticmethod
    def neighbors_needed(config: Config) -> int:
        """How many neighbors the graph should have; fewer are made do with, and said."""

    @staticmethod
    def lay_out(
        embeddings: np.ndarray,
        graph: "object | None",
        config: Config,
        *,
        start: np.ndarray | None = None,
        progress: Progress = silent,
        threads: int = 1,
    ) -> Layout:
        """embeddings: (texts, dim), start: (texts, 2) or None"""


@dataclass(frozen=True)
class Points:
    """The texts that get a place: those with a usable vector, renumbered."""

    rows: np.ndarray  # of all the texts
    total: int
    embeddings: np.ndarray  # (points, dim) float64
    indices: np.ndarray | None  # (points, neighbors), all of them points
    distances: np.ndarray | None
    distance: str | None
    start: np.ndarray | None  # (points, 2), finite

    def layout(self, coordinates: np.ndarray, used: dict) -> Layout:
        """The points' coordinates (points, 2) among all texts, with how many have none."""
        everywhere = np.full((self.total, 2), np.nan, np.float32)
        everywhere[self.rows] = coordinates
        shared = {"texts": len(self.rows), "without_place": self.total - len(self.rows), "distance": self.distance}
        return Layout(everywhere, {**shared, "aligned": self.start is not None, **used})


def usable_points(embeddings: np.ndarray, graph, start: np.ndarray | None) -> Points:
    """The texts that can be placed; refused with a sentence where there is nothing to see."""
    good = usable(embeddings)
    rows = np.flatnonzero(good)
    if len(rows) < 2:
        raise CorpusError(
            "E-FEW-TEXTS",
            f"A map needs at least 2 texts with a non-zero vector, but found {len(rows)} among {len(good):,}."
            " Add texts, or choose an encoder that knows their words.",
        )
    points = np.asarray(embeddings[rows], np.float64)
    if (points == points[0]).all():
        raise CorpusError(
            "E-CONSTANT",
            f"A map needs texts that differ, but all {len(rows):,} have the same vector: all texts are the same to"
            " this encoder. Choose another encoder or other texts.",
        )
    indices = distances = None
    if graph is not None:
        found = min(graph.indices.shape[1], len(rows) - 1)
        number = np.full(len(good), -1)
        number[rows] = np.arange(len(rows))
        indices = number[graph.indices[rows, :found]]
        distances = np.asarray(graph.distances[rows, :found], np.float64)
    distance = None if graph is None else graph.distance
    if start is not None:
        start = _complete(np.asarray(start[rows], np.float64), indices)
    return Points(rows, len(good), points, indices, distances, distance, start)


def principal_axes(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components, signs fixed, the same on any number of threads, and their share of variance.

    points: (points, dim) -> (points, 2), (2,)
    """
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    points = points / np.abs(points).max()  # the axes do not feel the scale, the squares would
    wide = points.shape[1] > 4096 and points.shape[0] < points.shape[1]  # a covariance of that width is no longer small
    count = min(2, *points.shape)
    with threadpool_limits(1):
        pca = PCA(count, svd_solver="full" if wide else "covariance_eigh")
        found = pca.fit_transform(points)
    shares = np.zeros(2)
    shares[:count] = pca.explained_variance_ratio_
    axes = np.zeros((len(points), 2))
    axes[:, :count] = found
    largest = np.abs(axes).argmax(axis=0)
    axes *= np.where(axes[largest, [0, 1]] < 0, -1.0, 1.0)  # the farthest text of each axis lies on its positive side
    return axes, shares


def jittered(start: np.ndarray, *, spread: float, seed: int) -> np.ndarray:
    """A start of the given standard deviation along x, with a hundredth of noise so that no two points coincide."""
    start = start * (spread / start[:, 0].std())
    return start + np.random.default_rng(seed).normal(scale=spread / 100, size=start.shape)


def _complete(start: np.ndarray, indices: np.ndarray | None) -> np.ndarray:
    """Points without a place in the map before start at the median of their neighbors', or in the middle."""
    known = np.isfinite(start).all(axis=1)
    start = start.copy()
    for row in np.flatnonzero(~known):
        near = indices[row] if indices is not None else np.empty(0, int)
        near = near[known[near]][:10]
        start[row] = np.median(start[near if len(near) else known], axis=0) if known.any() else 0.0
    return start
