"""The live map of a run: a frame at an evaluation, drawn on from the last one and kept as the run's film."""

import time

import numpy as np

from embedlab.errors import EmbedlabError
from embedlab.maps.few_points import first_frame, next_frame
from embedlab.runs.film_files import append_frame, begin_film, frame_rows, keep_frames_until, load_frame, probe_of
from embedlab.runs.folder import RunFolder

FRAMES = 120  # at most, evenly over the run, whatever the steps between evaluations


class RunFilm:
    """The probe rows of one run and its last frame."""

    def __init__(self, folder: RunFolder, rows: np.ndarray, *, planned: int, seed: int):
        self.folder, self.rows, self.planned, self.seed = folder, rows, planned, seed
        self.last: np.ndarray | None = None  # (texts, 2)
        self.last_step: int | None = None

    def begin(self) -> None:
        """An empty film."""
        begin_film(self.folder, self.rows)

    def go_on_from(self, steps: int) -> None:
        """Drop what came after a checkpoint; the next frame starts from what is left."""
        known = probe_of(self.folder)
        if known is None or not np.array_equal(known, self.rows):
            self.begin()
            return
        keep_frames_until(self.folder, steps)
        if rows := frame_rows(self.folder):
            self.last, self.last_step = load_frame(self.folder, rows[-1]), rows[-1]["step"]

    def is_due(self, step: int, *, ends: bool = False) -> bool:
        """Whether an evaluation gets a frame: the first and the last always, others if they lie far enough apart."""
        if self.last_step is None:
            return True
        return step > self.last_step and (ends or step - self.last_step >= self.planned / FRAMES)

    def draw(self, embeddings: np.ndarray, *, step: int, **facts) -> float:
        """One frame; the seconds it took.

        Where texts cannot be laid out (all vectors equal, say) it repeats the last one with a note: training goes on.
        """
        began = time.perf_counter()
        note = {}
        try:
            drawn = self._laid_out(embeddings)
        except (EmbedlabError, ArithmeticError, ValueError, RuntimeError) as error:
            note = {"note": error.message if isinstance(error, EmbedlabError) else f"No map could be drawn: {error}."}
            drawn = self.last
        if drawn is None:
            return time.perf_counter() - began  # not even a first frame yet: the next evaluation tries again
        took = time.perf_counter() - began
        append_frame(self.folder, drawn, step=step, **facts, took=round(took, 3), **note)
        self.last, self.last_step = drawn, step
        return took

    def _laid_out(self, embeddings: np.ndarray) -> np.ndarray:
        if self.last is None:
            return first_frame(embeddings, seed=self.seed)
        drawn = next_frame(embeddings, self.last)
        if not np.isfinite(drawn).any():
            raise ValueError("no text has a place")
        return np.where(np.isfinite(drawn), drawn, self.last).astype(np.float32)
