"""How long a run trains, as many steps as fit its texts, ended when nothing rises; and when its live points come."""

import math
from dataclasses import dataclass

import torch

from embedlab.encoder_names import is_made_here, kind_of
from embedlab.limits import LIMITS
from embedlab.training.loop import Step
from embedlab.training.settings import RunSettings

POINTS = 10  # live points between the first and the last
PATIENCE = 3  # of them without a better one end the training


@dataclass(frozen=True)
class FittedLength:
    """Planned steps: those of so many epochs, between bounds; ``most`` is of a CPU, where a step takes longest.

    Chosen on the development parts of four corpora, never by test texts (tests/benchmarks/README.md).
    """

    epochs: int
    least: int
    most: int
    most_on_gpu: int

    def steps(self, per_epoch: int, device: str) -> int:
        """Of a corpus with so many steps an epoch."""
        most = self.most if torch.device(device).type == "cpu" else self.most_on_gpu
        return max(self.least, min(self.epochs * per_epoch, most))


_LENGTHS = {
    "token": FittedLength(epochs=30, least=400, most=600, most_on_gpu=3_000),
    "words": FittedLength(epochs=10, least=100, most=1_000, most_on_gpu=3_000),
    "scratch": FittedLength(epochs=10, least=200, most=600, most_on_gpu=20_000),
}
_TRAINED_BEFORE = FittedLength(epochs=3, least=1, most=2_000, most_on_gpu=20_000)


def patience_of(settings) -> int | None:
    """Live points without a better one that end a run: as asked, or as a fitted length has it; None for any number."""
    return PATIENCE if settings.early_stopping is None and settings.schedule == "fitted" else settings.early_stopping


def fitted_length(reference: str) -> FittedLength:
    """By what an encoder is; one that was trained before has less to learn."""
    return _LENGTHS[kind_of(reference)] if is_made_here(reference) else _TRAINED_BEFORE


def steps_between_points(settings: RunSettings, planned: int) -> int | None:
    """As asked, or of a fitted length a tenth of it, so that patience counts the same points on every computer.

    None where the time decides.
    """
    if settings.evaluate_every is None and settings.schedule == "fitted":
        return max(1, planned // POINTS)
    return settings.evaluate_every


def steps_in_time_of(point: float, per_step: float) -> int:
    """Steps to wait so that live points of so many seconds take at most a fifth of the time."""
    share = LIMITS.live_share_of_time
    return max(1, math.ceil(point * (1 - share) / share / max(per_step, 1e-6)))


@dataclass(frozen=True)
class Pace:
    """Live points after so many steps as asked, so many in all of a fitted length, else in a fifth of the time."""

    settings: RunSettings
    planned: int
    is_watched: bool

    def next_after(self, done: Step, seconds_of_point: float) -> float:
        """The step of the next live point; infinity where none is drawn."""
        if not self.is_watched:
            return math.inf
        if (every := steps_between_points(self.settings, self.planned)) is not None:
            return (done.steps // every + 1) * every  # the same steps after a resume
        if done.steps == 0:
            return max(1, self.planned // 50)  # nothing is known yet of how long a step takes
        return done.steps + max(steps_in_time_of(seconds_of_point, done.seconds / done.steps), self.planned // 100, 1)
