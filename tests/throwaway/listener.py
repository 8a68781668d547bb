"""A listener of a test: counts the steps that it was told of, over interruptions."""

from embedlab.runs.store import append_row
from embedlab.tasks.fine_tune.listeners.base import Listener


class StepCount(Listener):
    """Writes its count at every live point."""

    key = "step-count"

    def __init__(self, training):
        super().__init__(training)
        self.count = 0

    def after_step(self, step) -> None:
        """One more."""
        self.count += 1

    def at_live_point(self, moment) -> None:
        """The count so far."""
        append_row(self.training.folder.path / "counted.jsonl", {"step": moment.done.steps, "count": self.count})

    def state(self):
        """The count."""
        return {"count": self.count}, {}

    def restore(self, steps, facts, tensors) -> None:
        """As it was."""
        self.count = facts["count"]
