"""When a run is looked at next."""

import math
from dataclasses import dataclass

from embedlab.limits import LIMITS
from embedlab.training.length import POINTS
from embedlab.training.loop import Step
from embedlab.training.settings import RunSettings


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
