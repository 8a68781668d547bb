"""PCA: the two directions in which the embedding varies most; no neighbors are fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from embedlab.config import NoSettings
from embedlab.maps.align import laid_over
from embedlab.maps.base import Layout, LayoutMethod, principal_axes, usable_points
from embedlab.numbers import counted
from embedlab.plane import procrustes
from embedlab.progress import Progress, silent

if TYPE_CHECKING:
    from embedlab.neighbors import NeighborGraph


class PCA(LayoutMethod):
    """A linear projection of the embedding: fast and without random numbers."""

    key = "pca"
    config_class = NoSettings

    @staticmethod
    def neighbors_needed(config: NoSettings) -> int:
        """None: PCA reads no graph."""
        return 0

    @staticmethod
    def lay_out(
        embeddings: np.ndarray,
        graph: NeighborGraph | None,
        config: NoSettings,
        *,
        start: np.ndarray | None = None,
        preview: np.ndarray | None = None,
        neighbors_kept: np.ndarray | None = None,
        progress: Progress = silent,
        threads: int = 1,
    ) -> Layout:
        """The first two principal components, aligned with ``start`` (the map before) by Procrustes."""
        points = usable_points(embeddings, graph, start if preview is None else preview)
        progress(f"Laying out {counted(len(points.rows), 'text')} by PCA", 0, 1)
        coordinates, shares = principal_axes(points.embeddings)
        if preview is not None:
            coordinates = laid_over(coordinates, preview[points.rows])
        elif points.start is not None:
            coordinates = procrustes(coordinates, onto=points.start)
        progress(f"Laying out {counted(len(points.rows), 'text')} by PCA", 1, 1)
        return points.layout(coordinates, {"method": "pca", "seed": None, "variance_shares": shares.tolist()})
