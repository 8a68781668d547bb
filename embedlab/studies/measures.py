"""The measures for the y axis of a study: every number its runs record, and how to read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from embedlab.distance import Distance
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult
from embedlab.runs.state import read_state
from embedlab.runs.store import read_rows
from embedlab.statistics.seeds import PooledMean, pooled_shares

Unit = Literal["share", "points", "number", "seconds", "gigabytes"]
ACCURACY = "accuracy"
LAST_ROWS = 0.1  # of the recorded steps: a single batch's loss says little


@dataclass(frozen=True)
class Measure:
    """``title`` names the axis, with ``{by}`` for the distance; ``lacks`` says why a run may not have it."""

    key: str
    title: str
    unit: Unit
    caption: str
    lacks: str = ""


MEASURES = (
    Measure(ACCURACY, "kNN accuracy {by}, paper's split", "share", "On the test texts, with the selected encoder."),
    Measure(
        "difference",
        "Difference to untouched {by}, paper's split",
        "points",
        "kNN accuracy after minus before training, paired by test text.",
    ),
    Measure(
        "development",
        "kNN accuracy of development texts {by}",
        "share",
        "These texts select the best value.",
        "no development text was measured with this distance",
    ),
    Measure(
        "folds",
        "kNN accuracy {by}",
        "share",
        "Over ten folds, as the pages of the runs have it.",
        "no ten folds were measured",
    ),
    Measure(
        "loss",
        "Final loss",
        "number",
        "Mean of the last tenth of the recorded steps; losses of different objectives have different scales.",
        "no loss was recorded",
    ),
    Measure(
        "uniformity",
        "Uniformity of live texts",
        "number",
        "At the last live point; lower is more uniform.",
        "no live point has it",
    ),
    Measure(
        "mean_cosine",
        "Mean cosine of live texts",
        "number",
        "At the last live point, of pairs of texts; 1 is a collapse.",
        "no live point has it",
    ),
    Measure(
        "effective_rank",
        "Effective rank of live texts",
        "number",
        "At the last live point, in dimensions.",
        "no live point has it",
    ),
    Measure("training_seconds", "Seconds of training", "seconds", "Inside the training loop.", "no time was kept"),
    Measure("seconds", "Seconds in all", "seconds", "From the worker's start to its end.", "no time was kept"),
    Measure(
        "memory",
        "Most memory of the worker (GB)",
        "gigabytes",
        "The worker's peak in the computer's memory.",
        "no peak of memory was kept",
    ),
)


def measure_of(key: str) -> Measure:
    """The measure of this key."""
    return next(measure for measure in MEASURES if measure.key == key)


def measured_of(run: RunFolder, result: RunResult, distance: Distance) -> dict[str, float]:
    """What a finished run recorded besides its test accuracy, by measure; missing ones are left out."""
    peak = read_state(run).peak_bytes
    live = [row for row in read_rows(run.metrics) if not row.get("full")]
    values = {
        "folds": None if result.folds is None else result.folds.after.by(distance).value,
        "loss": final_loss(run),
        **{
            name: next((row[name] for row in reversed(live) if row.get(name) is not None), None)
            for name in ("uniformity", "mean_cosine", "effective_rank")
        },
        "training_seconds": result.training_seconds or None,
        "seconds": result.seconds or None,
        "memory": None if peak is None else peak / 1e9,
    }
    return {key: value for key, value in values.items() if value is not None}


def final_loss(run: RunFolder) -> float | None:
    """The mean loss over the last tenth of the recorded steps; None if none was a number."""
    losses = [row["loss"] for row in read_rows(run.terms) if isinstance(row.get("loss"), (int, float))]
    last = losses[-max(round(LAST_ROWS * len(losses)), 1) :]
    return fmean(last) if last else None


@dataclass(frozen=True)
class OverSeeds:
    """The mean of a measure with its spread; one seed, or seeds with equal values, may leave no error."""

    value: float
    sd: float | None
    error: float | None
    low: float | None
    high: float | None


def over_seeds(values: Sequence[float]) -> OverSeeds:
    """The mean and its spread over seeds alone; no error of one seed or equal values."""
    mean = pooled_shares(list(values), 0)
    return bounds(mean) if mean.sd else OverSeeds(mean.value, mean.sd, None, None, None)


def bounds(mean: PooledMean) -> OverSeeds:
    """A mean whose error counts the texts too."""
    return OverSeeds(mean.value, mean.sd, mean.error, mean.low, mean.high)
