"""Ends a training that has been looked at often enough without getting better."""

from typing import Self

from embedlab.tasks.fine_tune.listeners.base import Listener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.preparation import patience_of


class EarlyStopping(Listener):
    """After so many live points as asked, or as a fitted length has patience."""

    key = "early-stopping"

    def __init__(self, training: Training, patience: int):
        super().__init__(training)
        self.patience = patience

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None where a run goes to its planned end."""
        if not training.is_judged:
            return None
        patience = patience_of(opened.settings)
        return None if patience is None else cls(training, patience)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Nothing is trained after this point where patience is over."""
        moment.ends = moment.ends or self.training.points_since_best >= self.patience
