"""t-SNE that starts from existing coordinates: the map before, or a preview of some of the texts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from embedlab.metrics.movement import movement
from embedlab.plane import procrustes, radius
from embedlab.progress import Progress
from embedlab.runs.drawn_map import MapFacts

if TYPE_CHECKING:
    from openTSNE.affinity import Affinities

Gradient = Callable[..., tuple[float, np.ndarray]]  # (embedding, P, …) -> KL divergence or 0, a quarter of the gradient
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
    """How strongly each text is held in place: 0 where its neighbors changed, 1 where they stayed.

    neighbors_kept: (texts,) Jaccard index of its ten nearest before and after -> (texts,)
    """
    fully = min(FULLY_KEPT, float(np.quantile(neighbors_kept, STEADIEST, method="inverted_cdf")))
    least = LEAST_KEPT * fully
    return np.clip((neighbors_kept - least) / max(fully - least, np.finfo(float).tiny), 0, 1)


def kept_neighbors(before: np.ndarray, after: np.ndarray, *, count: int = 10) -> np.ndarray:
    """The Jaccard index of each text's nearest neighbors, 0 without any. 2 x (texts, k), -1 for none -> (texts,)"""
    return 1 - np.nan_to_num(movement(before=before[:, :count], after=after[:, :count]), nan=1.0)


def begun(start: np.ndarray, indices: np.ndarray, hold: np.ndarray, *, seed: int) -> np.ndarray:
    """Starting coordinates: held texts in their old places, the others among their new nearest texts.

    start: (points, 2), indices: (points, k), hold: (points,) -> (points, 2)
    """
    places, near, share = start.copy(), indices[:, :NEAR], hold[:, None]
    for _ in range(SMOOTHED):
        middle = np.concatenate([places[near], places[:, None]], axis=1)
        places = share * start + (1 - share) * np.median(middle, axis=1)
    noise = np.random.default_rng(seed).normal(scale=radius(start) / 100, size=start.shape)
    return places + noise * (1 - share)


def continued_tsne(
    affinities: Affinities,
    start: np.ndarray,
    *,
    indices: np.ndarray,
    neighbors_kept: np.ndarray | None,
    at_most: int,
    seed: int,
    threads: int,
    stage: str,
    progress: Progress,
) -> tuple[np.ndarray, MapFacts]:
    """t-SNE from the given coordinates, never rescaled, until it settles or ``at_most`` iterations have run.

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
    used = MapFacts(
        iterations=done, last_displacement=moved, settled=bool(moved < SETTLED), kl_divergence=float(laid.kl_divergence)
    )
    if hold is not None:
        used |= MapFacts(held=round(float(hold.mean()), 4), raised=round(raised, 3))
    return np.asarray(laid), used


def _stretches(total: int) -> list[int]:
    """Iterations with raised attraction, with firm anchoring, and the rest, at least as long as each."""
    raised, firm = min(RAISED, total // 3), min(FIRM, total // 3)
    return [raised, firm, total - raised - firm]


def _moved(embedding: np.ndarray, snapshot: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(embedding) - snapshot, axis=1).mean() / radius(np.asarray(embedding)))


def laid_over(coordinates: np.ndarray, preview: np.ndarray) -> np.ndarray:
    """Moved, rotated and mirrored to bring the preview's texts as close to their places as possible; never rescaled.

    coordinates: (points, 2), preview: (points, 2), not a number for texts it does not show -> (points, 2)
    """
    is_shown = np.isfinite(preview).all(axis=1)
    if not is_shown.any() or radius(preview[is_shown]) == 0:
        return coordinates
    size = radius(coordinates[is_shown]) / radius(preview[is_shown])
    target = np.full(coordinates.shape, np.nan)
    target[is_shown] = preview[is_shown] * size
    return procrustes(coordinates, onto=target, by=is_shown)


def optimised_tsne(
    affinities: Affinities,
    start: np.ndarray,
    stretches: Sequence[tuple[int, float]],
    *,
    seed: int,
    threads: int,
    stage: str,
    progress: Progress,
) -> tuple[np.ndarray, MapFacts]:
    """t-SNE from these coordinates, in stretches of so many iterations with attraction raised by a factor each.

    start: (points, 2) -> (points, 2), what was found
    """
    from openTSNE import TSNE

    total, done = sum(count for count, _ in stretches), 0

    def watch(iteration: int, error: float, embedding: np.ndarray) -> None:
        progress(stage, done + iteration, total)  # an exception from here, as for Stop, passes through openTSNE

    shared = {"callbacks": watch, "callbacks_every_iters": 10, "negative_gradient_method": gradient_method(len(start))}
    tsne = TSNE(random_state=seed, n_jobs=threads, **shared)
    embedding = tsne.prepare_initial(affinities=affinities, initialization=start)
    for count, raised in stretches:
        embedding.optimize(count, exaggeration=raised, momentum=0.8, inplace=True, propagate_exception=True)
        done += count
    return np.asarray(embedding), MapFacts(iterations=total, kl_divergence=float(embedding.kl_divergence))


PAIRS_UNTIL = 8_000


def gradient_method(points: int) -> Gradient:
    """The exact gradient over all pairs, or our grid with an error of about 2 %, whichever is faster; passed to
    openTSNE.

    Pairs grow with the square of the points, on one thread; the grid with the picture. A step of 5,000 points took 7 ms
    by pairs and 14 ms by openTSNE's tree; of 8,000 points 24 by the tree and 15 on the grid; of 28,500 points 109 and
    31 ms (tree and grid on two cores).
    """
    if points < PAIRS_UNTIL:
        from embedlab.maps.few_points import exact_gradient

        return exact_gradient
    from embedlab.maps.grid import GridGradient

    return GridGradient()


def gradient_alone(method: Gradient) -> Gradient:
    """The gradient without the KL divergence, which openTSNE requests before each callback and costs a logarithm per
    neighbor.

    For a layout that calls back at every step; the divergence of the last places is then found by
    ``optimize(0, negative_gradient_method=method)``.
    """

    def gradient(*places: Any, should_eval_error: bool = False, **given: Any) -> tuple[float, np.ndarray]:
        return method(*places, **given)

    return gradient
