"""Checkpoints of a run: when one is due, and what it holds beside weights to go on with the same curve and parts."""

import json
from dataclasses import asdict
from pathlib import Path

from safetensors import SafetensorError

from embedlab.encoders.encoder import Encoder
from embedlab.runs.store import read_rows
from embedlab.store_root import is_disk_full, whole_file
from embedlab.training.checkpoints import Checkpoint, newest_checkpoint, save_checkpoint
from embedlab.training.live import LiveCurve
from embedlab.training.loop import Step
from embedlab.training.settings import RunSettings

CHECKPOINT_SECONDS = 120


def checkpoint_is_due(settings: RunSettings, steps: int, seconds: float) -> bool:
    """After so many steps as asked, else so many seconds since the last one."""
    every = settings.checkpoint_every
    return steps % every == 0 if every is not None else seconds >= CHECKPOINT_SECONDS


def save_to_go_on(training) -> str | None:
    """A checkpoint of a FineTuning; a sentence where the disk has no room: the run goes on, those before stay."""
    folder, done, curve = training.folder.checkpoints, training.done, training.curve
    try:
        save_checkpoint(
            folder,
            steps=done.steps,
            encoder=training.encoder,
            objective=training.objective,
            optimiser=training.optimiser,
            best=curve.best_tensors if curve is not None else {},
            facts=_facts_to_go_on(done, training.encoder, curve),
        )
    except (OSError, SafetensorError) as error:
        if not is_disk_full(error):
            raise
        newest = newest_checkpoint(folder)
        at = "the beginning" if newest is None else f"step {newest.steps}"
        return (
            f"The disk has no room for a checkpoint at step {done.steps}. The run goes on; if it is interrupted, it "
            f"resumes from {at}. Make room for the next one."
        )
    return None


def _facts_to_go_on(done: Step, encoder: Encoder, curve: LiveCurve | None) -> dict:
    """The facts of a checkpoint after the step ``done``."""
    best = curve.best_steps if curve is not None else None
    return {
        "texts": done.texts,
        "parts": asdict(encoder.parts) if encoder.parts is not None else None,
        "seconds": done.seconds,
        "best_steps": best,
        "best_development": curve.best_development if best is not None else None,
        "points_since_best": curve.points_since_best if curve is not None else 0,
    }


def recall_best(curve: LiveCurve, checkpoint: Checkpoint) -> None:
    """Give the curve the best step, its value and its weights back, if there was one by then."""
    facts = checkpoint.facts
    if facts["best_steps"] is None:
        return
    curve.best_steps, curve.best_development = facts["best_steps"], facts["best_development"]
    curve.best_tensors = checkpoint.tensors("best")
    curve.points_since_best = facts.get("points_since_best", 0)


def keep_rows_until(file: Path, steps: int) -> None:
    """Drop the rows of later steps: they are written again."""
    rows = [row for row in read_rows(file)[0] if row["step"] <= steps]
    with whole_file(file) as beside:
        beside.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
