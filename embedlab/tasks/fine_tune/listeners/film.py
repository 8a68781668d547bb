"""The live map of a run: a frame at each live point, continued from the last one and stored as the run's film."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import numpy as np

from embedlab.errors import EmbedlabError
from embedlab.maps.few_points import first_frame, next_frame
from embedlab.measurement import as_row
from embedlab.runs.film_files import append_frame, begin_film, frame_rows, keep_frames_until, load_frame, probe_of
from embedlab.tasks.fine_tune.listeners.base import CurveListener, Facts, LiveMoment, Tensors, Training
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.live import LiveCurve

FRAMES = 120  # at most, evenly over the run, whatever the steps between live points


class Film(CurveListener):
    """The probe texts of one run and its last frame, which a thread lays out while the training goes on."""

    key = "film"

    def __init__(self, training: Training, curve: LiveCurve):
        super().__init__(training, curve)
        self.last: np.ndarray | None = None  # (texts, 2)
        self.last_step: int | None = None
        self.thread = ThreadPoolExecutor(1, "film")
        self.pending: Future[None] | None = None  # the newest frame

    @classmethod
    def of(cls, training: Training, opened: OpenedRun) -> Self | None:
        """None if no live map is requested."""
        curve = training.curve
        return cls(training, curve) if curve is not None and curve.probe is not None else None

    @property
    def probe(self) -> np.ndarray:
        """The corpus rows that the film shows.  -> (texts,)"""
        assert self.curve.probe is not None, "a film is of probe texts"
        return self.curve.probe

    def begin(self) -> None:
        """Start an empty film."""
        begin_film(self.training.folder, self.probe)

    def state(self) -> tuple[Facts, Tensors]:
        """Nothing that is not in its files, once the newest frame is."""
        self._finish()
        return {}, {}

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Drop frames after the checkpoint; the next frame continues from the rest."""
        folder = self.training.folder
        stored = probe_of(folder)
        if stored is None or not np.array_equal(stored, self.probe):
            self.begin()
            return
        keep_frames_until(folder, steps)
        if rows := frame_rows(folder):
            self.last, self.last_step = load_frame(folder, rows[-1]), rows[-1].step

    def is_due(self, step: int, *, ends: bool = False) -> bool:
        """Whether a live point gets a frame: always the first and the last, others if they are far enough apart."""
        if self.last_step is None:
            return True
        return step > self.last_step and (ends or step - self.last_step >= self.training.planned / FRAMES)

    def at_live_point(self, moment: LiveMoment) -> None:
        """Begin a frame."""
        if self.is_due(moment.done.steps, ends=moment.ends):
            self._finish()
            embeddings, facts = self.curve.probe_embeddings, {"knn": as_row(moment.measured.test), **moment.done.place}
            assert embeddings is not None, "a live point was measured"
            self.pending = self.thread.submit(self._add, embeddings, facts)
            self.last_step = moment.done.steps
        if moment.ends:
            self._finish()
            self.thread.shutdown()

    def _finish(self) -> None:
        """Wait for the newest frame; raises what went wrong with it."""
        if self.pending is not None:
            self.pending.result()

    def _add(self, embeddings: np.ndarray, facts: Facts) -> None:
        """Add a frame. If texts cannot be laid out (all vectors equal, say) it repeats the last one with a note."""
        began = time.perf_counter()
        note: dict[str, str] = {}
        try:
            drawn: np.ndarray | None = self._laid_out(embeddings)
        except (EmbedlabError, ArithmeticError, ValueError, RuntimeError) as error:
            note = {"note": error.message if isinstance(error, EmbedlabError) else f"No map could be drawn: {error}."}
            drawn = self.last
        if drawn is None:
            return  # not even a first frame yet: the next one tries again
        frame: Facts = {**facts, "took": round(time.perf_counter() - began, 3), **note}
        append_frame(self.training.folder, drawn, **frame)
        self.last = drawn

    def _laid_out(self, embeddings: np.ndarray) -> np.ndarray:
        if self.last is None:
            return first_frame(embeddings, seed=self.training.settings.seed)
        drawn = next_frame(embeddings, self.last)
        if not np.isfinite(drawn).any():
            raise ValueError("no text has coordinates")
        return np.where(np.isfinite(drawn), drawn, self.last).astype(np.float32)
