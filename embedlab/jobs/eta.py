"""How long a run still takes until its verdict and until its maps, from what this machine took before."""

import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from embedlab.corpora.base import open_corpus
from embedlab.errors import EmbedlabError
from embedlab.jobs.progress import FOLDS, TUNING, Position, Stage, kind_of, read_progress, stages_of
from embedlab.numbers import count
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs, newest_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, stored_request

LEAST_LEFT = 0.1  # of a stage that takes longer than it should: so much of it may still be left
_TEXTS = 10_000  # to which the seconds below belong; tests/benchmarks/README.md, the demo
_EMBEDDING = "Embedding N texts, "
QUEUED = "Queued: waiting"  # how a stage begins in which a run waits for its device
_WAITING = (QUEUED, "Waiting for ")  # another process, and nobody knows how long
_TRAIN = (
    Stage("Opening the corpus", 1),
    Stage("Training a vocabulary on N texts", 2),
    Stage("Counting the words of N texts", 4),
    Stage("Looking for usable texts", 4),
    Stage("Measuring TF-IDF and SVD, the reference lines", 2),
    Stage(f"{_EMBEDDING}untouched", 4),
    Stage(TUNING, 16),
    Stage(f"{_EMBEDDING}fine-tuned", 3),
    Stage(FOLDS, 15),
)
_ALIKE = {  # settings by which another run took about as long for each text
    "train": ("encoder", "recipe", "epochs", "max_steps", "batch_size", "training_length", "schedule"),
    "map": ("method",),
}
# the runs that the table is of
_AS_MEASURED = {"encoder": "words", "recipe": "sentences", "schedule": "fitted", "max_steps": None}
_MAPS_SECONDS = 20  # from the last embedding on, as its embeddings are drawn
_MAPS_START = 5  # of these, before the first text is placed: the process and its imports, however few the texts are
_OF_UNKNOWN = 0.1  # of the bar, for the stages of a run before anything tells how long it takes
_BARS = 256  # works whose bar is remembered
_farthest: OrderedDict[tuple, float] = OrderedDict()  # a work since it last began -> how far its bar has come


@dataclass(frozen=True)
class Eta:
    """The state of the work; seconds are None if unknown."""

    stage: str
    done: int
    total: int
    gone: float  # since the worker began, without what it waited
    verdict: float | None  # until the verdict is there, by ten folds, which are a run's last work; None of other jobs
    left: float | None  # until the worker ends
    maps: float | None  # until the maps are there; None of a run without maps, too
    share: float  # of the whole work, from 0 to 1: the bar; it never falls

    @property
    def line(self) -> str:
        """``Fine-tuning, step 43 of 94``: the stage and what is counted in it.

        It has no percentage, because the bar next to it shows the share of the whole work.
        """
        if self.stage == TUNING and self.total:
            return f"{self.stage}, step {count(self.done)} of {count(self.total)}"
        if self.total and count(self.total) in self.stage:
            return f"{self.stage}, {count(self.done)} of {count(self.total)}"
        return self.stage


def eta_of(folder: RunFolder, now: float | None = None) -> Eta | None:
    """For a run or job at work; None until its worker has reported something."""
    position = read_progress(folder)
    if position is None:
        return None
    now = time.time() if now is None else now
    gone_by = [stage for stage in stages_of(folder, now) if not stage.kind.startswith(_WAITING)]
    gone = _sum(gone_by)
    until_folds, left = _left(gone_by, _expected(folder, _texts_of(folder)), position, now)
    request = stored_request(folder)
    maps = None
    if request.task == "train" and request.settings.get("maps", True) and until_folds is not None:
        maps = until_folds + _maps_left(folder, now)  # drawn beside the folds
    until_verdict = left if request.task == "train" else None
    if left is not None:
        share = gone / max(gone + left, 1e-9)
    elif kind_of(position.stage).startswith(_WAITING) or not gone_by:
        share = 0.0
    else:  # the total is unknown: each stage fills half of what is left of the bar
        of_stage = min(position.done / position.total, 1.0) if position.total else 0.0
        share = (1 - 0.5 ** (len(gone_by) - 1 + of_stage)) * (_OF_UNKNOWN if request.task == "train" else 1.0)
    work = folder.path, read_state(folder).started  # its bar never goes back, except when a run is resumed
    _farthest[work] = share = max(_farthest.pop(work, 0.0), min(share, 1.0))
    if len(_farthest) > _BARS:
        _farthest.popitem(last=False)
    return Eta(position.stage, position.done, position.total, gone, until_verdict, left, maps, share)


def _sum(stages: Iterable[Stage]) -> float:
    """The total in seconds; unknown ones count as zero."""
    return sum((stage.seconds or 0.0 for stage in stages), 0.0)


def _left(
    gone_by: list[Stage], expected: tuple[Stage, ...] | None, position: Position, now: float
) -> tuple[float | None, float | None]:
    """Seconds until the ten folds begin and until the end."""
    own_pace = None if position.seconds_left is None else max(position.seconds_left - (now - position.at), 0.0)
    if expected is None:
        return None, own_pace
    plan = {stage.kind: stage.seconds for stage in expected}
    kinds, seen = list(plan), [stage.kind for stage in gone_by]
    if f"{_EMBEDDING}fine-tuned" in plan and TUNING in seen and f"{_EMBEDDING}untouched" in seen:  # the same work again
        plan[f"{_EMBEDDING}fine-tuned"] = _sum(stage for stage in gone_by if stage.kind == f"{_EMBEDDING}untouched")
    reached = max((kinds.index(kind) for kind in seen if kind in plan), default=None)
    if kind_of(position.stage).startswith(_WAITING):
        now_left, later = None, []
    elif reached is None:
        now_left, later = own_pace or 0.0, kinds
    else:
        kind, later = kinds[reached], kinds[reached + 1 :]
        planned, now_left = plan[kind], own_pace if kind == kind_of(position.stage) else None
        if now_left is None and planned is not None:
            now_left = max(planned - _sum(gone_by[seen.index(kind) :]), LEAST_LEFT * planned)
    ahead = [seconds for kind in later if (seconds := plan[kind]) is not None]
    if now_left is None or len(ahead) < len(later):
        return None, None
    folds = later.index(FOLDS) if FOLDS in later else len(later)
    return (0.0 if FOLDS in seen else now_left + sum(ahead[:folds])), now_left + sum(ahead)


def _maps_left(run: RunFolder, now: float) -> float:
    """Seconds for the maps after the last embedding."""
    job = newest_job("map", run=run.id)
    planned = _MAPS_START + (_MAPS_SECONDS - _MAPS_START) * _texts_of(run) / _TEXTS
    if job is None:
        return planned
    if read_state(job).is_over:
        return 0.0
    eta = eta_of(job, now)
    if eta is None or eta.left is None:
        return max(planned - (0 if eta is None else eta.gone), LEAST_LEFT * planned)
    return eta.left


@lru_cache(maxsize=64)
def _expected(folder: RunFolder, texts: int) -> tuple[Stage, ...] | None:
    """What the newest finished work of this kind took here, scaled by the number of texts, otherwise the default.

    ``texts`` is an argument because the first look at a run may come before its corpus is collected.
    """
    request = stored_request(folder)
    task, settings = request.task, request.settings
    named = {name: settings.get(name) for name in _ALIKE.get(task, ())}
    present = {name: value for name, value in named.items() if value is not None}
    alike = (
        other
        for other in find_jobs(task, standing=State.FINISHED, **present)
        if other.id != folder.id and all(stored_request(other).settings.get(name) == named[name] for name in named)
    )
    earlier = next(alike, None)
    if earlier is not None and (stages := stages_of(earlier)):
        scale = texts / _texts_of(earlier)
        summed: dict[str, float] = {}
        for stage in stages:
            if stage.kind.startswith(_WAITING):
                continue
            summed[stage.kind] = summed.get(stage.kind, 0.0) + (stage.seconds or 0.0) * scale
        return tuple(Stage(kind, seconds) for kind, seconds in summed.items())
    if task != "train":
        return None
    scale = texts / _TEXTS
    is_known = all(settings.get(name) == value for name, value in _AS_MEASURED.items())
    return tuple(
        Stage(stage.kind, None if stage.kind == TUNING and not is_known else (stage.seconds or 0.0) * scale)
        for stage in _TRAIN
    )


def _texts_of(folder: RunFolder) -> int:
    """The number of texts of its corpus, or of its run's corpus; that of the default table if unknown."""
    settings = stored_request(folder).settings
    try:
        whose = folder if "run" not in settings else RunFolder(folder.path.parent.parent / "runs" / settings["run"])
        return open_corpus(fingerprint_of(whose)).info.texts
    except (EmbedlabError, OSError, KeyError):
        return _TEXTS
