"""terms.jsonl: the loss and its terms, learning rate and speed, at steps evenly spaced over the run."""

import math

from embedlab.runs.store import append_row, keep_rows_until
from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, Tensors
from embedlab.training.loop import TrainingStep

ROWS = 2000  # at most


class Terms(Listener):
    """Writes a row for a step."""

    key = "terms"

    def begin(self) -> None:
        """Start without rows."""
        self.training.folder.terms.unlink(missing_ok=True)

    def after_step(self, step: TrainingStep) -> None:
        """Write a row if one is due, and at the last step."""
        planned = self.training.planned
        if step.steps % max(1, planned // ROWS) and step.steps != planned:
            return
        rate = step.texts / step.seconds if step.seconds else 0.0
        terms = {name: value if math.isfinite(value) else None for name, value in step.terms.items()}
        facts = {"learning_rate": step.learning_rate, "texts_per_second": round(rate, 2)}
        append_row(self.training.folder.terms, {**step.place, **terms, **facts})

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Drop rows of later steps."""
        keep_rows_until(self.training.folder.terms, steps)
