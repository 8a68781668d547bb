"""The map after, started from the map before: t-SNE that holds texts whose neighbors stayed until it stands still."""

import logging
from math import ceil

import numpy as np

from embedlab.maps.gradient import gradient_alone, gradient_method
from embedlab.metrics.movement import movement
from embedlab.plane import radius
from embedlab.progress import Progress

ROUND = 250
WINDOW = 50
SETTLED = 0.005  # mean displacement per window, in radii
NEAR = 15
SMOOTHED = 5  # times that changed texts go to the middle of their neighbors before t-SNE begins
RAISED = 100  # first steps, in which attraction is raised the more the fewer texts are held
MOST_RAISED = 8.0
FREE = 400  # last steps, in which held texts are no longer drawn back, only slower than the others
LOOSE = 0.85  # how much slower
PULL = 0.05  # share of the way back per step
LEAST_KEPT, FULLY_KEPT = 0.4, 0.65  # Jaccard index from which a text is held at all, and fully


def held(kept: np.ndarray) -> np.ndarray:
    """How firmly a text is held to its place: 0 where its neighbors changed, 1 where they stayed.

    kept: (texts,) Jaccard index of its ten nearest before and after -> (texts,)
    """
    return np.clip((kept - LEAST_KEPT) / (FULLY_KEPT - LEAST_KEPT), 0, 1)


def kept_neighbors(before: np.ndarray, after: np.ndarray, *, count: int = 10) -> np.ndarray:
    """The Jaccard index of each text's nearest, 0 where it has none.  2 x (texts, k), -1 for none -> (texts,)"""
    return 1 - np.nan_to_num(movement(before=before[:, :count], after=after[:, :count]), nan=1.0)


def begun(start: np.ndarray, indices: np.ndarray, hold: np.ndarray, *, seed: int) -> np.ndarray:
    """Held texts at their places, the others amid their nearest texts now.

    start: (points, 2), indices: (points, k), hold: (points,) -> (points, 2)
    """
    places, near, share = start.copy(), indices[:, :NEAR], hold[:, None]
    for _ in range(SMOOTHED):
        middle = np.concatenate([places[near], places[:, None]], axis=1)
        places = share * start + (1 - share) * np.median(middle, axis=1)
    noise = np.random.default_rng(seed).normal(scale=radius(start) / 100, size=start.shape)
    return places + noise * (1 - share)


def continued_tsne(
    affinities,
    start: np.ndarray,
    *,
    indices: np.ndarray,
    kept: np.ndarray | None,
    at_most: int,
    seed: int,
    threads: int,
    stage: str,
    progress: Progress,
) -> tuple[np.ndarray, dict]:
    """t-SNE from the coordinates as they are, never rescaled, until it stands still or ``at_most`` iterations.

    Where it is known how many neighbors a text ``kept``, changed texts begin amid their new neighbors, attraction is
    raised by the share of changed texts for 100 steps, and unchanged texts are drawn to their places, which grow with
    the map; in the last 400 they only move slower (after dynamic t-SNE, Rauber et al. 2016).
    start: (points, 2) -> (points, 2), what was found
    """
    from openTSNE import TSNE

    logging.getLogger("openTSNE.tsne").setLevel(logging.ERROR)  # it warns of starts that are not tiny; ours is meant

    total = ceil(at_most / ROUND) * ROUND
    hold = None if kept is None else held(kept)
    pull = 0.0 if hold is None else PULL * hold[:, None]
    begin = start if hold is None else begun(start, indices, hold, seed=seed)
    raised = 1.0 if hold is None else 1 + (MOST_RAISED - 1) * (1 - float(hold.mean()))
    size, done, length, snapshot = radius(start), 0, 0, begin
    middle = start.mean(axis=0)

    def watch(iteration: int, error: float, embedding: np.ndarray) -> None:
        nonlocal snapshot
        if hold is not None and done + iteration > held_until:
            for steps in (laid.optimizer.gains, laid.optimizer.update):
                steps *= 1 - LOOSE * hold[:, None]
        elif hold is not None:
            embedding += pull * ((start - middle) * max(1.0, radius(np.asarray(embedding)) / size) - embedding)
            for steps in (laid.optimizer.gains, laid.optimizer.update):  # against a pull gains would grow without end
                steps *= 1 - hold[:, None]
        if iteration == length - WINDOW:
            snapshot = np.array(embedding)
        if iteration % 10 == 0:
            progress(stage, done + iteration, total)

    every = 10 if hold is None else 1
    method = gradient_method(len(start))
    shared = {"callbacks": watch, "negative_gradient_method": gradient_alone(method)}
    tsne = TSNE(initialization=begin, random_state=seed, n_jobs=threads, callbacks_every_iters=every, **shared)
    laid = tsne.prepare_initial(affinities=affinities)
    last = min(FREE, total // 2)
    held_until = total - last
    stretches = [ROUND] * (total // ROUND) if hold is None else _stretches(held_until)
    settled = False
    for length in stretches:
        attraction = raised if hold is not None and done == 0 else 1
        laid.optimize(length, exaggeration=attraction, momentum=0.8, inplace=True, propagate_exception=True)
        done += length
        moved = _moved(laid, snapshot)
        settled = hold is None and moved < SETTLED
        if settled:
            break
    if hold is not None:
        held_until, length = done, last
        laid.optimize(last, exaggeration=1, momentum=0.8, inplace=True, propagate_exception=True)
        done += last
        moved = _moved(laid, snapshot)
        settled = moved < SETTLED
    laid.optimize(0, inplace=True, negative_gradient_method=method)  # for the divergence
    used = {"iterations": done, "last_displacement": moved, "settled": bool(settled)}
    if hold is not None:
        used |= {"held": round(float(hold.mean()), 4), "raised": round(raised, 3)}
    return np.asarray(laid), {**used, "kl_divergence": float(laid.kl_divergence)}


def _stretches(total: int) -> list[int]:
    """The raised one, then as many rounds as fit, the last one shorter."""
    lengths = [min(RAISED, total)]
    while sum(lengths) < total:
        lengths.append(min(ROUND, total - sum(lengths)))
    return lengths


def _moved(embedding: np.ndarray, snapshot: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(embedding) - snapshot, axis=1).mean() / radius(np.asarray(embedding)))
