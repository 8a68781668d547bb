"""The part of a run in which the encoder changes: steps, with listeners called between them."""

import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import numpy as np
import torch

from embedlab.encoders.parts import Parts, encoders_in, read_in
from embedlab.encoders.processes import read_together
from embedlab.errors import NonFiniteError
from embedlab.jobs import pulse
from embedlab.jobs.progress import FolderProgress, leave_if_told
from embedlab.measurement import Note
from embedlab.metrics.split import LiveTexts
from embedlab.objectives.base import Objective
from embedlab.progress import Progress, silent
from embedlab.runs.beat import LIVE_POINT, STEP
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, labels_of_training
from embedlab.tasks.fine_tune.listeners.base import Listener, LiveMoment
from embedlab.tasks.fine_tune.listeners.best_step import BestStep
from embedlab.tasks.fine_tune.listeners.live_accuracy import LiveAccuracy
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.training.batches import Batches
from embedlab.training.checkpoints import Checkpoint, newest_checkpoint, random_state, restore, set_random_state
from embedlab.training.live import Judge, LiveCurve
from embedlab.training.loop import TrainingStep, train
from embedlab.training.optimiser import Optimiser
from embedlab.training.preparation import Pace
from embedlab.training.step_vectors import StepVectors

Kind = TypeVar("Kind", bound=Listener)
NO_STEP = TrainingStep(steps=0, texts=0, seconds=0.0, learning_rate=0.0, terms={})


class Trainer:
    """Trains one encoder from the newest checkpoint (or the first step) to the last step or Stop.

    Where several processes train together, each has one of these. ``judged_by`` says what tells better steps from
    worse ones, and ``judge`` does it where it is not kNN accuracy of development texts.
    """

    def __init__(
        self,
        opened: OpenedRun,
        *,
        batches: Batches,
        objective: Objective[Any],
        planned: int,
        judged_by: str,
        judge: Judge | None,
        held_back: int = 0,
    ):
        """``held_back``: given pairs that are not trained on, because they are tested or judged."""
        self.folder, self.settings, self.corpus = opened.folder, opened.settings, opened.corpus
        self.encoder, self.device, self.precision = opened.encoder, opened.device.name, opened.precision
        self.pairs, self.processes = opened.pairs, opened.processes
        self.batches, self.objective, self.planned = batches, objective, planned
        self.judged_by, self.judge, self.held_back = judged_by, judge, held_back
        self.learning_rate = self.settings.learning_rate_for(self.encoder)
        self.optimiser = self._new_optimiser()
        self.listeners: list[Listener] = []
        self.done = NO_STEP
        self.step_vectors = StepVectors()
        self.seconds_of_look = 0.0  # the last live point took so long
        self.stopped = self.stopped_early = False
        self.resumed_at: int | None = None

    def _new_optimiser(self) -> Optimiser:
        return self.settings.make_optimiser(
            self.encoder, self.objective, per_epoch=self.batches.per_epoch, steps=self.planned
        )

    # What is known of it

    def find(self, kind: type[Kind]) -> Kind | None:
        """The listener of this kind, if there is one."""
        return next((each for each in self.listeners if isinstance(each, kind)), None)

    @property
    def curve(self) -> LiveCurve | None:
        """What measures live points; None if there are none."""
        listener = self.find(LiveAccuracy)
        return None if listener is None else listener.curve

    @property
    def live(self) -> LiveTexts | None:
        """The labelled texts of live points."""
        return None if self.curve is None else self.curve.live

    @property
    def best(self) -> BestStep | None:
        """The best step so far; None if nothing is measured live."""
        return self.find(BestStep)

    @property
    def is_judged(self) -> bool:
        """Whether anything compares steps."""
        has_development = self.live is not None and len(self.live.development) > 0
        return self.curve is not None and (self.judge is not None or has_development)

    @property
    def labels_read(self) -> LabelExposure:
        """The labels that this training itself reads."""
        if not self.settings.recipe_part.is_supervised:
            return NO_LABELS
        return labels_of_training(self.corpus, np.asarray(self.batches.augmentation.rows, int))

    @property
    def usable_texts(self) -> int:
        """Texts that give views."""
        return len(self.batches.rows)

    @property
    def keeps_best(self) -> bool:
        """Whether the run ended before its last step, so that its best encoder is selected."""
        return self.stopped or self.stopped_early

    @property
    def best_differs(self) -> bool:
        """Whether the best step is not the last one."""
        return self.best is not None and self.best.steps not in (None, self.done.steps)

    @property
    def opened_step(self) -> int:
        """The step of the selected encoder: the last one, or the best of a run that ended early."""
        best_step = None if self.best is None or not self.keeps_best else self.best.steps
        return self.done.steps if best_step is None else best_step

    @property
    def points_since_best(self) -> int:
        """The number of live points since the best step."""
        assert self.best is not None, "a training that is looked at has a best step"
        return self.best.points_since

    # Training

    def resume(self) -> None:
        """Restore the newest checkpoint with every listener; without one, begin."""
        checkpoint = newest_checkpoint(self.folder.checkpoints)
        if checkpoint is None:
            for each in self.listeners:
                each.begin()
            return
        self._go_back_to(checkpoint)
        for each in self.listeners:
            facts = checkpoint.facts["listeners"].get(each.key, {})  # one of an older version knows fewer listeners
            each.restore(checkpoint.steps, facts, checkpoint.tensors(each.key))

    def _go_back_to(self, checkpoint: Checkpoint) -> None:
        restore(checkpoint, encoder=self.encoder, objective=self.objective, optimiser=self.optimiser)
        facts = checkpoint.facts
        self.done = TrainingStep(checkpoint.steps, facts["texts"], facts["seconds"], 0.0, {})
        self.resumed_at = checkpoint.steps
        if facts["parts"] is not None:  # memory may not have sufficed for those asked for
            read_in(Parts(**facts["parts"]), self.encoder, self.objective)

    def run(self, progress: FolderProgress) -> None:
        """Train; afterwards ``encoder`` is the last one, ``best`` has the best, ``stopped`` says whether Stop came."""
        self._open_both_ways()
        pace = Pace(self.settings, self.planned, is_watched=self.curve is not None)
        if self.resumed_at is None:
            self._look()
        next_look = pace.next_after(self.done, self.seconds_of_look)
        progress.raises = False  # from here on Stop ends after the step
        try:
            for step in self._steps():
                self.done = step
                for each in self.listeners:
                    each.after_step(step)
                progress("Fine-tuning", step.steps, self.planned)
                is_last = step.steps == self.planned
                if is_last or self.folder.stop.exists():
                    self.stopped = not is_last
                    self._look(ends=True)
                    return
                if step.steps >= next_look:
                    self.stopped_early = self._look().ends
                    if self.stopped_early:
                        return
                    next_look = pace.next_after(step, self.seconds_of_look)
                for each in self.listeners:
                    each.before_next_step(step)
                leave_if_told()
        except NonFiniteError as error:
            is_finite = all(bool(torch.isfinite(each).all()) for each in self.encoder.parameters())
            if not is_finite and self.best is not None and self.best.weights:
                self.encoder.load_trained_state(self.best.weights)
            elif not is_finite and (checkpoint := newest_checkpoint(self.folder.checkpoints)) is not None:
                self.encoder.load_trained_state(checkpoint.tensors("encoder"))
            self.tell(Note(code=error.code, message=error.message))
            raise

    def train_to(self, steps: int, progress: Progress) -> None:
        """Train up to this step without listeners; the next call may go further."""
        self._open_both_ways()
        for step in self._steps(max(steps, self.done.steps)):
            self.done = step
            progress("Fine-tuning", step.steps, steps)

    def _open_both_ways(self) -> None:
        """Let a decoder's tokens see the whole text from here on, where that is set, in every copy of the encoder."""
        for encoder in encoders_in(self.encoder, self.objective) if self.settings.bidirectional else ():
            if encoder.is_causal:
                encoder.see_both_ways()

    def follow(self) -> None:
        """Take the steps of the first process until it ends them; nothing is measured or written."""
        self._open_both_ways()
        checkpoint = newest_checkpoint(self.folder.checkpoints)
        if checkpoint is not None:
            self._go_back_to(checkpoint)
        for step in self._steps():
            self.done = step
        if self.processes is not None:
            self.processes.agree()  # the first process may still measure

    def measured(self, *, ends: bool = False) -> LiveMoment:
        """The current encoder as measured by the listeners that embed texts."""
        moment = LiveMoment(self.done, ends)
        for each in self.listeners:
            if each.measures:
                each.at_live_point(moment)
        return moment

    def _look(self, *, ends: bool = False) -> LiveMoment:
        """Measure a live point, if there are any."""
        if self.curve is None:
            return LiveMoment(self.done, ends)
        began = time.perf_counter()
        with pulse.during(LIVE_POINT, done=self.done.steps, planned=self.planned):
            moment = self.measured(ends=ends)
            for each in self.listeners:
                if not each.measures:
                    each.at_live_point(moment)
        self.step_vectors.forget_others({0, self.done.steps, None if self.best is None else self.best.steps})
        self.seconds_of_look = time.perf_counter() - began
        return moment

    def tell(self, notice: Note) -> None:
        """Report a notice between two live points."""
        for each in self.listeners:
            each.on_notice(notice)

    def exchange_best(self) -> None:
        """The encoder's weights and those of the best step change places, one tensor at a time."""
        assert self.best is not None, "only a training that is looked at has a best step"
        for name, weights in self.encoder.trained_state().items():
            former = weights.detach().to("cpu", copy=True)
            weights.copy_(self.best.weights[name])
            self.best.weights[name] = former

    def _steps(self, last: int | None = None) -> Iterator[TrainingStep]:
        steps = train(
            encoder=self.encoder,
            objective=self.objective,
            optimiser=self.optimiser,
            batches=self.batches,
            first=self.done.steps,
            last=self.planned if last is None else last,
            device=self.device,
            precision=self.precision,
            seconds=self.done.seconds,
            texts=self.done.texts,
            smaller=self._say_smaller,
            processes=self.processes,
        )
        with closing(steps), self._together():
            while True:
                with pulse.during(STEP, done=self.done.steps, planned=self.planned):
                    step = next(steps, None)
                if step is None:
                    return
                yield step

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Synchronise weights and random state over all processes, which then share batches."""
        if self.processes is None:
            yield
            return
        self.processes.begin(self.device, self.encoder, self.objective)
        random = random_state()
        self.processes.same(random)
        set_random_state(random)
        try:
            yield
        finally:
            read_together(None, self.encoder, self.objective)  # what follows is shared otherwise

    def _say_smaller(self, texts: int) -> None:
        if self.processes is not None and self.processes.rank > 0:
            return
        message = (
            f"There was not enough memory for a batch of {self.settings.batch_size} at once: from step "
            f"{self.done.steps + 1} on, the encoder processes {texts} at a time. The result equals that of the whole "
            f"batch."
        )
        self.tell(Note(code="E-MEMORY", message=message))

    # Timing

    def seconds_a_step(self, *, most: int = 5, enough: float = math.inf, progress: Progress = silent) -> float:
        """Timed after a warm-up step: ``most`` steps, fewer once ``enough`` seconds have been timed.

        The encoder is no longer what it was afterwards.
        """
        self.planned, timed, took = most, 0, 0.0
        began: float | None = None
        for step in self._steps():
            now = time.perf_counter()
            began = now if began is None else began
            timed, took = step.steps - 1, now - began
            progress("Timing a few steps", step.steps, most)
            if took >= enough:
                break
        return took / timed if timed else step.seconds

    def trial_seconds_a_step(self) -> float:
        """Timed on a few real steps, which are then undone: weights, buffers, optimiser and random state.

        The making of a batch counts: beside training and a map it has no core of its own.
        """
        parts, planned = (self.encoder, self.objective), self.planned
        states = [{name: value.detach().clone() for name, value in part.state_dict().items()} for part in parts]
        with torch.random.fork_rng():
            seconds = self.seconds_a_step()
        began = time.perf_counter()
        self.batches.at(0)
        seconds += time.perf_counter() - began
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
        self.planned = planned
        self.optimiser = self._new_optimiser()
        return seconds
