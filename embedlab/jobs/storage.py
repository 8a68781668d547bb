"""What lies in the store, by kind and size; what can be made again may be pruned, and old jobs go by themselves."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from embedlab.errors import RunError, SettingsError
from embedlab.jobs.campaigns import ROOMS
from embedlab.jobs.in_use import all_work
from embedlab.jobs.runner import STARTING
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work, jobs_over, newest_job
from embedlab.runs.lease import has_worker
from embedlab.runs.state import State, read_state
from embedlab.runs.store import delete_run, is_run_id, made_at, names_in, settings_of, task_of
from embedlab.scratch import discard, is_leftover, size_of, sweep, sweep_daily
from embedlab.store_root import alone, store_root


@dataclass(frozen=True)
class Kind:
    """One kind of content; ``after`` says what becomes of what is pruned, and is empty where nothing is."""

    title: str
    after: str = ""


KINDS = {
    "runs": Kind("Runs: settings, curves, encoders, results"),
    "checkpoints": Kind(
        "Checkpoints",
        "Checkpoints of finished runs are lost, which nothing needs any more; a run that can be resumed keeps its own.",
    ),
    "embeddings": Kind("Embeddings"),
    "vectors": Kind(
        "Vectors of untouched encoders, neighbors",
        "Vectors of untouched encoders and neighbors are computed again when they are needed.",
    ),
    "maps": Kind("Maps", "Maps are drawn again when you ask for them; imported coordinates stay."),
    "corpora": Kind("Corpora"),
    "encoders": Kind("Encoders"),
    "finds": Kind("Finds and studies"),
    "jobs": Kind("Jobs", "Jobs that are over are lost, with their logs; what they measured stays in their runs."),
    "leftovers": Kind("Leftovers", "What killed workers left half written is lost."),
    "other": Kind("Everything else"),
}
PRUNABLE = tuple(key for key, kind in KINDS.items() if kind.after)
_ROOMS = {"runs": "runs", "corpora": "corpora", "encoders": "encoders", "finds": "finds", "studies": "finds",
          "jobs": "jobs", "maps": "maps", "trash": "leftovers"}  # fmt: skip
_IN_A_RUN = {"checkpoints": "checkpoints", "embeddings": "embeddings", "neighbors": "vectors", "maps": "maps"}
KEPT = 500  # the newest jobs that are over
KEPT_SECONDS = 30 * 24 * 3600


@dataclass
class Part:
    """What there is of one kind, in bytes; ``prunable`` is how many of them pruning would free."""

    kind: str
    size: int = 0
    prunable: int = 0
    items: list[Path] = field(default_factory=list)  # what pruning takes away, whole


def storage() -> dict[str, Part]:
    """Every kind with its size. Looks at every file: a second or so for thousands of runs."""
    root, parts = store_root(), {key: Part(key) for key in KINDS}
    for folder, _, files in os.walk(root):
        path = Path(folder).relative_to(root).parts
        for name in files:
            with suppress(OSError):  # gone meanwhile
                parts[_kind_of((*path, name))].size += os.lstat(os.path.join(folder, name)).st_size
    busy = _busy()
    for kind in PRUNABLE:
        part = parts[kind]
        part.items = [item for item in _items(kind) if not busy.holds(item)]
        part.prunable = sum(map(size_of, part.items)) if kind != "leftovers" else part.size
    return parts


def require_prunable(kinds: Iterable[str]) -> None:
    """Refuse a kind that cannot be made again, or that there is not."""
    if unknown := [kind for kind in kinds if kind not in PRUNABLE]:
        raise SettingsError("E-STORAGE-KIND", f"{unknown[0]!r} cannot be pruned. Choose from: {', '.join(PRUNABLE)}.")


def prune(kinds: Sequence[str] = PRUNABLE) -> dict[str, int]:
    """Take away what can be made again and nothing uses; how many bytes that freed, by kind."""
    require_prunable(kinds)
    freed = dict.fromkeys(kinds, 0)
    with alone(STARTING):  # no job starts meanwhile
        busy = _busy()
        for kind in kinds:
            if kind == "leftovers":
                freed[kind] = sweep()
                continue
            for item in list(_items(kind)):
                size = 0 if busy.holds(item) else size_of(item)
                if size and _taken_away(kind, item):
                    freed[kind] += size
    return freed


@dataclass(frozen=True)
class _Busy:
    """What is at work, by the ids of runs and corpora that its settings name."""

    runs: frozenset[str]
    settings: str
    anything: bool

    def holds(self, item: Path) -> bool:
        """Whether something at work may read this: a run that is named or works itself, and caches of all corpora."""
        run = _run_of(item)
        if run is None:
            return self.anything
        return run.id in self.runs or run.id in self.settings


def _busy() -> _Busy:
    working = [folder for folder in at_work() if task_of(folder) != "ask"]  # which lasts while somebody sees pages
    works = all_work()
    named = "\n".join([work.text for work in works] + [json.dumps(settings_of(folder)) for folder in working])
    return _Busy(frozenset(folder.id for folder in working), named, bool(working or works))


def _kind_of(path: tuple[str, ...]) -> str:
    """Of a file, by its path in the store."""
    if any(is_leftover(name) for name in path):
        return "leftovers"
    if path[0] == "runs" and len(path) > 3:
        return _IN_A_RUN.get(path[2], "runs")
    if path[0] == "corpora" and len(path) > 3 and path[2] == "vectors":
        return "vectors"
    return _ROOMS.get(path[0], "other")


def _items(kind: str) -> Iterator[Path]:
    """What may be taken away of one kind, whether something uses it or not."""
    root = store_root()
    if kind == "jobs":
        yield from (job.path for job in jobs_over() if not is_last_of_a_campaign(job))
        return
    folders = [name for name, of in _IN_A_RUN.items() if of == kind]
    for name in filter(is_run_id, names_in(root / "runs")):
        run = RunFolder(root / "runs" / name)
        there = [run.path / each for each in folders if (run.path / each).is_dir()]
        if there and (facts := read_state(run)).is_over:
            is_resumable = facts.state is not State.FINISHED
            if not (kind == "checkpoints" and is_resumable) and not (kind == "maps" and task_of(run) != "train"):
                yield from there
    if kind == "vectors":
        corpora = (root / "corpora" / name / "vectors" for name in names_in(root / "corpora"))
        yield from (path for path in corpora if path.is_dir())
    if kind == "maps":
        yield from (root / "maps" / name for name in names_in(root / "maps"))


def _run_of(item: Path) -> RunFolder | None:
    """The run or job that an item lies in or is."""
    parts = item.relative_to(store_root()).parts
    return RunFolder(store_root() / parts[0] / parts[1]) if parts[0] in ("runs", "jobs") else None


def _taken_away(kind: str, item: Path) -> bool:
    """Whether it could be: not where a worker has begun on its run meanwhile, or where another process was first."""
    run = _run_of(item)
    if kind == "jobs":
        assert run is not None, "a job is its folder"
        with suppress(RunError, OSError):
            delete_run(run)
            return True
        return False
    try:
        if run is None:
            discard(item)
            return True
        if has_worker(run):
            return False
        with FileLock(run.lock, timeout=0):
            discard(item)
            return True
    except (Timeout, FileNotFoundError):
        return False


def prune_jobs() -> None:
    """Delete jobs that are over and older than 30 days, or beyond the newest 500; runs are never touched. Once a day
    also what killed processes left.
    """
    oldest = time.time() - KEPT_SECONDS
    for number, job in enumerate(jobs_over()):
        if (number >= KEPT or made_at(job) < oldest) and not is_last_of_a_campaign(job):
            with suppress(RunError, OSError):  # another process deletes it, or goes on with it
                delete_run(job)
    sweep_daily()


def is_last_of_a_campaign(job: RunFolder) -> bool:
    """Whether it is the newest job of a study or of a Find that is there."""
    task = task_of(job)
    if task not in ROOMS:
        return False
    campaign = settings_of(job).get(task)
    return (store_root() / ROOMS[task] / str(campaign)).is_dir() and newest_job(task, **{task: campaign}) == job
