"""Keeps on disk, while a run trains, the encoder that Stop would keep: it outlives the process."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from safetensors import SafetensorError

from embedlab.runs.kept import ENCODER, FACTS, KeptEncoder, drop_kept
from embedlab.runs.label_lineage import LabelExposure, write_labels_read
from embedlab.runs.result import RunResult
from embedlab.store_root import is_disk_full, whole_folder, write_json
from embedlab.tasks.fine_tune.listeners.base import Listener, LiveMoment
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.training.checkpoints import sorted_checkpoints
from embedlab.training.loop import TrainingStep

SHARE_OF_TIME = 0.05  # of a training that saving may take; the first encoder and the last one are always saved


class KeepingBest(Listener):
    """Saves the best encoder so far; where nothing compares steps, that of the newest live point or checkpoint."""

    key = "kept"

    def __init__(self, training: Trainer, *, judge: str, describe: Callable[[int], RunResult], labels: LabelExposure):
        """``judge``: what compares steps, in words; ``describe``: the result of a kept step, before it is measured;
        ``labels``: those that the encoder has read.
        """
        super().__init__(training)
        self.trainer, self.judge, self.describe, self.labels = training, judge, describe, labels
        self.is_due = False
        self.began = time.monotonic()
        self.seconds = 0.0  # of saving

    def at_live_point(self, moment: LiveMoment) -> None:
        """Save the encoder if it is the best so far; after Stop also one whose turn has not come."""
        is_new = not self.training.is_judged or bool(moment.row.get("best"))
        self.is_due = self.is_due or is_new
        is_stopping = moment.ends and self.training.folder.stop.exists()
        if self.is_due and (is_stopping or self._has_time()):
            self._save()

    def before_next_step(self, step: TrainingStep) -> None:
        """Save what was put off, and the encoder of each checkpoint where there are no live points."""
        if self.training.curve is None:
            newest = sorted_checkpoints(self.training.folder.checkpoints)[-1:]
            if any(each.name == f"step-{step.steps:06d}" for each in newest):
                self._save()  # a quarter of what the checkpoint took
        elif self.is_due and self._has_time():
            self._save()

    def _has_time(self) -> bool:
        return self.seconds <= SHARE_OF_TIME * (time.monotonic() - self.began)

    def _save(self) -> None:
        """Write the encoder and its facts, then remove the one before. A full disk puts it off."""
        began, run = time.monotonic(), self.training.folder
        try:
            with self._best_in_place() as step:
                path = run.encoder_so_far / f"step-{step:06d}"
                with whole_folder(path) as temporary:
                    self.training.encoder.save(temporary / ENCODER)
                    write_labels_read(temporary / ENCODER, self.labels)
                    facts = KeptEncoder(
                        step=step,
                        planned=self.training.planned,
                        judge=self.judge if self.training.is_judged else "",
                        result=self.describe(step),
                    )
                    write_json(temporary / FACTS, facts.model_dump(mode="json", exclude_unset=True))
                drop_kept(run, but=path)
            self.is_due = False
        except (OSError, SafetensorError) as error:
            if not is_disk_full(error):
                raise
        self.seconds += time.monotonic() - began

    @contextmanager
    def _best_in_place(self) -> Iterator[int]:
        """Give the encoder the weights of the best step for a moment, if the best step is not the last. -> the step"""
        best, done = self.trainer.best, self.training.done.steps
        if best is None or best.steps is None or best.steps == done:
            yield done
            return
        self.trainer.exchange_best()
        try:
            yield best.steps
        finally:
            self.trainer.exchange_best()
