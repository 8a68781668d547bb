"""One job at a time uses a device: its lock, the order of the queue, and which jobs give way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from embedlab.config import Request
from embedlab.device import choose_device, known_device
from embedlab.errors import EmbedlabError
from embedlab.jobs import tickets
from embedlab.jobs.eta import QUEUED, eta_of
from embedlab.jobs.requests.working import RunFind
from embedlab.jobs.runner import request_stop
from embedlab.jobs.worker_process import is_elsewhere
from embedlab.numbers import duration
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import at_work, unsettled
from embedlab.runs.lease import is_held, read_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import stored_request
from embedlab.store_root import make_folder, store_root
from embedlab.tasks import TASKS, Task
from embedlab.training.titles import run_title

QUEUE_POLL_SECONDS = 0.3
_ASK_EVERY_SECONDS = 1.0  # those that give way, to end
_LOOK_EVERY_SECONDS = 2.0  # who works on the device, and how long it still takes


@contextmanager
def device_held(folder: RunFolder, task: Task, request: Request, progress: Progress) -> Iterator[str]:
    """Wait for the device's lock in the order of the queue, and hold it."""
    if not task.needs_device:
        yield "cpu"
        return
    device = device_of(request)
    if is_elsewhere():  # the executor gave this device to this run alone
        progress("Preparing")
        yield device
        return
    lock = FileLock(store_root() / "locks" / f"{device.replace(':', '-')}.lock")
    make_folder(Path(lock.lock_file).parent)
    line, ahead, updated, asked = "", 0, float("-inf"), float("-inf")
    while True:
        if not task.gives_way and time.monotonic() - asked >= _ASK_EVERY_SECONDS:
            ask_to_give_way(device)
            asked = time.monotonic()
        is_due = time.monotonic() - updated >= _LOOK_EVERY_SECONDS
        if is_due or not is_held(Path(lock.lock_file)):  # a look at hundreds that wait takes longer than one at a lock
            ahead = queued_before(folder, device, gives_way=task.gives_way)
        if not ahead:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                pass
        if is_due:
            line, updated = queued_line(device, ahead), time.monotonic()
        progress(line)
        time.sleep(QUEUE_POLL_SECONDS)
    tickets.leave()
    try:
        progress("Preparing")
        yield device
    finally:
        lock.release()


def queued_line(device: str, ahead: int) -> str:
    """``Queued: waiting for “demo” (about 6 min), 2 more before this one``; ``ahead``: older runs waiting, too."""
    titles = filter(None, (_works_on(each, device) for each in at_work()))
    line = next((f"{QUEUED} for {title}" for title in titles), QUEUED)
    return f"{line}, {ahead:,} more before this one" if ahead else line


def _works_on(folder: RunFolder, device: str) -> str | None:
    """``“demo” (about 6 min)`` for a run at work on this device, otherwise None. Also None for an unreadable folder: a
    waiting job only reports it and must not fail because of it.
    """
    facts = read_state(folder)
    if facts.state is not State.RUNNING or facts.device != device:
        return None
    try:
        task = stored_request(folder).task
        if task not in TASKS or not (TASKS[task].needs_device or task == RunFind.task):  # a Find holds it by itself
            return None
        eta = eta_of(folder)
    except (EmbedlabError, OSError):
        return None
    title = run_title(folder) if task == "train" else TASKS[task].title
    return f"“{title}”" + (f" (about {duration(eta.left)})" if eta is not None and eta.left is not None else "")


def ask_to_give_way(device: str) -> None:
    """End whatever only times or tries something on this device; what begins again leaves the device."""
    for job in at_work("jobs"):
        if not _waits_for(job, device, giving_way=True):
            continue
        if not TASKS[stored_request(job).task].begins_again:
            if not job.stop.exists():
                request_stop(job)
        elif read_state(job).state is State.RUNNING:
            make_folder(job.give_way.parent)
            job.give_way.touch()


def queued_before(folder: RunFolder, device: str, *, gives_way: bool = False) -> int:
    """Return how many older runs with a live or starting worker wait for the same device, except those that give way.

    ``gives_way``: whether this one does; it then lets newer runs go first, too.
    """
    queued = [each for each, facts in unsettled() if facts.state is State.QUEUED and each.id != folder.id]
    earlier = [each for each in queued if gives_way or each.id < folder.id]
    waiting = [each for each in earlier if read_job(each) is None and _waits_for(each, device)]
    return sum(not _waits_for(each, device, giving_way=True) for each in waiting)


def _waits_for(folder: RunFolder, device: str, *, giving_way: bool = False) -> bool:
    """Whether a run's task needs this device and does not give way; never for an unreadable folder."""
    try:
        stored = stored_request(folder)
        task = TASKS[stored.task] if stored.task in TASKS else None  # else a newer embedlab's
        if task is None or not task.needs_device or (giving_way and not task.gives_way):
            return False
        return device_of(task.read(stored.settings)) == device
    except EmbedlabError:
        return False


def device_of(request: Request) -> str:
    """``cpu``, ``cuda`` or ``mps``: as requested, otherwise the best available; an endpoint queues by its own name."""
    return _best() if request.waits_for == "auto" else request.waits_for


@cache
def _best() -> str:
    return (known_device() or choose_device()).name
