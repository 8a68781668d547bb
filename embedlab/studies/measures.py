"""The measures for the y axis of a study: every number its runs record, and how to read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

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
    Measure(ACCURACY, "kNN accuracy {by}", "share", "On the test texts, with the selected encoder."),
    Measure(
        "difference",
        "Difference to untouched {by}",
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
        "kNN accuracy over ten folds {by}",
        "share",
        "Of all labeled texts.",
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
_LIVE = ("uniformity", "mean_cosine", "effective_rank")


def measure_of(key: str) -> Measure:
    """The measure of this key."""
    return next(measure for measure in MEASURES if measure.key == key)


def measured_of(run: RunFolder, result: RunResult, distance: Distance) -> dict[str, float]:
    """What a finished run recorded besides its test accuracy, by measure; missing ones are left out."""
    peak = read_state(run).peak_bytes
    values = {
        "folds": None if result.folds is None else result.folds.after.by(distance).value,
        "loss": final_loss(run),
        **_live(run),
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


def over_seeds(values: Sequence[float]) -> dict[str, float | None]:
    """The mean and its spread over seeds alone: ``value sd error low high``; no spread for one seed or equal values."""
    mean = pooled_shares(list(values), 0)
    return bounds(mean) | ({} if mean.sd else dict.fromkeys(("error", "low", "high")))


def bounds(mean: PooledMean) -> dict[str, float | None]:
    """``value sd error low high`` of a mean."""
    return {"value": mean.value, "sd": mean.sd, "error": mean.error, "low": mean.low, "high": mean.high}


def offered(sweep: Mapping) -> tuple[list[Measure], list[str]]:
    """The measures that a study can show for one distance; once a run is done, a sentence for each that it cannot."""
    done = [point for point in sweep["points"] if point["accuracy"] is not None]
    there = [each for each in MEASURES if each.key == ACCURACY or any(_of(point, each.key) for point in done)]
    lacking = [f"{each.title.format(by=sweep['by'])}: {each.lacks}." for each in MEASURES if done and each not in there]
    return there, lacking


def bars_of(sweep: Mapping) -> str:
    """What the error bars show for this measure, for the caption; kNN accuracy has its own sentence."""
    seeds = max((sum(each["height"] is not None for each in point["seeds"]) for point in sweep["points"]), default=0)
    paired = sweep["measure"]["key"] in ("difference", "development")
    if paired:
        return "Bars: one standard error, from the texts and the spread of the seeds together."
    if seeds < 2:
        return "One seed each: no error."
    return f"Points: means of up to {seeds} seeds (dots). Bars: one standard error from the spread of the seeds alone."


def drawn_over(sweep: Mapping, key: str) -> dict[str, Any]:
    """The study seen by one distance with this measure as ``height`` of its points and seeds, for figures.

    ``measure`` is ``{key, title, unit, said}``; only kNN accuracy has lines to compare with. A height is a share, or a
    difference in points; ``height_error`` is None where one seed leaves none.
    """
    measure = measure_of(key)
    scale = 100 if measure.unit == "points" else 1
    description = {
        "key": key,
        "title": measure.title.format(by=sweep["by"]),
        "unit": measure.unit,
        "said": measure.caption,
    }
    drawn = {**sweep, "measure": description, "points": [_drawn(point, key, scale) for point in sweep["points"]]}
    line = sweep["line"]
    drawn["line"] = None if line is None else _drawn(line, key, scale)
    return drawn if key == ACCURACY else {**drawn, "references": {}}


def _drawn(point: Mapping, key: str, scale: int) -> dict[str, Any]:
    value = _of(point, key) or {}
    seeds = [{**seed, "height": _scaled(_of_seed(seed, key), scale)} for seed in point["seeds"]]
    height = {name: _scaled(value.get(field), scale) for name, field in _HEIGHTS.items()}
    return {**point, **height, "seeds": seeds}


_HEIGHTS = {"height": "value", "height_error": "error", "height_sd": "sd", "height_low": "low", "height_high": "high"}


def _of(point: Mapping, key: str) -> Mapping | None:
    if key != ACCURACY:
        return (point.get("measured") or {}).get(key)
    names = ("error", "sd", "low", "high")
    return None if point["accuracy"] is None else {"value": point["accuracy"], **{name: point[name] for name in names}}


def _of_seed(seed: Mapping, key: str) -> float | None:
    return seed["accuracy"] if key == ACCURACY else (seed.get("measured") or {}).get(key)


def _scaled(value: float | None, scale: int) -> float | None:
    return None if value is None else scale * value


def _live(run: RunFolder) -> dict[str, float | None]:
    """The value at a run's last live point."""
    rows = [row for row in read_rows(run.metrics) if not row.get("full")]
    return {name: next((row[name] for row in reversed(rows) if row.get(name) is not None), None) for name in _LIVE}
