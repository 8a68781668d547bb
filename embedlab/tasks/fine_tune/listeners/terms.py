"""terms.jsonl: the loss and its terms, learning rate and speed, of steps that lie evenly over the run."""

import math

from embedlab.runs.store import append_row, keep_rows_until
from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, Tensors
from embedlab.training.loop import TrainingStep

ROWS = 2000  # at most


class Terms(Listener):
    """Writes a row of a step."""

    key = "terms"

    def begin(self) -> None:
        """No rows."""
        self.training.folder.terms.unlink(missing_ok=True)

    def after_step(self, step: TrainingStep) -> None:
        """Where it is this one's turn, and at the last."""
        planned = self.training.planned
        if step.steps % max(1, planned // ROWS) and step.steps != planned:
            return
        rate = step.texts / step.seconds if step.seconds else 0.0
        terms = {name: value if math.isfinite(value) else None for name, value in step.terms.items()}
        facts = {"learning_rate": step.learning_rate, "texts_per_second": round(rate, 2)}
        append_row(self.training.folder.terms, {**step.place, **terms, **facts})

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Rows of later steps are written again."""
        keep_rows_until(self.training.folder.terms, steps)
