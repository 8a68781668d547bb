"""Half a million texts: a preview of some of them, by class, and the full map that grows out of it."""

import numpy as np

from embedlab.maps.gradient import gradient_method
from embedlab.plane import procrustes, radius
from embedlab.progress import Progress

GROWING = ((100, 4.0), (500, 1.0))  # iterations and how much attraction is raised


def laid_over(coordinates: np.ndarray, preview: np.ndarray) -> np.ndarray:
    """Moved, turned and mirrored so that the preview's texts lie as near to their places as that goes; never resized.

    coordinates: (points, 2), preview: (points, 2), not a number for texts it does not show -> (points, 2)
    """
    is_shown = np.isfinite(preview).all(axis=1)
    if not is_shown.any() or radius(preview[is_shown]) == 0:
        return coordinates
    size = radius(coordinates[is_shown]) / radius(preview[is_shown])
    target = np.full(coordinates.shape, np.nan)
    target[is_shown] = preview[is_shown] * size
    return procrustes(coordinates, onto=target, by=is_shown)


def grown_tsne(affinities, start: np.ndarray, config, threads: int, stage: str, progress: Progress):
    """t-SNE of all texts from their preview's places: attraction is raised for a moment, so that newcomers settle.

    start: (points, 2) -> (points, 2), what was found
    """
    from openTSNE import TSNE

    total, done = sum(count for count, _ in GROWING), 0

    def watch(iteration: int, error: float, embedding: np.ndarray) -> None:
        progress(stage, done + iteration, total)

    shared = {"callbacks": watch, "callbacks_every_iters": 10, "negative_gradient_method": gradient_method(len(start))}
    begin = start + np.random.default_rng(config.seed).normal(scale=radius(start) / 1000, size=start.shape)
    tsne = TSNE(random_state=config.seed, n_jobs=threads, **shared)
    embedding = tsne.prepare_initial(affinities=affinities, initialization=begin)
    for count, raised in GROWING:
        embedding.optimize(count, exaggeration=raised, momentum=0.8, inplace=True, propagate_exception=True)
        done += count
    return np.asarray(embedding), {"iterations": total, "kl_divergence": float(embedding.kl_divergence)}
