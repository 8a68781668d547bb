"""What lies in the store, by kind and size; what can be made again may be pruned, and old jobs go by themselves.

Counted and pruned are only files that embedlab wrote (``own_files``), in rooms that it made: whatever else lies there,
or in a folder that was there before the store, stays.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from embedlab.errors import RunError, SettingsError, StoreError
from embedlab.jobs.campaigns import ROOMS
from embedlab.jobs.in_use import all_work
from embedlab.jobs.runner import STARTING
from embedlab.own_files import files_in, remove_files, size_of_files, written_in
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work, jobs_over, newest_job
from embedlab.runs.job_files import are_all_own
from embedlab.runs.lease import has_worker
from embedlab.runs.state import State, read_state
from embedlab.runs.store import is_run_id, made_at, names_in, remove_job, settings_of, task_of
from embedlab.scratch import is_daily_sweep_due, is_leftover, sweep
from embedlab.store_root import ROOMS as STORE_ROOMS
from embedlab.store_root import STORE_MARK, alone, is_own_room, mark_room, store_root
from embedlab.trash import empty_trash


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
    "trash": Kind("Deleted less than a day ago"),
    "other": Kind("Everything else of embedlab's"),
    "foreign": Kind("In folders that embedlab did not make, which it never prunes"),
}
PRUNABLE = tuple(key for key, kind in KINDS.items() if kind.after)
_ROOMS = {"runs": "runs", "corpora": "corpora", "encoders": "encoders", "finds": "finds", "studies": "finds",
          "jobs": "jobs", "maps": "maps", "trash": "trash"}  # fmt: skip
_IN_A_RUN = {"checkpoints": "checkpoints", "embeddings": "embeddings", "neighbors": "vectors", "maps": "maps"}
_WRITTEN = {"checkpoints": "checkpoints", "neighbors": "neighbors", "maps": "run maps"}  # by folder in a run
KEPT = 500  # the newest jobs that are over
KEPT_SECONDS = 30 * 24 * 3600


@dataclass
class Part:
    """What there is of one kind, in bytes; ``prunable`` is how many of them pruning would free."""

    kind: str
    size: int = 0
    prunable: int = 0
    items: list["PrunableFiles"] = field(default_factory=list)  # what pruning takes away


@dataclass(frozen=True)
class PrunableFiles:
    """Files of one folder that can be pruned together."""

    folder: Path
    files: tuple[str, ...]  # relative to it, in the order in which they go

    @property
    def size(self) -> int:
        """Bytes of the files that are there."""
        return size_of_files(self.folder, self.files)


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
        part.items = [item for item in _items(kind) if not busy.holds(item.folder)]
        part.prunable = sum(item.size for item in part.items) if kind != "leftovers" else part.size
    return parts


def adopt_room(room: str) -> None:
    """Mark a room of a store that an earlier version made. Raise StoreError if there is no such room."""
    if room not in STORE_ROOMS or not (store_root() / room).is_dir():
        choices = ", ".join(sorted(STORE_ROOMS))
        raise StoreError("E-ROOM", f"{room!r} does not name a store folder. Choose from: {choices}.")
    mark_room(room)


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
                if not busy.holds(item.folder):
                    freed[kind] += _remove(kind, item)
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
    """Return the kind of a file, given by its path in the store."""
    if path == (STORE_MARK,):
        return "other"
    if path[0] not in STORE_ROOMS or not is_own_room(path[0]):
        return "foreign"
    if is_leftover(path):
        return "leftovers"
    if path[0] == "runs" and len(path) > 3:
        return _IN_A_RUN.get(path[2], "runs")
    if path[0] == "corpora" and len(path) > 3 and path[2] == "vectors":
        return "vectors"
    return _ROOMS.get(path[0], "other")


def _items(kind: str) -> Iterator[PrunableFiles]:
    """Yield what may be taken away of one kind, whether something uses it or not."""
    yield from (item for item in _items_in_rooms(kind) if item.files)


def _items_in_rooms(kind: str) -> Iterator[PrunableFiles]:
    root = store_root()
    if kind == "jobs" and is_own_room("jobs"):
        for job in jobs_over():
            if not is_last_of_a_campaign(job) and are_all_own(job):
                yield PrunableFiles(job.path, tuple(files_in(job.path)))
    if is_own_room("runs"):
        yield from _items_in_runs(kind, root / "runs")
    if kind == "vectors" and is_own_room("corpora"):
        for name in names_in(root / "corpora"):
            vectors = root / "corpora" / name / "vectors"
            yield PrunableFiles(vectors, tuple(written_in(vectors, "vectors")))
    if kind == "maps" and is_own_room("maps"):
        yield PrunableFiles(root / "maps", tuple(written_in(root / "maps", "shared maps")))


def _items_in_runs(kind: str, room: Path) -> Iterator[PrunableFiles]:
    folders = [name for name, of in _IN_A_RUN.items() if of == kind and name in _WRITTEN]
    for name in filter(is_run_id, names_in(room)) if folders else ():
        run = RunFolder(room / name)
        facts = read_state(run)
        if not facts.is_over or (kind == "maps" and task_of(run) != "train"):
            continue
        if kind == "checkpoints" and facts.state is not State.FINISHED:  # it can be resumed
            continue
        for folder in folders:
            yield PrunableFiles(run.path / folder, tuple(written_in(run.path / folder, _WRITTEN[folder])))


def _run_of(item: Path) -> RunFolder | None:
    """The run or job that an item lies in or is."""
    parts = item.relative_to(store_root()).parts
    return RunFolder(store_root() / parts[0] / parts[1]) if parts[0] in ("runs", "jobs") else None


def _remove(kind: str, item: PrunableFiles) -> int:
    """Remove the files of an item and return their bytes.

    Nothing is removed where a worker has begun on its run meanwhile, or where another process was first.
    """
    run = _run_of(item.folder)
    size = item.size
    if kind == "jobs":
        assert run is not None, "a job is its folder"
        with suppress(RunError, OSError):
            remove_job(run)
            return size
        return 0
    if run is not None and has_worker(run):
        return 0
    try:
        with nullcontext() if run is None else FileLock(run.lock, timeout=0):
            return remove_files(item.folder, item.files)
    except (Timeout, FileNotFoundError):
        return 0


def prune_jobs() -> None:
    """Delete jobs that are over and older than 30 days, or beyond the newest 500; runs are never touched. Once a day
    also what was deleted more than a day ago, and what killed processes left.
    """
    oldest = time.time() - KEPT_SECONDS
    if is_own_room("jobs"):
        for number, job in enumerate(jobs_over()):
            is_old = number >= KEPT or made_at(job) < oldest
            if is_old and not is_last_of_a_campaign(job) and are_all_own(job):
                with suppress(RunError, OSError):  # another process deletes it, or goes on with it
                    remove_job(job)
    if is_daily_sweep_due():
        with suppress(OSError):
            empty_trash()
            sweep()


def is_last_of_a_campaign(job: RunFolder) -> bool:
    """Whether it is the newest job of a study or of a Find that is there."""
    task = task_of(job)
    if task not in ROOMS:
        return False
    campaign = settings_of(job).get(task)
    return (store_root() / ROOMS[task] / str(campaign)).is_dir() and newest_job(task, **{task: campaign}) == job
