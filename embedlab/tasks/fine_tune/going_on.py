"""What a checkpoint holds beside weights, so that a run goes on with the same curve, best step and parts of a batch."""

import json
from dataclasses import asdict
from pathlib import Path

from embedlab.encoders.encoder import Encoder
from embedlab.runs.store import read_rows
from embedlab.store_root import whole_file
from embedlab.training.checkpoints import Checkpoint
from embedlab.training.live import LiveCurve
from embedlab.training.loop import Step


def facts_to_go_on(done: Step, encoder: Encoder, curve: LiveCurve | None) -> dict:
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
