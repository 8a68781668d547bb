"""What a study will take: from an earlier run with like settings, or from the timing of a few steps."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from pydantic import JsonValue

from embedlab.jobs.cost_estimate import CostEstimate, beyond_this_machine, timed, timing_of
from embedlab.jobs.progress import stages_of
from embedlab.numbers import count, counted, duration, in_bytes
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import bytes_of, decisive, stored_request
from embedlab.store_root import Json
from embedlab.studies.plan import StudySettings, cells, settings_of
from embedlab.training.settings import Estimate


@dataclass(frozen=True)
class StudyExpectation:
    """For runs one after another: ``seconds`` of the runs still to do, memory of the largest, disk of all.

    ``runs`` are planned, ``there`` of them finished already; ``known`` of the ``settings`` (a run but for its seed)
    have been run or timed on this computer, and the others are taken to be as the nearest of them.
    """

    runs: int
    there: int
    seconds: float
    peak_bytes: int | None
    disk_bytes: int
    settings: int
    known: int

    @property
    def out_of_reach(self) -> str | None:
        """A sentence if this machine lacks the memory or the disk."""
        return beyond_this_machine("study", self.peak_bytes, self.disk_bytes, "fewer values or a smaller encoder")


def expected_study(design: StudySettings) -> StudyExpectation | None:
    """None if none of its settings has been timed."""
    run_settings = [settings_of(design, cell).stored for cell in cells(design)]
    before = _finished(run_settings)
    by_key: dict[str, dict] = {}  # the settings of one of the runs that differ in their seed alone
    missing: dict[str, int] = {}  # and how many of those are still to be made
    for settings in run_settings:
        key = _key(settings)
        by_key.setdefault(key, settings)
        is_there = any(
            decisive(earlier) == decisive(settings) and _installed(read_state(run).versions or {})
            for run, earlier in before
        )  # so that the study would reuse it
        missing[key] = missing.get(key, 0) + (not is_there)
    costs = {
        number: cost for number, each in enumerate(by_key.values()) if (cost := _cost_of(each, before)) is not None
    }
    if not costs:
        return None
    to_make = [
        (costs[min(costs, key=lambda timed: abs(timed - number))], runs)
        for number, runs in enumerate(missing.values())
        if runs
    ]
    return StudyExpectation(
        runs=len(run_settings),
        there=len(run_settings) - sum(missing.values()),
        seconds=sum(runs * cost.seconds for cost, runs in to_make),
        peak_bytes=max((cost.peak_bytes for cost, _ in to_make if cost.peak_bytes), default=None),
        disk_bytes=sum(runs * cost.disk_bytes for cost, runs in to_make),
        settings=len(by_key),
        known=len(costs),
    )


def to_time(design: StudySettings) -> list[Estimate]:
    """The settings whose timing is most informative: the first, the last and the middle one if nothing is known.

    A second phase is timed as if it began from the encoder of the first.
    """
    run_settings = [settings_of(design, cell).stored for cell in cells(design)]
    before = _finished(run_settings)
    distinct = list({_key(each): each for each in reversed(run_settings)}.values())[::-1]
    spread = [distinct[number] for number in sorted({0, len(distinct) // 2, len(distinct) - 1})]
    return [Estimate(**each) for each in spread if _cost_of(each, before) is None and not _failed(each)]


def _finished(run_settings: Sequence[Json]) -> list[tuple[RunFolder, dict[str, JsonValue]]]:
    """Finished runs (not stopped) that may match one of these, newest first, with their settings.

    A run is never told for one that has another corpus, encoder or recipe.
    """
    alike = [{name: each[name] for name in ("corpus", "encoder", "recipe") if name in each} for each in run_settings]
    finished = []
    for settings in {_key(each): each for each in alike}.values():
        for run in find_jobs("train", standing=State.FINISHED, **settings):
            result = read_result(run)
            if result is not None and not result.stopped and stages_of(run):
                finished.append((run, stored_request(run).settings))
    return finished


def _cost_of(run_settings: dict, before: Sequence[tuple[RunFolder, dict]]) -> CostEstimate | None:
    """From the newest finished run that differs only in seed, otherwise from a timing."""
    for run, settings in before:
        if _key(settings) == _key(run_settings):
            seconds = sum(stage.seconds for stage in stages_of(run) if stage.seconds is not None)
            return CostEstimate(run, seconds, read_state(run).peak_bytes, bytes_of(run))
    return timed(run_settings)


def _failed(run_settings: dict) -> bool:
    """Whether its timing ended without a figure, so that its run would be a gap in the study."""
    job = timing_of(run_settings)
    return job is not None and read_state(job).state in (State.FAILED, State.INTERRUPTED)


def _key(run_settings: dict) -> str:
    """A key shared by settings that differ only in seed."""
    return json.dumps(decisive(run_settings, but=("seed",)), sort_keys=True)


def _installed(versions: dict[str, str]) -> bool:
    """Whether the installed packages are those of a run."""
    here = {"python": platform.python_version()}
    try:
        return all(here.get(name) == required or version(name) == required for name, required in versions.items())
    except PackageNotFoundError:
        return False


def expected_line(expected: StudyExpectation) -> str:
    """``About 12 min for 12 runs, up to 1.2 GB of memory, 90 MB on the disk: …``"""
    left = expected.runs - expected.there
    if not left:
        return "All its runs already exist: nothing is trained again."
    runs = f"{counted(left, 'run')}" + (f" ({count(expected.there)} more exist)" * bool(expected.there))
    memory = f", up to {in_bytes(expected.peak_bytes)} of memory" if expected.peak_bytes else ""
    line = f"About {duration(expected.seconds)} for {runs}{memory}, {in_bytes(expected.disk_bytes)} on the disk"
    if expected.known == expected.settings:
        return f"{line}, estimated from runs or timings of each setting on this computer."
    timed = f"{count(expected.known)} of {count(expected.settings)} settings"
    return f"{line}, estimated from {timed} timed on this computer."
