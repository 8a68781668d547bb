"""What a run will take: from an earlier run with the same settings on this machine, or from a few timed steps."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import psutil
from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.jobs.progress import TUNING, Stage, stages_of
from embedlab.numbers import gigabytes
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs, strings_told
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import bytes_of
from embedlab.store_root import store_root

_WITHOUT_STAGES = 10  # runs that are read in search of one that recorded how long its stages took
_OF_A_WORKER = 10**9  # bytes that a worker has before it has an encoder, and those of a batch


@dataclass(frozen=True)
class CostEstimate:
    """Seconds from the worker's start to the verdict; peak memory and disk in bytes, None if unknown.

    ``by``: the run that took so much, or the job that timed a few steps.
    """

    by: RunFolder
    seconds: float
    peak_bytes: int | None
    disk_bytes: int
    device_peak_bytes: int | None = None  # of tensors on the GPU; None where none is used
    steps: int | None = None
    timing: "Timing | None" = None  # of the job

    @property
    def out_of_reach(self) -> str | None:
        """A sentence if this machine lacks the memory or the disk."""
        return beyond_this_machine("run", self.peak_bytes, self.disk_bytes, "a smaller encoder, batch size or length")


def expected(complete: dict) -> CostEstimate | None:
    """From the newest finished run with the same settings apart from epochs, otherwise from the newest timing.

    ``complete``: all settings of a run, those of its parts included.
    """
    named = {name: complete[name] for name in ("corpus", "encoder", "recipe") if name in complete}
    for folder in find_jobs("train", standing=State.FINISHED, **named):
        state = read_state(folder)
        share = None if state.settings is None else _steps_of(complete, state.settings)
        if share is None or (result := read_result(folder)) is None or not (stages := stages_of(folder)):
            continue
        if share == 1.0 or not result.stopped:  # else it ended early, by itself: at what length is not known
            seconds = _seconds_to_verdict(stages, share)
            steps = round(share * result.steps)
            return CostEstimate(folder, seconds, state.peak_bytes, bytes_of(folder), state.device_peak_bytes, steps)
    return timed(complete)


def seconds_by_encoder(corpus: str, encoders: Iterable[str]) -> dict[str, float]:
    """Seconds to the verdict, for each encoder, of the newest finished run on this corpus that started from it."""
    seconds: dict[str, float] = {}
    for encoder in set(encoders).intersection(strings_told("encoder")):
        finished = find_jobs("train", standing=State.FINISHED, encoder=encoder, corpus=corpus)
        for folder in islice(finished, _WITHOUT_STAGES):
            if stages := stages_of(folder):
                seconds[encoder] = _seconds_to_verdict(stages, 1.0)
                break
    return seconds


def fits_this_machine(parameters: int | None) -> bool:
    """Whether an encoder with this many weights can be trained with Adam: weight, gradient and two moments, four bytes
    each.
    """
    return parameters is None or 16 * parameters + _OF_A_WORKER < psutil.virtual_memory().total


def timing_of(complete: dict) -> RunFolder | None:
    """The newest job that times exactly these settings, in any state."""
    return next(find_jobs("estimate", complete), None)


class Timing(BaseModel):
    """What a job that times a run's first steps found: its ``result.json``; sizes in bytes."""

    model_config = ConfigDict(frozen=True)

    steps: int
    usable_texts: int
    training_length: int | None = None  # tokens of a view, where there is a limit below the encoder's
    seconds_per_step: float
    seconds: float  # of all steps, live points included
    verdict_seconds: float  # from the worker's start to the verdict
    peak_bytes: int | None
    device_peak_bytes: int | None = None  # of tensors on the GPU; None where none is used
    disk_bytes: int
    schedule: str
    held_bytes: dict[str, int]


def timed(complete: dict) -> CostEstimate | None:
    """The result of the newest finished timing of exactly these settings; None if there is none, or it is damaged."""
    job = next(find_jobs("estimate", complete, standing=State.FINISHED), None)
    timing = None if job is None else read_model_if_whole(job.result, Timing)
    if job is None or timing is None:
        return None
    return CostEstimate(
        job,
        timing.verdict_seconds,
        timing.peak_bytes,
        timing.disk_bytes,
        timing.device_peak_bytes,
        timing.steps,
        timing,
    )


def beyond_this_machine(what: str, peak_bytes: int | None, disk_bytes: int, instead: str) -> str | None:
    """A sentence if a ``what`` needs more memory or disk space than this computer has; ``instead`` is the advice."""
    needs = {"memory": (peak_bytes or 0, psutil.virtual_memory().total)}
    needs["space on the disk"] = (disk_bytes, shutil.disk_usage(store_root()).free)
    for name, (needed, there) in needs.items():
        if needed > there:
            has = f"this computer has {gigabytes(there)}"
            room = "" if name == "memory" else ", or free some space"
            return f"This {what} would take {gigabytes(needed)} of {name}, but {has}. Choose {instead}{room}"
    return None


def _seconds_to_verdict(stages: list[Stage], share: float) -> float:
    """The same with ``share`` times as many steps."""
    return sum((share if stage.kind == TUNING else 1.0) * (stage.seconds or 0.0) for stage in stages)


def _steps_of(complete: dict, before: dict) -> float | None:
    """The ratio of steps between a run of these settings and the earlier run; None if they differ otherwise."""
    if any(complete[name] != before.get(name) for name in complete.keys() - {"seed", "epochs", "inside"}):
        return None
    epochs, epochs_before = complete.get("epochs"), before.get("epochs")
    if epochs is not None and epochs_before is not None and complete.get("max_steps") is None:
        return epochs / epochs_before
    return 1.0 if epochs == epochs_before else None
