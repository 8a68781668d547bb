"""What goes wrong while training, in plain words with advice; and how embeddings fill their space."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from embedlab.measurement import Measurement, Note
from embedlab.numbers import percent
from embedlab.statistics.geometry import dimension_std, effective_rank, hubness, mean_cosine, uniformity
from embedlab.vectors.exact import usable

COLLAPSED_SHARE = 0.2  # of what it was before training
LEAST_STEPS = 100  # before anything is said of the loss
LEAST_FALL = 0.005  # of the loss, from the first tenth of the steps to the last
FALLING_ERRORS = 2.0  # standard errors below the best point


@dataclass
class Watchdog:
    """Watches every step's loss and every live point, and reports problems."""

    losses: list[float] = field(default_factory=list)
    first: Spread | None = None
    best: tuple[int, float, float] | None = None  # steps, kNN accuracy, standard error
    falling: int = 0

    def look(self, *, steps: int, spread: Spread | None, judged: Measurement | None) -> list[Note]:
        """The notice for this point, usually none. ``judged`` is kNN accuracy on development texts."""
        notices = [self._collapse(steps, spread), self._not_learning(steps), self._falling(steps, judged)]
        return [notice for notice in notices if notice is not None]

    def _collapse(self, steps: int, spread: Spread | None) -> Note | None:
        if spread is None:
            return None
        if self.first is None:
            self.first = spread
            return None
        first = self.first
        shrunk = (
            spread.effective_rank < COLLAPSED_SHARE * first.effective_rank or spread.std < COLLAPSED_SHARE * first.std
        )
        if not shrunk:
            return None
        return Note(
            code="W-COLLAPSE",
            message=f"The embeddings are collapsing: they vary along {spread.effective_rank:.0f} directions at step "
            f"{steps:,}, against {first.effective_rank:.0f} before training (effective rank of {spread.texts} texts), "
            f"with a spread of {spread.std:.2f} against {first.std:.2f}. Try a smaller learning rate, a recipe with "
            "negatives (text crops), or a larger batch.",
        )

    def _not_learning(self, steps: int) -> Note | None:
        if len(self.losses) < LEAST_STEPS:
            return None
        tenth = len(self.losses) // 10
        begun, now = (sum(part) / tenth for part in (self.losses[:tenth], self.losses[-tenth:]))
        if begun - now > LEAST_FALL * abs(begun):
            return None
        return Note(
            code="W-NOT-LEARNING",
            message=f"The loss has not fallen in {len(self.losses):,} steps: {begun:.3g} at the start, {now:.3g} now. "
            "Try a larger learning rate, more steps, or another recipe.",
        )

    def _falling(self, steps: int, judged: Measurement | None) -> Note | None:
        if judged is None:
            return None
        knn = judged.value
        if self.best is None or knn >= self.best[1]:
            self.best, self.falling = (steps, knn, judged.error or 0.0), 0
            return None
        when, best, best_error = self.best
        self.falling = self.falling + 1 if best - knn > FALLING_ERRORS * best_error else 0
        if self.falling < 2:  # a single low point may be chance
            return None
        return Note(
            code="W-KNN-FALLING",
            message=f"kNN accuracy of the development texts has fallen since step {when:,}: {percent(best)} then, "
            f"{percent(knn)} now, more than two standard errors lower. Stop keeps the best encoder so far; try a "
            "smaller learning rate or fewer steps.",
        )


SAMPLE = 512  # texts; the effective rank depends on their number, so it is fixed and shown


@dataclass(frozen=True)
class Spread:
    """``effective_rank``: exp of the entropy of the singular values' shares; ``std``: 1 isotropic, 0 collapsed."""

    effective_rank: float
    std: float
    texts: int


def spread_of(embeddings: np.ndarray) -> Spread:
    """The spread of finite, non-zero vectors. (texts, dim)"""
    embeddings = embeddings[usable(embeddings)].astype(np.float64)
    return Spread(effective_rank(embeddings), dimension_std(embeddings), len(embeddings))


def geometry_of(embeddings: np.ndarray) -> dict[str, float | None]:
    """The cheap diagnostics of a live point, named as in ``LIVE_DIAGNOSTICS``; None where undefined.

    Over the same few texts from first to last.  (texts, dim)
    """
    vectors = embeddings[usable(embeddings)].astype(np.float64)
    if len(vectors) < 2:
        return {"uniformity": None, "mean_cosine": None, "hubness": None}
    skewness = hubness(vectors)
    return {
        "uniformity": round(uniformity(vectors), 4),
        "mean_cosine": round(mean_cosine(vectors), 4),
        "hubness": None if skewness is None else round(skewness, 3),
    }
