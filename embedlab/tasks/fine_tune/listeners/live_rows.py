"""metrics.jsonl: a row per live point, and one per notice between live points."""

from embedlab.measurement import Note
from embedlab.runs.store import append_row, keep_rows_until
from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, LiveMoment, Tensors


class LiveRows(Listener):
    """Writes what the listeners before it found."""

    key = "live-rows"

    def begin(self) -> None:
        """Start an empty curve."""
        self.training.folder.metrics.unlink(missing_ok=True)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Write the point's row."""
        if moment.point is None:
            return
        row = {"full": False, **moment.done.place, **moment.point.as_row(), **moment.row}
        if moment.notices:
            row["notices"] = [notice.model_dump() for notice in moment.notices]
        append_row(self.training.folder.metrics, row)

    def on_notice(self, notice: Note) -> None:
        """Write a row of its own."""
        row = {"full": False, **self.training.done.place, "knn": None, "notices": [notice.model_dump()]}
        append_row(self.training.folder.metrics, row)

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Drop rows of later steps."""
        keep_rows_until(self.training.folder.metrics, steps)
