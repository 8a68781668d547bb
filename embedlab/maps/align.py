"""The map after, aligned on the map before: t-SNE continued from it, and Procrustes for whatever is left."""

import logging
from math import ceil

import numpy as np

from embedlab.maps.gradient import gradient_method
from embedlab.progress import Progress

ROUND = 250
WINDOW = 50
SETTLED = 0.005  # mean displacement per window, in radii


def continued_tsne(
    affinities, start: np.ndarray, *, at_most: int, seed: int, threads: int, stage: str, progress: Progress
) -> tuple[np.ndarray, dict]:
    """t-SNE from the coordinates as they are, neither rescaled nor exaggerated, until it stands still.

    ``at_most`` iterations (whole rounds of 250): after a training that changes most neighbors, points drift for long.
    start: (points, 2) -> (points, 2), what was found
    """
    from openTSNE import TSNE

    logging.getLogger("openTSNE.tsne").setLevel(logging.ERROR)  # it warns of starts that are not tiny; ours is meant

    rounds = ceil(at_most / ROUND)
    snapshots: dict[int, np.ndarray] = {}
    done = 0

    def watch(iteration: int, error: float, embedding: np.ndarray) -> None:
        if iteration == ROUND - WINDOW:
            snapshots[iteration] = np.array(embedding)
        progress(stage, done + iteration, rounds * ROUND)

    shared = {"callbacks": watch, "callbacks_every_iters": 10, "negative_gradient_method": gradient_method(len(start))}
    tsne = TSNE(initialization=start, random_state=seed, n_jobs=threads, **shared)
    embedding = tsne.prepare_initial(affinities=affinities)
    for _ in range(rounds):
        embedding.optimize(n_iter=ROUND, exaggeration=1, momentum=0.8, inplace=True, propagate_exception=True)
        done += ROUND
        moved = np.linalg.norm(embedding - snapshots[ROUND - WINDOW], axis=1).mean() / radius(np.asarray(embedding))
        if moved < SETTLED:
            break
    used = {"iterations": done, "last_displacement": float(moved), "settled": bool(moved < SETTLED)}
    return np.asarray(embedding), {**used, "kl_divergence": float(embedding.kl_divergence)}


def procrustes(coordinates: np.ndarray, *, onto: np.ndarray) -> np.ndarray:
    """Coordinates moved, turned, mirrored and brought to the radius of ``onto``, as near to it as that goes.

    coordinates, onto: (points, 2) -> (points, 2).  The size is matched by radius, not by least squares, which would
    shrink a map that has little in common with the one before.
    """
    from scipy.linalg import orthogonal_procrustes

    centre = onto.mean(axis=0)
    centred = coordinates - coordinates.mean(axis=0)
    turn, _ = orthogonal_procrustes(centred, onto - centre)
    size = radius(onto) / radius(centred) if radius(centred) > 0 and radius(onto) > 0 else 1.0
    return centred @ turn * size + centre


def radius(coordinates: np.ndarray) -> float:
    """The root mean square distance from the middle.  (points, 2) -> ()"""
    return float(np.sqrt(((coordinates - coordinates.mean(axis=0)) ** 2).sum(axis=1).mean()))
