"""t-SNE by openTSNE with its defaults, as in the crops paper, on the exact neighbor graph."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.maps.align import continued_tsne, laid_over, optimised_tsne
from embedlab.maps.base import LayoutMethod, MapPoints, graph_of, jittered, principal_axes
from embedlab.maps.on_gpu import engine_for, tsne_on_gpu
from embedlab.plane import procrustes, radius
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts

if TYPE_CHECKING:
    from openTSNE.affinity import Affinities

START_SPREAD = 1e-4
GROWING = ((100, 4.0), (500, 1.0))  # out of a preview: iterations, and how much attraction is raised; new texts settle


class TSNEConfig(Config):
    """Defaults: openTSNE's own. The authors' repository uses uniform affinities of 10 neighbors, spectral start."""

    perplexity: float = Field(30.0, ge=1, le=100, description="The effective number of neighbors of each text.")
    affinity: Literal["perplexity", "uniform"] = Field(
        "perplexity", description="Neighbors weighted by distance, or all equally as in the crops authors' repository."
    )
    neighbors: int = Field(10, ge=2, le=300, description="Number of neighbors with uniform affinity.")
    initialization: Literal["pca", "spectral", "random"] = Field(
        "pca", description="Where texts start: principal components, the graph's eigenvectors, or at random."
    )
    early_exaggeration: float = Field(
        12.0, ge=1, le=100, description="Factor on the attraction at first (early exaggeration)."
    )
    early_iterations: int = Field(250, ge=0, le=5000, description="Steps of early exaggeration.")
    exaggeration: float = Field(1.0, ge=1, le=100, description="Factor on the attraction afterwards; 1 is t-SNE.")
    iterations: int = Field(500, ge=0, le=20000, description="Steps afterwards.")
    aligned_iterations: int = Field(
        750, ge=250, le=20000, description="Maximum steps from the map before; fewer if it converges."
    )
    seed: int = Field(42, ge=0, le=2**31 - 1, description="Seed of the start.")
    engine: Literal["auto", "cpu", "cuml"] = Field(
        "auto", description="cuML on the GPU if installed (not reproducible), or the CPU."
    )


class TSNE(LayoutMethod):
    """Neighbors stay neighbors; distances between groups mean little."""

    key = "tsne"
    config_class = TSNEConfig

    @staticmethod
    def neighbors_needed(config: TSNEConfig) -> int:
        """Three times the perplexity, as in openTSNE."""
        return config.neighbors if config.affinity == "uniform" else ceil(3 * config.perplexity)

    @staticmethod
    def place(
        points: MapPoints, config: TSNEConfig, *, stage: str, progress: Progress, threads: int
    ) -> tuple[np.ndarray, MapFacts]:
        """Coordinates by t-SNE, started from ``start`` (the map before) or ``preview`` and then aligned with it."""
        engine = engine_for(config.engine, what="t-SNE", starts_anywhere=points.start is None)
        if engine.engine == "cuml":
            coordinates, used = tsne_on_gpu(points, config, stage, progress)
            return coordinates, used | engine
        # a fresh one per fit: openTSNE multiplies the affinities in place and divides them back, digits get lost
        affinities, used = _affinities(points, config, threads)
        used = MapFacts(seed=config.seed) | used | engine
        work: dict[str, Any] = {"seed": config.seed, "threads": threads, "stage": stage, "progress": progress}
        if points.preview is not None and points.has_extent:
            start = points.given_start
            noise = np.random.default_rng(config.seed).normal(scale=radius(start) / 1000, size=start.shape)
            coordinates, facts = optimised_tsne(affinities, start + noise, GROWING, **work)
            return laid_over(coordinates, points.preview), used | MapFacts(initialization="the preview") | facts
        if points.start is not None and points.has_extent:
            coordinates, facts = continued_tsne(
                affinities,
                points.start,
                indices=graph_of(points)[0],
                neighbors_kept=points.neighbors_kept,
                at_most=config.aligned_iterations,
                **work,
            )
            coordinates = procrustes(coordinates, onto=points.start)
            return coordinates, used | MapFacts(initialization="the map before") | facts
        first, name = _start(points, affinities, config)
        stretches = (config.early_iterations, config.early_exaggeration), (config.iterations, config.exaggeration)
        coordinates, facts = optimised_tsne(affinities, first, stretches, **work)
        return coordinates, used | MapFacts(initialization=name) | facts


def _affinities(points: MapPoints, config: TSNEConfig, threads: int) -> tuple[Affinities, MapFacts]:
    from openTSNE.affinity import PerplexityBasedNN, Uniform
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    near, apart = graph_of(points)
    k = min(TSNE.neighbors_needed(config), near.shape[1])
    knn_index = PrecomputedNeighbors(near[:, :k].copy(), apart[:, :k].copy())
    if config.affinity == "uniform":
        return Uniform(knn_index=knn_index, n_jobs=threads), MapFacts(affinity="uniform", neighbors=k)
    perplexity = min(config.perplexity, max(k / 3, 1.0))
    affinities = PerplexityBasedNN(knn_index=knn_index, perplexity=perplexity, n_jobs=threads)
    return affinities, MapFacts(affinity="perplexity", perplexity=perplexity, neighbors=k)


def _start(points: MapPoints, affinities: Affinities, config: TSNEConfig) -> tuple[np.ndarray, str]:
    """Starting coordinates (points, 2) and their name; a graph of fewer than 5 points has too few eigenvectors."""
    from openTSNE import initialization

    if config.initialization == "random":
        return initialization.random(len(points.rows), random_state=config.seed), "random"
    if config.initialization == "spectral" and len(points.rows) >= 5:
        return initialization.spectral(affinities.P, random_state=config.seed), "spectral"
    axes, _ = principal_axes(points.embeddings)
    return jittered(axes, spread=START_SPREAD, seed=config.seed), "pca"
