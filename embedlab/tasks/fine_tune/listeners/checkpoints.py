"""Saves checkpoints from which a run resumes exactly."""

import time
from dataclasses import asdict

from safetensors import SafetensorError

from embedlab.jobs.progress import is_told_to_leave
from embedlab.machine_refusals import is_disk_full
from embedlab.measurement import Note
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.listeners.base import Facts, Listener, Tensors, Training
from embedlab.training.checkpoints import newest_checkpoint, save_checkpoint
from embedlab.training.loop import TrainingStep

CHECKPOINT_SECONDS = 120


class Checkpoints(Listener):
    """Every so many steps if requested, otherwise every so many seconds, and before its machine is taken away."""

    key = "checkpoints"

    def begin(self) -> None:
        """Start the interval to the first checkpoint."""
        self.saved = time.monotonic()

    def restore(self, steps: int, facts: Facts, tensors: Tensors) -> None:
        """Start the interval to the next checkpoint."""
        self.saved = time.monotonic()

    def before_next_step(self, step: TrainingStep) -> None:
        """Save a checkpoint if one is due, with the state of every listener."""
        every = self.training.settings.checkpoint_every
        is_due = step.steps % every == 0 if every is not None else time.monotonic() - self.saved >= CHECKPOINT_SECONDS
        if not (is_due or is_told_to_leave()):
            return
        try:
            save(self.training, self.training.folder)
        except (OSError, SafetensorError) as error:
            if not is_disk_full(error):
                raise
            newest = newest_checkpoint(self.training.folder.checkpoints)
            at = "the beginning" if newest is None else f"step {newest.steps}"
            message = (
                f"The disk has no space for a checkpoint at step {step.steps}. The run continues; if it is "
                f"interrupted, it resumes from {at}. Free some space for the next one."
            )
            self.training.tell(Note(code="E-DISK", message=message))
        self.saved = time.monotonic()


def save(training: Training, folder: RunFolder) -> None:
    """Write where the training stands into this folder, with the state of every listener."""
    states = {each.key: each.state() for each in training.listeners}
    parts, done = training.encoder.parts, training.done
    save_checkpoint(
        folder.checkpoints,
        steps=done.steps,
        encoder=training.encoder,
        objective=training.objective,
        optimiser=training.optimiser,
        further={key: tensors for key, (_, tensors) in states.items()},
        facts={
            "texts": done.texts,
            "seconds": done.seconds,
            "parts": None if parts is None else asdict(parts),
            "listeners": {key: facts for key, (facts, _) in states.items()},
        },
    )
