"""What a study will take: of each setting an earlier run like it tells, else the timing of a few of its steps."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from embedlab.jobs.cost_estimate import CostEstimate, beyond_this_machine, of_timing, timing_of
from embedlab.jobs.stages import stages_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import bytes_of, decisive, read_settings
from embedlab.studies.plan import StudySettings, cells, settings_of
from embedlab.training.settings import Estimate

_ALIKE = ("corpus", "encoder", "recipe")  # a run is never told for one that has another of these


@dataclass(frozen=True)
class StudyExpectation:
    """Runs one after another: ``seconds`` of those that are still to be made, memory of the largest, disk of all.

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
        """A sentence where this machine has not the memory or the disk for it."""
        return beyond_this_machine("study", self.peak_bytes, self.disk_bytes, "fewer values or a smaller encoder")


def expected_study(asked: StudySettings) -> StudyExpectation | None:
    """None where nothing is known of any of its settings."""
    before = _finished(_told(asked))
    told, left = {}, {}  # by setting: what one of its runs is told, and how many are still to be made
    for each in _told(asked):
        key = _key(each)
        told.setdefault(key, each)
        left[key] = left.get(key, 0) + (not any(_is_same(run, settings, each) for run, settings in before))
    found = [_of(each, before) for each in told.values()]
    known = [place for place, each in enumerate(found) if each is not None]
    if not known:
        return None
    nearest = [found[min(known, key=lambda other, at=place: abs(other - at))] for place in range(len(found))]
    made = [(each, runs) for each, runs in zip(nearest, left.values(), strict=True) if runs]
    planned = len(cells(asked))
    return StudyExpectation(
        runs=planned,
        there=planned - sum(left.values()),
        seconds=sum(runs * each.seconds for each, runs in made),
        peak_bytes=max((each.peak_bytes for each, _ in made if each.peak_bytes), default=None),
        disk_bytes=sum(runs * each.disk_bytes for each, runs in made),
        settings=len(found),
        known=len(known),
    )


def to_time(asked: StudySettings) -> list[Estimate]:
    """Settings of runs whose timing would tell the most: the first, the last and the middle one, if nothing is known.

    A second phase is timed as if it began from the encoder of the first.
    """
    told = _told(asked)
    before, settings = _finished(told), list({_key(each): each for each in reversed(told)}.values())[::-1]
    spread = [settings[place] for place in sorted({0, len(settings) // 2, len(settings) - 1})]
    return [Estimate(**told) for told in spread if _of(told, before) is None and not _failed(told)]


def _told(asked: StudySettings) -> list[dict]:
    return [settings_of(asked, cell).stored for cell in cells(asked)]


def _finished(told: Sequence[dict]) -> list[tuple[RunFolder, dict]]:
    """The finished runs that were not stopped and may be like one of these, newest first, with what they were told."""
    alike = [{name: each[name] for name in _ALIKE if name in each} for each in told]
    found = []
    for settings in {_key(each): each for each in alike}.values():
        for run in find_jobs("train", standing=State.FINISHED, **settings):
            result = read_result(run)
            if result is not None and not result.stopped and stages_of(run):
                found.append((run, read_settings(run)["settings"]))
    return found


def _of(told: dict, before: Sequence[tuple[RunFolder, dict]]) -> CostEstimate | None:
    """By the newest finished run but for its seed, else by a timing."""
    for run, settings in before:
        if _key(settings) == _key(told):
            seconds = sum(stage.seconds for stage in stages_of(run))
            return CostEstimate(run, seconds, read_state(run).peak_bytes, bytes_of(run))
    job = timing_of(told)
    return None if job is None or read_state(job).state is not State.FINISHED else of_timing(job)


def _failed(told: dict) -> bool:
    """Whether its timing ended without a figure: its run would be a gap of the study."""
    job = timing_of(told)
    return job is not None and read_state(job).state in (State.FAILED, State.INTERRUPTED)


def _is_same(run: RunFolder, settings: dict, told: dict) -> bool:
    """Whether a study would take this run for one told so, and not make it again."""
    return decisive(settings) == decisive(told) and _installed(read_state(run).versions or {})


def _key(told: dict) -> str:
    """The same for runs that differ in their seed alone."""
    return json.dumps(decisive(told, but=("seed",)), sort_keys=True)


def _installed(versions: dict[str, str]) -> bool:
    """Whether the packages here are those of a run."""
    here = {"python": platform.python_version()}
    try:
        return all(here.get(name) == wanted or version(name) == wanted for name, wanted in versions.items())
    except PackageNotFoundError:
        return False
