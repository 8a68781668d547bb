"""PCA: the two directions in which the embedding varies most; no neighbors are fitted."""

from __future__ import annotations

import numpy as np

from embedlab.config import NoSettings
from embedlab.maps.align import laid_over
from embedlab.maps.base import LayoutMethod, MapPoints, principal_axes
from embedlab.plane import procrustes
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts


class PCA(LayoutMethod):
    """A linear projection of the embedding: fast and without random numbers."""

    key = "pca"
    config_class = NoSettings

    @staticmethod
    def neighbors_needed(config: NoSettings) -> int:
        """None: PCA reads no graph."""
        return 0

    @staticmethod
    def place(
        points: MapPoints, config: NoSettings, *, stage: str, progress: Progress, threads: int
    ) -> tuple[np.ndarray, MapFacts]:
        """The first two principal components, aligned with ``start`` (the map before) by Procrustes."""
        coordinates, shares = principal_axes(points.embeddings)
        if points.preview is not None:
            coordinates = laid_over(coordinates, points.preview)
        elif points.start is not None:
            coordinates = procrustes(coordinates, onto=points.start)
        progress(stage, 1, 1)
        return coordinates, MapFacts(seed=None, variance_shares=shares.tolist())
