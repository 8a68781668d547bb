"""The app's side of a run handed over by a shared place: put there before it is submitted, fetched back as it grows."""

import json
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from embedlab.errors import RunError
from embedlab.runs.elsewhere.job import read_job
from embedlab.runs.elsewhere.run_copy import (
    RunCopy,
    is_checkpoint,
    is_control,
    is_half_written,
    is_holder,
    is_of_the_worker,
    is_state,
    job_of,
    newest_holders,
)
from embedlab.runs.elsewhere.shared_place import SharedPlace
from embedlab.runs.folder import RunFolder
from embedlab.store_root import make_folder, store_root, whole_file, whole_folder


def hand_over(run: RunFolder, url: str, needs: tuple[str, ...]) -> None:
    """Put the run there, and what it needs of the store: folders and files, by their names in it.

    Raises
    ------
    RunError
        the place cannot be opened or written, or does not tell when a file was written.
    """
    copy = RunCopy(run, url)
    there, names = copy.there(), copy.names_here()
    for need in needs:
        _put_need(copy.place, need)
    for name in [*filter(is_control, there), *(set(copy.known) - set(names))]:
        copy.drop(name)  # what an earlier worker was told or made
    for name in names:
        if name not in there:
            copy.known.pop(name, None)
        if is_holder(name):
            if name not in there:
                _put_as_gone(copy, name)
        elif not is_control(name) and not job_of(name):
            copy.put(name)
    copy.age("settings.json")
    copy.keep()


def hand_files(run: RunFolder, *files: Path) -> None:
    """Put what was changed here since: with whom it is, or that it is over."""
    job = read_job(run)
    if job is not None and job.shared is not None:
        copy = RunCopy(run, job.shared)
        for file in files:
            copy.put(file.relative_to(run.path).as_posix())
        copy.keep()


def fetch_back(run: RunFolder, *, patience: float = 0) -> None:
    """Get what the run's worker wrote since, and put what it is told; nothing where another process is just at it.

    The state is read before all else and written after it, so that a finished run is here whole; who holds it is read
    before the state, so that nobody seems to have left a run at work. Checkpoints come once it is over.
    """
    job = read_job(run)
    if job is None or job.shared is None:
        return
    lock = FileLock(store_root() / "locks" / f"fetch-{run.id}.lock")
    make_folder(Path(lock.lock_file).parent)
    try:
        with lock.acquire(timeout=patience):
            _fetch(RunCopy(run, job.shared))
    except (Timeout, FileNotFoundError):
        return  # a file went while we looked: the next look finds what is there then


def forget(run: RunFolder) -> None:
    """Remove the copy of a run that is deleted here; where the place does not answer, it stays."""
    job = read_job(run)
    if job is not None and job.shared is not None:
        with suppress(RunError):
            SharedPlace(job.shared).remove(f"runs/{run.id}")


def _fetch(copy: RunCopy) -> None:
    names = [name for name in copy.there() if is_of_the_worker(name)]
    holders = {name: (copy.read(name), copy.age(name)) for name in newest_holders(names)}
    states = {name: copy.read(name) for name in names if is_state(name)}
    there = copy.there()
    theirs = {name: info for name, info in there.items() if is_of_the_worker(name)}
    if not theirs:
        return
    for job in {job_of(name) for name in states}:
        if job and not copy.here(job).exists():
            _get_whole(copy, job, list(theirs))
    for name, info in theirs.items():
        if not (is_state(name) or is_holder(name) or is_checkpoint(name)) and copy.here(job_of(name)).exists():
            copy.get(name, info)
    for name, text in [*states.items(), *((name, text) for name, (text, _) in holders.items())]:
        _write(copy, name, text)
    for name, (_, age) in holders.items():
        if copy.here(name).exists():
            copy.note_age(name, age, time.time())
    if _is_over(copy.run):
        for name in filter(is_checkpoint, theirs):
            copy.get(name, theirs[name])
    for name in copy.names_here():
        if is_control(name) and name not in there:
            copy.place.put(copy.here(name), f"{copy.root}/{name}")
    gone = set(copy.known) - there.keys() - set(names)  # in neither listing
    for name in filter(is_of_the_worker, gone):
        copy.here(name).unlink(missing_ok=True)
        del copy.known[name]
    copy.keep()


def _get_whole(copy: RunCopy, job: str, names: list[str]) -> None:
    """A job that is new here, all at once: a folder without its settings would be a damaged one."""
    with suppress(FileNotFoundError), whole_folder(copy.here(job)) as beside:
        for name in names:
            if job_of(name) == job:
                copy.place.get(f"{copy.root}/{name}", beside / name.removeprefix(f"{job}/"))


def _put_need(place: SharedPlace, need: str) -> None:
    """What is derived of a corpus is made anew there: vectors, and columns as Arrow files."""
    top, there = store_root() / need, place.files(need)
    for file in [top] if top.is_file() else [path for path in sorted(top.rglob("*")) if path.is_file()]:
        name, inner = file.relative_to(store_root()).as_posix(), file.relative_to(top).parts
        if is_half_written(name) or file.suffix == ".arrow" or "vectors" in inner[:1]:
            continue
        is_there = name in there and there[name].get("size") == file.stat().st_size
        if not is_there or file.suffix == ".json":
            place.put(file, name)


def _put_as_gone(copy: RunCopy, name: str) -> None:
    """An earlier worker on this side: a file put now would look like a sign of life."""
    with suppress(FileNotFoundError, ValueError):
        holder = json.loads(copy.here(name).read_text(encoding="utf-8"))
        copy.place.write(f"{copy.root}/{name}", json.dumps(holder | {"ended": True}).encode())


def _write(copy: RunCopy, name: str, text: bytes) -> None:
    path = copy.here(name)
    if not copy.here(job_of(name)).exists() or (path.exists() and path.read_bytes() == text):
        return
    with whole_file(path) as beside:
        beside.write_bytes(text)


def _is_over(run: RunFolder) -> bool:
    from embedlab.runs.state import read_state

    return read_state(run).is_over
