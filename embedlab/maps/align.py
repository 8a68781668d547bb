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
RAISED = 250  # first steps, in which attraction is raised the more the fewer texts are held
MOST_RAISED = 12.0
FIRM = 250  # further steps in which held texts are drawn back firmly
FIRM_PULL, LOOSE_PULL = 0.05, 0.012  # share of the way back per step
FIRM_SLOWED, LOOSE_SLOWED = 1.0, 0.2  # share of their own speed that held texts lose: against a pull it would grow
FULLY_KEPT = 0.67  # Jaccard index, eight of ten neighbors, from which a text is held fully
STEADIEST = 0.95  # where fewer texts than the rest of this share kept as many: this quantile
LEAST_KEPT = 0.77  # of that index, from which a text is held at all


def held(neighbors_kept: np.ndarray) -> np.ndarray:
    """How firmly a text is held to its place: 0 where its neighbors changed, 1 where they stayed.

    neighbors_kept: (texts,) Jaccard index of its ten nearest before and after -> (texts,)
    """
    fully = min(FULLY_KEPT, float(np.quantile(neighbors_kept, STEADIEST, method="inverted_cdf")))
    least = LEAST_KEPT * fully
    return np.clip((neighbors_kept - least) / max(fully - least, np.finfo(float).tiny), 0, 1)


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
    neighbors_kept: np.ndarray | None,
    at_most: int,
    seed: int,
    threads: int,
    stage: str,
    progress: Progress,
) -> tuple[np.ndarray, dict]:
    """t-SNE from the coordinates as they are, never rescaled, until it stands still or ``at_most`` iterations.

    With ``neighbors_kept``, as ``held`` takes it, changed texts begin amid their new neighbors, attraction is raised
    by the share of changed texts for 250 steps, and unchanged texts are drawn to their places, which grow with the
    map: firmly for 500 steps, then loosely (after dynamic t-SNE, Rauber et al. 2016).
    start: (points, 2) -> (points, 2), what was found
    """
    from openTSNE import TSNE

    logging.getLogger("openTSNE.tsne").setLevel(logging.ERROR)  # it warns of starts that are not tiny; ours is meant

    hold = None if neighbors_kept is None else held(neighbors_kept)[:, None]
    total = ceil(at_most / ROUND) * ROUND
    begin = start if hold is None else begun(start, indices, hold[:, 0], seed=seed)
    raised = 1.0 if hold is None else 1 + (MOST_RAISED - 1) * (1 - float(hold.mean()))
    stretches = [ROUND] * (total // ROUND) if hold is None else _stretches(total)
    size, done, length, snapshot = radius(start), 0, 0, begin
    middle = start.mean(axis=0)

    def watch(iteration: int, error: float, embedding: np.ndarray) -> None:
        nonlocal snapshot
        if hold is not None:
            is_firm = done < sum(stretches[:2])
            home = (start - middle) * max(1.0, radius(np.asarray(embedding)) / size)
            embedding += (FIRM_PULL if is_firm else LOOSE_PULL) * hold * (home - embedding)
            for steps in (laid.optimizer.gains, laid.optimizer.update):
                steps *= 1 - (FIRM_SLOWED if is_firm else LOOSE_SLOWED) * hold
        if iteration == length - WINDOW:
            snapshot = np.array(embedding)
        if iteration % 10 == 0:
            progress(stage, done + iteration, total)

    method = gradient_method(len(start))
    shared = {"callbacks": watch, "callbacks_every_iters": 10 if hold is None else 1}
    tsne = TSNE(
        initialization=begin,
        random_state=seed,
        n_jobs=threads,
        negative_gradient_method=gradient_alone(method),
        **shared,
    )
    laid = tsne.prepare_initial(affinities=affinities)
    for length in stretches:
        attraction = raised if done == 0 else 1
        laid.optimize(length, exaggeration=attraction, momentum=0.8, inplace=True, propagate_exception=True)
        done += length
        moved = _moved(laid, snapshot)
        if hold is None and moved < SETTLED:
            break
    laid.optimize(0, inplace=True, negative_gradient_method=method)  # for the divergence
    used = {"iterations": done, "last_displacement": moved, "settled": bool(moved < SETTLED)}
    if hold is not None:
        used |= {"held": round(float(hold.mean()), 4), "raised": round(raised, 3)}
    return np.asarray(laid), {**used, "kl_divergence": float(laid.kl_divergence)}


def _stretches(total: int) -> list[int]:
    """The raised one, the firm one, and the rest, which is at least as long as each of them."""
    raised, firm = min(RAISED, total // 3), min(FIRM, total // 3)
    return [raised, firm, total - raised - firm]


def _moved(embedding: np.ndarray, snapshot: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(embedding) - snapshot, axis=1).mean() / radius(np.asarray(embedding)))
