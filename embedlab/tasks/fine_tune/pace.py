"""When a run is looked at next, and whether it has been looked at often enough without getting better."""

from dataclasses import dataclass

from embedlab.training.length import PATIENCE, POINTS
from embedlab.training.live import LiveCurve
from embedlab.training.loop import Step
from embedlab.training.settings import RunSettings


def steps_between_points(settings: RunSettings, planned: int) -> int | None:
    """As asked, or of a fitted length a tenth of it, so that patience counts the same points on every computer.

    None where the time decides.
    """
    if settings.evaluate_every is None and settings.schedule == "fitted":
        return max(1, planned // POINTS)
    return settings.evaluate_every


@dataclass(frozen=True)
class Pace:
    """Live points after so many steps as asked, so many in all of a fitted length, else in a fifth of the time."""

    settings: RunSettings
    planned: int
    curve: LiveCurve | None

    def next_after(self, done: Step) -> float:
        """The step of the next live point; infinity where none is drawn."""
        if self.curve is None:
            return float("inf")
        if (every := steps_between_points(self.settings, self.planned)) is not None:
            return (done.steps // every + 1) * every  # the same steps after a resume
        if done.steps == 0:
            return max(1, self.planned // 50)  # nothing is known yet of how long a step takes
        return done.steps + max(self.curve.steps_between(done.seconds / done.steps), self.planned // 100, 1)

    @property
    def is_enough(self) -> bool:
        """Whether so many live points passed without a better one that the training ends."""
        if self.curve is None:
            return False
        patience = self.settings.early_stopping
        if patience is None and self.settings.schedule == "fitted" and self.curve.can_judge:
            patience = PATIENCE
        return patience is not None and self.curve.points_since_best >= patience
