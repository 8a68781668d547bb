"""Feeds the watchdog every step and every live point; its notices are stored in the live point's row."""

from dataclasses import asdict

import torch

from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, LiveMoment, Tensors, Training
from embedlab.training.live import CHOSEN_BY
from embedlab.training.loop import TrainingStep
from embedlab.training.watchdog import Spread, Watchdog


class Watching(Listener):
    """Reads no test text."""

    key = "watchdog"

    def __init__(self, training: Training):
        super().__init__(training)
        self.watchdog = Watchdog()

    def after_step(self, step: TrainingStep) -> None:
        """Feed it the step's loss."""
        self.watchdog.losses.append(step.terms["loss"])

    def at_live_point(self, moment: LiveMoment) -> None:
        """Add the watchdog's notices."""
        if moment.point is None:
            return
        developed = moment.point.development
        judged = None if developed is None else developed.by(CHOSEN_BY)
        moment.notices += self.watchdog.look(steps=moment.done.steps, spread=moment.point.spread, judged=judged)

    def state(self) -> tuple[Facts, Tensors]:
        """All losses, and the references for later points."""
        dog = self.watchdog
        first = None if dog.first is None else asdict(dog.first)
        losses = {"losses": torch.tensor(dog.losses, dtype=torch.float64)}
        return {"first": first, "best": dog.best, "falling": dog.falling}, losses

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Restore both."""
        self.watchdog = Watchdog(
            losses=tensors["losses"].tolist(),
            first=None if facts["first"] is None else Spread(**facts["first"]),
            best=None if facts["best"] is None else tuple(facts["best"]),
            falling=facts["falling"],
        )
