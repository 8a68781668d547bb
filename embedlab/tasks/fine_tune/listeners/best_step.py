"""The best step by what judges the run, with its weights."""

import math
from typing import Self

from torch import Tensor

from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, LiveMoment, Tensors, Training
from embedlab.tasks.fine_tune.opening import OpenedRun


class BestStep(Listener):
    """``steps`` is None until something could be judged; of equal steps the earliest is the best."""

    key = "best"

    def __init__(self, training: Training):
        super().__init__(training)
        self.steps: int | None = None
        self.score = -math.inf
        self.points_since = 0
        self.weights: dict[str, Tensor] = {}

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if nothing is measured live."""
        return cls(training) if opened.settings.live_texts else None

    def at_live_point(self, moment: LiveMoment) -> None:
        """Keep these weights if their score is the best so far."""
        score = moment.measured.score
        is_best = moment.row["best"] = score is not None and score > self.score
        if score is None or not is_best:
            self.points_since += 1
            return
        self.score, self.steps, self.points_since = score, moment.done.steps, 0
        self.weights = {}  # before the new ones are there: memory holds one copy
        self.weights = self.training.encoder.copied_state()

    def state(self) -> tuple[Facts, Tensors]:
        """The step with its weights."""
        score = None if self.steps is None else self.score
        return {"steps": self.steps, "score": score, "points_since": self.points_since}, self.weights

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Restore the step and its weights."""
        self.points_since = facts["points_since"]
        if facts["steps"] is not None:
            self.steps, self.score, self.weights = facts["steps"], facts["score"], tensors
