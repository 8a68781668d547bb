"""The part of a run in which the encoder changes: steps, live points, checkpoints, Stop."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from embedlab.corpora.pairs.stored import GivenPairs
from embedlab.encoders.parts import Parts, read_in, training_parts
from embedlab.encoders.processes import Processes, read_together
from embedlab.errors import NonFiniteError
from embedlab.jobs.leaving import is_told_to_leave, leave_if_told
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import as_row
from embedlab.metrics.split import LiveTexts, Split
from embedlab.progress import Progress, silent
from embedlab.runs.folder import RunFolder
from embedlab.runs.labels_read import NO_LABELS, LabelsRead, labels_of_training
from embedlab.runs.store import append_row, read_rows
from embedlab.tasks.fine_tune.going_on import checkpoint_is_due, keep_rows_until, recall_best, save_to_go_on
from embedlab.tasks.fine_tune.judge_set import JudgeSet
from embedlab.tasks.fine_tune.live_choice import LiveChoice
from embedlab.tasks.fine_tune.live_map import RunFilm
from embedlab.tasks.fine_tune.pace import Pace
from embedlab.tasks.fine_tune.target import Target
from embedlab.tasks.measure.embedded import development_of, split_of
from embedlab.training.batches import Batches
from embedlab.training.checkpoints import (
    Checkpoint,
    newest_checkpoint,
    random_state,
    restore,
    set_random_state,
)
from embedlab.training.held_out_loss import HeldOutLoss
from embedlab.training.live import CHOSEN_BY, LiveCurve, LivePoint
from embedlab.training.loop import Step, train
from embedlab.training.optimiser import Optimiser
from embedlab.training.preparation import (
    drawn_rows,
    judge_of,
    pair_rows,
    planned_steps,
    rank_judge_of,
    require_judge,
    require_usable_texts,
    training_rows,
)
from embedlab.training.settings import RunSettings
from embedlab.training.watchdog import Watchdog

TERM_ROWS = 2000  # rows of terms.jsonl at most, evenly spaced


class FineTuning:
    """One encoder on one corpus, from the step of the newest checkpoint (else the first) to the last or to Stop."""

    def __init__(
        self,
        *,
        folder: RunFolder,
        settings: RunSettings,
        corpus,
        encoder,
        split: Split | None,
        device: str,
        precision: str,
        read: LabelsRead = NO_LABELS,
        processes: Processes | None = None,
        pairs: GivenPairs | None = None,
        judge: JudgeSet | None = None,
        target: Target | None = None,
    ):
        """``split`` is the corpus's own; texts whose labels were ``read`` by the encoder's lineage judge nothing.

        ``processes`` train it together, each with one of these. ``pairs`` are trained on in place of the corpus's
        texts; ``judge`` and ``target`` are measured at each live point.
        """
        self.folder, self.settings, self.corpus, self.encoder = folder, settings, corpus, encoder
        self.device, self.precision, self.processes = device, precision, processes
        if pairs is not None:
            rows = pair_rows(pairs, corpus, split, judge.asks() if judge is not None else set())
        else:
            rows = training_rows(corpus, split, settings.train_on, labels_train=settings.recipe_part.is_supervised)
        self.target = target
        self.pairs, self.held_back = pairs, 0 if pairs is None else pairs.info.pairs - len(rows)
        rows = drawn_rows(rows, settings.train_texts, seed=settings.seed)
        by_ranks, rows = rank_judge_of(settings, corpus, rows, device)
        self.batches = Batches(
            augmentation=settings.make_augmentation(corpus if pairs is None else pairs, rows.tolist()),
            encoder=encoder,
            batch_size=settings.batch_size,
            seed=settings.seed,
            max_length=settings.training_length,
        )
        require_usable_texts(self.batches, corpus)
        torch.manual_seed(settings.seed)
        if settings.frozen_layers is not None:
            encoder.freeze(settings.frozen_layers)
        encoder.parts = training_parts(device, settings.micro_batch, settings.batch_size, dim=encoder.dim)
        self.objective = settings.make_objective(encoder).to(device)
        tested, _ = split_of(corpus, read)
        developed = None if tested is None or not settings.live_texts else development_of(corpus, split, read)
        self.judged_by = judge_of(settings, has_development=developed is not None, usable_texts=len(self.batches.rows))
        by_loss = HeldOutLoss(self.batches, self.objective, device=device) if self.judged_by == "loss" else None
        self.planned = planned_steps(settings, self.batches.per_epoch, device)
        self.learning_rate = settings.learning_rate_for(encoder)
        self.optimiser = self._new_optimiser()
        self.done = Step(steps=0, texts=0, seconds=0.0, learning_rate=0.0, terms={})
        self.live: LiveTexts | None = None
        choice = LiveChoice(folder=folder, settings=settings, corpus=corpus, training=self)
        if tested is not None and settings.live_texts:
            self.live = choice.among(tested, developed)
        self.curve = None
        if settings.live_texts:
            self.curve = LiveCurve(
                corpus=corpus,
                texts=self.live,
                judge={"ranks": by_ranks, "set": judge, "loss": by_loss}.get(self.judged_by),
                device=device,
                probe=(settings.live_map_texts, settings.seed) if settings.live_map else None,
                tokens=choice.tokens if self.live is not None and self.live.is_whole else None,
            )
        self.film = None
        if self.curve is not None and self.curve.probe is not None:
            self.film = RunFilm(folder, self.curve.probe, planned=self.planned, seed=settings.seed)
        require_judge(settings, self.curve)
        self.pace = Pace(settings, self.planned, self.curve)
        self.watchdog = Watchdog()
        self.stopped = self.stopped_early = False
        self.resumed_at: int | None = None

    @property
    def labels_read(self) -> LabelsRead:
        """What this training itself reads of labels."""
        if not self.settings.recipe_part.is_supervised:
            return NO_LABELS
        return labels_of_training(self.corpus, np.asarray(self.batches.augmentation.rows, int))

    def trial_seconds_a_step(self) -> float:
        """A few real steps, undone: weights, buffers, optimiser and random numbers are as if nothing had happened.

        The making of a batch counts: beside training and a map it has no core of its own.
        """
        parts, planned = (self.encoder, self.objective), self.planned
        kept = [{name: value.detach().clone() for name, value in part.state_dict().items()} for part in parts]
        with torch.random.fork_rng():
            seconds = self.seconds_a_step()
        began = time.perf_counter()
        self.batches.at(0)
        seconds += time.perf_counter() - began
        for part, state in zip(parts, kept, strict=True):
            part.load_state_dict(state)
        self.planned = planned
        self.optimiser = self._new_optimiser()
        return seconds

    def _new_optimiser(self) -> Optimiser:
        return self.settings.make_optimiser(
            self.encoder, self.objective, per_epoch=self.batches.per_epoch, steps=self.planned
        )

    @property
    def usable_texts(self) -> int:
        """Texts that give views."""
        return len(self.batches.rows)

    @property
    def keeps_best(self) -> bool:
        """Whether the run ended before its last step, so that its best encoder is the one to open."""
        return self.stopped or self.stopped_early

    @property
    def best_differs(self) -> bool:
        """Whether the development texts liked another step better than the last one."""
        return self.curve is not None and self.curve.best_steps not in (None, self.done.steps)

    def swap_in_best(self) -> dict[str, torch.Tensor]:
        """Put the best weights into the encoder; what it held before is given back."""
        last = {name: value.detach().cpu().clone() for name, value in self.encoder.state_dict().items()}
        self.swap_in(self.curve.best_tensors)
        return last

    def swap_in(self, tensors: dict[str, torch.Tensor]) -> None:
        """Put these weights into the encoder."""
        self.encoder.load_state_dict(tensors)

    def resume(self) -> None:
        """Go back to the newest checkpoint, with the curve up to it; without one, begin with an empty curve."""
        checkpoint = newest_checkpoint(self.folder.checkpoints)
        if checkpoint is None:
            for file in (self.folder.metrics, self.folder.terms):
                file.unlink(missing_ok=True)
            if self.film is not None:
                self.film.begin()
            return
        self._go_back_to(checkpoint)
        if self.curve is not None:
            recall_best(self.curve, checkpoint)
        for file in (self.folder.metrics, self.folder.terms):
            keep_rows_until(file, checkpoint.steps)
        if self.film is not None:
            self.film.go_on_from(checkpoint.steps)
        self.watchdog.recall(read_rows(self.folder.metrics)[0], read_rows(self.folder.terms)[0])

    def _go_back_to(self, checkpoint: Checkpoint) -> None:
        restore(checkpoint, encoder=self.encoder, objective=self.objective, optimiser=self.optimiser)
        facts = checkpoint.facts
        self.done = Step(checkpoint.steps, facts["texts"], facts["seconds"], 0.0, {})
        self.resumed_at = checkpoint.steps
        if facts.get("parts") is not None:  # memory may not have sufficed for those asked for
            read_in(Parts(**facts["parts"]), self.encoder, self.objective)

    def follow(self) -> None:
        """Make the steps of the first process with it until it ends them; nothing is measured, nothing written."""
        checkpoint = newest_checkpoint(self.folder.checkpoints)
        if checkpoint is not None:
            self._go_back_to(checkpoint)
        for step in self._steps():
            self.done = step
        self.processes.agree()  # the first process may still measure

    @contextmanager
    def _together(self) -> Iterator[None]:
        """All processes go on from the same weights and random numbers, and share batches."""
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

    def run(self, progress: FolderProgress) -> None:
        """Train; afterwards ``encoder`` is the last one, ``curve`` knows the best, ``stopped`` whether Stop came."""
        if self.resumed_at is None:
            self._live_point()
        next_live = self.pace.next_after(self.done)
        saved = time.monotonic()
        term_spacing = max(1, self.planned // TERM_ROWS)
        progress.raises = False  # from here on Stop ends after the step
        try:
            for step in self._steps():
                self.done = step
                self.watchdog.loss(step.terms["loss"])
                if step.steps % term_spacing == 0 or step.steps == self.planned:
                    self._write_terms(step)
                progress("Fine-tuning", step.steps, self.planned)
                is_last = step.steps == self.planned
                if is_last or self.folder.stop.exists():
                    self.stopped = not is_last
                    self._live_point(ends=True)
                    return
                if step.steps >= next_live:
                    self._live_point()
                    next_live = self.pace.next_after(self.done)
                    if self.pace.is_enough:
                        self.stopped_early = True
                        return
                if is_told_to_leave() or checkpoint_is_due(self.settings, step.steps, time.monotonic() - saved):
                    if (short := save_to_go_on(self)) is not None:
                        self._notice("E-DISK", short)
                    saved = time.monotonic()
                leave_if_told()
        except NonFiniteError as error:
            self.restore_finite()
            self._notice(error.code, error.message)
            raise

    def restore_finite(self) -> None:
        """After a bad step: the present weights if they are numbers, else the best ones so far."""
        finite = all(bool(torch.isfinite(p).all()) for p in self.encoder.parameters())
        if not finite and self.curve is not None and self.curve.best_tensors:
            self.encoder.load_state_dict(self.curve.best_tensors)
        elif not finite and (checkpoint := newest_checkpoint(self.folder.checkpoints)) is not None:
            self.encoder.load_state_dict(checkpoint.tensors("encoder"))

    def _steps(self) -> Iterator[Step]:
        with self._together():
            yield from train(
                encoder=self.encoder,
                objective=self.objective,
                optimiser=self.optimiser,
                batches=self.batches,
                first=self.done.steps,
                last=self.planned,
                device=self.device,
                precision=self.precision,
                seconds=self.done.seconds,
                texts=self.done.texts,
                smaller=self._say_smaller,
                processes=self.processes,
            )

    def _say_smaller(self, texts: int) -> None:
        if self.processes is not None and self.processes.rank > 0:
            return
        message = (
            f"Memory did not suffice for a batch of {self.settings.batch_size} at once: from step "
            f"{self.done.steps + 1} on, the encoder computes {texts} at once. The result is that of the whole batch."
        )
        self._notice("E-MEMORY", message)

    def _notice(self, code: str, message: str) -> None:
        notice = {"code": code, "message": message}
        append_row(self.folder.metrics, {"full": False, **self._place(), "knn": None, "notices": [notice]})

    def seconds_a_step(self, *, most: int = 5, enough: float = math.inf, progress: Progress = silent) -> float:
        """By the clock, after one to warm up: ``most`` steps, fewer once ``enough`` seconds are timed.

        The encoder is no longer what it was afterwards.
        """
        self.planned, began, timed = most, None, 0
        for step in self._steps():
            now = time.perf_counter()
            began = now if began is None else began
            timed, took = step.steps - 1, now - began
            progress("Timing a few steps", step.steps, most)
            if took >= enough:
                break
        return took / timed if timed else step.seconds

    def measured_live(self) -> tuple[LivePoint, dict]:
        """The encoder as it is on the live texts, and what a row says of the target; its time counts as the curve's."""
        point = self.curve.measure(self.encoder)
        if self.target is None:
            return point, {}
        began = time.perf_counter()
        of_target = self.target.as_row(self.encoder)
        self.curve.seconds += time.perf_counter() - began
        return point, of_target

    def _live_point(self, *, ends: bool = False) -> None:
        if self.curve is None:
            return
        point, of_target = self.measured_live()
        is_best = self.curve.remember(self.encoder, point, steps=self.done.steps)
        judged = None if point.development is None else point.development.by(CHOSEN_BY)
        notices = self.watchdog.look(steps=self.done.steps, spread=point.spread, judged=judged)
        row = {"full": False, **self._place(), **point.as_row(), **of_target, "best": is_best}
        if notices:
            row["notices"] = [notice.as_json() for notice in notices]
        append_row(self.folder.metrics, row)
        ends = ends or self.pace.is_enough
        if self.film is not None and self.film.is_due(self.done.steps, ends=ends):
            knn = as_row(point.test)
            self.curve.seconds += self.film.draw(self.curve.probe_embeddings, knn=knn, **self._place())

    def _place(self) -> dict:
        return {"step": self.done.steps, "texts": self.done.texts, "seconds": round(self.done.seconds, 3)}

    def _write_terms(self, step: Step) -> None:
        rate = step.texts / step.seconds if step.seconds else 0.0
        terms = {name: _finite(value) for name, value in step.terms.items()}
        facts = self._place()
        append_row(
            self.folder.terms,
            {**facts, **terms, "learning_rate": step.learning_rate, "texts_per_second": round(rate, 2)},
        )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
