"""The map after, started from the map before: t-SNE continued until it stands still."""

import logging
from math import ceil

import numpy as np

from embedlab.maps.gradient import gradient_method
from embedlab.plane import radius
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
