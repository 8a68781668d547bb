"""UMAP on the exact neighbor graph; with a seed it runs on one thread."""

from __future__ import annotations

import re
import warnings
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from typing import Literal

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.maps.align import laid_over
from embedlab.maps.base import LayoutMethod, MapPoints, graph_of, jittered, principal_axes, with_itself
from embedlab.maps.on_gpu import engine_for, umap_on_gpu
from embedlab.plane import procrustes
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts

GROWING_ALPHA = 0.25  # first step of a map that grows out of its preview; UMAP's own 1 would shuffle the groups


class UMAPConfig(Config):
    """Defaults: umap-learn's own, except that texts start at their principal components."""

    neighbors: int = Field(
        15, ge=2, le=300, description="Number of neighbors that shape the picture, including the text itself."
    )
    min_dist: float = Field(0.1, ge=0, le=1, description="How close texts may be in the picture.")
    epochs: int | None = Field(
        None, ge=1, le=5000, description="Epochs; automatically 500 up to 10,000 texts, else 200."
    )
    seed: int = Field(42, ge=0, le=2**31 - 1, description="Seed of the layout.")
    engine: Literal["auto", "cpu", "cuml"] = Field(
        "auto", description="cuML on the GPU if installed (not reproducible), or the CPU."
    )


class UMAP(LayoutMethod):
    """Groups are farther apart than with t-SNE; distances between them mean little, too."""

    key = "umap"
    config_class = UMAPConfig

    @staticmethod
    def neighbors_needed(config: UMAPConfig) -> int:
        """One less than UMAP's setting, which counts the text itself."""
        return config.neighbors - 1

    @staticmethod
    def place(
        points: MapPoints, config: UMAPConfig, *, stage: str, progress: Progress, threads: int
    ) -> tuple[np.ndarray, MapFacts]:
        """Coordinates by UMAP from principal components, ``start`` (the map before) or ``preview``, aligned with it."""
        first = points.given_start if points.has_extent else principal_axes(points.embeddings)[0]
        neighbors = min(config.neighbors, graph_of(points)[0].shape[1] + 1)
        epochs = config.epochs if config.epochs is not None else (500 if len(points.rows) <= 10_000 else 200)
        begin = jittered(first, spread=1.0, seed=config.seed)  # an axis without extent would divide by zero
        used = MapFacts(neighbors=neighbors, min_dist=config.min_dist, iterations=epochs, seed=config.seed)
        knn = with_itself(points, neighbors)
        engine = engine_for(config.engine, what="UMAP", starts_anywhere=True)
        if engine.engine == "cuml":
            coordinates = umap_on_gpu(points, knn, begin, config.min_dist, epochs, config.seed)
        else:
            coordinates = umap_coordinates(
                *knn,
                start=begin,
                min_dist=config.min_dist,
                epochs=epochs,
                seed=config.seed,
                alpha=1.0 if points.preview is None else GROWING_ALPHA,
                report=_Epochs(stage, epochs, progress),
            )
            used |= MapFacts(threads=1, note="With a seed, UMAP lays out on one thread.")
        used |= engine
        if points.preview is not None:
            return laid_over(coordinates, points.preview), used | MapFacts(initialization="the preview")
        if points.start is not None:
            coordinates = procrustes(coordinates, onto=points.start)
        return coordinates, used


def umap_coordinates(
    indices: np.ndarray,
    distances: np.ndarray,
    *,
    start: np.ndarray,
    min_dist: float,
    epochs: int,
    seed: int,
    alpha: float = 1.0,
    report: _Epochs | None = None,
) -> np.ndarray:
    """What ``umap.UMAP(precomputed_knn=..., init=start)`` computes, step by step so that progress can be reported."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Tensorflow", category=ImportWarning)
        from umap.umap_ import find_ab_params, fuzzy_simplicial_set, simplicial_set_embedding
    _keep_compiled()

    random_state = np.random.RandomState(seed)  # noqa: NPY002  umap-learn takes no Generator
    a, b = find_ab_params(1.0, min_dist)
    weights, _, _ = fuzzy_simplicial_set(
        start, indices.shape[1], random_state, "euclidean", knn_indices=indices, knn_dists=distances
    )
    with redirect_stdout(StringIO()):  # it prints its epochs besides; standard output may be someone's JSON
        coordinates, _ = simplicial_set_embedding(
            start,
            weights,
            n_components=2,
            initial_alpha=alpha,
            a=a,
            b=b,
            gamma=1.0,
            negative_sample_rate=5,
            n_epochs=epochs,
            init=start,
            random_state=random_state,
            metric="euclidean",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
            parallel=False,
            verbose=report is not None and epochs >= 10,  # it divides by a tenth of them
            tqdm_kwds=None if report is None else {"file": report, "bar_format": "{n_fmt}", "mininterval": 0.2},
        )
    return coordinates.astype(np.float64)


@cache
def _keep_compiled() -> None:
    """Have numba write UMAP's slowest functions to disk: compiling them anew takes each process five seconds."""
    from umap import layouts, umap_

    functions = (umap_.smooth_knn_dist, umap_.compute_membership_strengths, layouts.clip)
    for function in (*functions, layouts._nb_optimize_layout_euclidean_single_epoch):
        with suppress(RuntimeError):  # no folder that can be written to
            function.enable_caching()


class _Epochs:
    """The file object to which UMAP's progress bar writes; an exception raised here, as by Stop, passes through."""

    def __init__(self, stage: str, epochs: int, progress: Progress):
        self.stage, self.epochs, self.progress = stage, epochs, progress

    def write(self, text: str) -> None:
        count = re.search(r"\d+", text)
        if count:
            self.progress(self.stage, int(count.group()), self.epochs)

    def flush(self) -> None:
        """Does nothing: nothing is buffered."""
