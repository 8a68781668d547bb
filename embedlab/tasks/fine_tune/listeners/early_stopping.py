"""Ends a training after enough live points without improvement."""

from typing import Self

from embedlab.tasks.fine_tune.listeners.base import Listener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.preparation import patience_of


class EarlyStopping(Listener):
    """With the requested patience, or that of a fitted length."""

    key = "early-stopping"

    def __init__(self, training: Training, patience: int):
        super().__init__(training)
        self.patience = patience

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if a run goes to its planned end."""
        if not training.is_judged:
            return None
        patience = patience_of(opened.settings)
        return None if patience is None else cls(training, patience)

    def at_live_point(self, moment: LiveMoment) -> None:
        """End the training here if patience has run out."""
        moment.ends = moment.ends or self.training.points_since_best >= self.patience
