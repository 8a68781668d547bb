"""Maps by cuML on a GPU where it is installed; what it cannot do runs on the CPU, and the map's facts say so."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from embedlab.errors import SettingsError
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts

if TYPE_CHECKING:
    from embedlab.maps.base import MapPoints


def engine_for(wish: str, *, what: str, starts_anywhere: bool) -> MapFacts:
    """What a map must state: cuML if requested and available; the CPU where it cannot start from given coordinates."""
    there = wish != "cpu" and cuml_is_there()
    if wish == "cuml" and not there:
        raise SettingsError(
            "E-CUML",
            f"The {what} map was requested from cuML, but cuML cannot be imported or there is no CUDA device. Install "
            "cuML on a machine with a GPU, or set engine = cpu.",
        )
    if not there:
        return MapFacts()
    if not starts_anywhere:
        return MapFacts(note=f"cuML's {what} cannot start from given coordinates; this map was laid out on the CPU.")
    return MapFacts(engine="cuml", repeatable=False, note="Laid out by cuML on the GPU: not reproducible.")


def cuml_is_there() -> bool:
    """Whether cuML can be imported and a CUDA device is present."""
    import torch

    if "cuml" in sys.modules:
        return sys.modules["cuml"] is not None and torch.cuda.is_available()
    return find_spec("cuml") is not None and torch.cuda.is_available()


def tsne_on_gpu(points: MapPoints, config: Any, stage: str, progress: Progress) -> tuple[np.ndarray, MapFacts]:
    """t-SNE of the given graph by a ``TSNEConfig``, with cuML's own start. -> (points, 2), settings used"""
    from cuml.manifold import TSNE

    from embedlab.maps.base import graph_of, with_itself

    k = graph_of(points)[0].shape[1]
    perplexity = min(config.perplexity, max(k / 3, 1.0))
    first = "random" if config.initialization == "random" else "pca"
    iterations = config.early_iterations + config.iterations
    progress(stage, 0, iterations)
    tsne = TSNE(
        n_components=2,
        perplexity=perplexity,
        n_neighbors=k + 1,  # it counts the text itself
        early_exaggeration=config.early_exaggeration,
        late_exaggeration=config.exaggeration,
        exaggeration_iter=config.early_iterations,
        max_iter=iterations,
        init=first,
        random_state=config.seed,
        precomputed_knn=with_itself(points, k + 1),
        output_type="numpy",
    )
    coordinates = np.asarray(tsne.fit_transform(np.asarray(points.embeddings, np.float32)), np.float64)
    progress(stage, iterations, iterations)
    return coordinates, MapFacts(
        seed=config.seed,
        affinity="perplexity",
        perplexity=perplexity,
        neighbors=k,
        initialization=first,
        iterations=iterations,
    )


def umap_on_gpu(
    points: MapPoints, graph: tuple[np.ndarray, np.ndarray], begin: np.ndarray, min_dist: float, epochs: int, seed: int
) -> np.ndarray:
    """UMAP of the given graph from the given start.  -> (points, 2)"""
    from cuml.manifold import UMAP

    umap = UMAP(
        n_neighbors=graph[0].shape[1],
        n_components=2,
        min_dist=min_dist,
        n_epochs=epochs,
        init=begin.astype(np.float32),
        random_state=seed,
        precomputed_knn=graph,
        output_type="numpy",
    )
    return np.asarray(umap.fit_transform(np.asarray(points.embeddings, np.float32)), np.float64)
