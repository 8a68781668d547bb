"""What judges steps in place of development accuracy: ranks, a judging file, the held-out loss."""

from dataclasses import replace
from typing import Self

from embedlab.tasks.fine_tune.listeners.base import Listener, LiveMoment, Training
from embedlab.tasks.fine_tune.opening import OpenedRun


class Judging(Listener):
    """Adds its score to the live point."""

    key, measures = "judging", True

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if development texts judge, or nothing is measured live."""
        return cls(training) if training.judge is not None and opened.settings.live_texts else None

    def at_live_point(self, moment: LiveMoment) -> None:
        """Score the current encoder."""
        assert self.training.judge is not None, "it looks on where something judges"
        moment.point = replace(moment.measured, score=self.training.judge.score(self.training.encoder))
