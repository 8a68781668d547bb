"""Which worker holds a run: the newest file in ``workers/``, created by its worker and touched every few seconds.

A kernel lock says nothing over a network disk. That a file is created by one alone does hold there, and so does the
time at which the disk says it was touched. On the machine of the worker, its process is looked at instead.
"""

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.errors import RunError
from embedlab.later import Later
from embedlab.runs.folder import RunFolder
from embedlab.store_root import make_folder, store_root, write_json

if TYPE_CHECKING:
    import psutil
else:
    psutil = Later("psutil")

BEAT_SECONDS = 4
SILENT_SECONDS = 24  # without a beat, a worker on another machine counts as gone
STARTED = "started.json"  # beside the numbered files: the process that has yet to take the run
START_GRACE_SECONDS = 20  # from a run's creation until its process is started, or seen by another machine
LOST = 75  # the exit code of a worker whose run another one holds by now


class WorkerLease(BaseModel):
    """One worker of a run: the contents of ``workers/NNNN.json``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    host: str
    processes: str = ""  # which numbering of processes ``pid`` is of: containers of one name have several, boots too
    pid: int
    started: float  # ``start_of`` the process
    token: str | None = None  # of its job; None for a worker that was started here
    ended: bool = False  # it left the run by itself


def this_host() -> str:
    """The name of this machine."""
    return socket.gethostname()


def last_lease(folder: RunFolder) -> WorkerLease | None:
    """The newest worker, alive or not; None before the first."""
    file = _newest(folder)
    return None if file is None else _read(file)[0]


def has_worker(folder: RunFolder) -> bool:
    """Whether a worker holds this run: by a kernel lock or, if that is inconclusive, by a recent sign of life."""
    return is_held(folder.lock) or ((newest := _newest(folder)) is not None and _lives(newest))


def note_started(folder: RunFolder, pid: int) -> None:
    """Record the process started for the run that has yet to take it."""
    with suppress(psutil.Error, OSError):  # it has ended already, or the disk is full: its lock will say that it lives
        make_folder(folder.workers)
        _write(folder.workers / STARTED, _holder_of(psutil.Process(pid), token=None), "w")


def awaits_worker(folder: RunFolder) -> bool:
    """Whether a queued run's worker is yet to appear. Loading its libraries can take half a minute on a cold disk."""
    holder, _ = _read(folder.workers / STARTED)
    starting = None if holder is None or not _is_of_this_machine(holder) else _process_lives(holder)
    if starting is None:  # no process of this machine is recorded
        with suppress(OSError):  # deleted at this moment; the disk's clock may be ahead of this machine's
            starting = disk_time() - folder.state.stat().st_mtime < START_GRACE_SECONDS
    return bool(starting) or waits_elsewhere(folder)


def waiting_job(folder: RunFolder) -> "Job | None":
    """Its job, if that has no worker yet, or one that left to restart; a cluster may keep it waiting for days."""
    last, job = last_lease(folder), read_job(folder)
    has_begun = job is not None and last is not None and last.token == job.token and not last.ended
    return None if has_begun else job


def waits_elsewhere(folder: RunFolder) -> bool:
    """Whether it has such a job."""
    return waiting_job(folder) is not None


@contextmanager
def hold_lease(folder: RunFolder, token: str | None = None) -> Iterator[WorkerLease]:
    """Hold the run until the work ends. A worker that lost it (its machine slept or was cut off) exits at once.

    Raises
    ------
    RunError
        another worker holds it, or it was started again with somebody else.
    """
    mine, file = _claim(folder, token)
    over = threading.Event()

    def beat() -> None:
        missed = 0
        while not over.wait(BEAT_SECONDS):
            missed = 0 if _newest(folder) == file and _is_asked(folder, token) else missed + 1
            if missed == 2:  # once may be a directory that the network disk is just changing
                print(f"Run {folder.id} is now held by another worker, so this one stops.", file=sys.stderr)
                sys.stderr.flush()
                os._exit(LOST)
            with suppress(OSError):
                os.utime(file)

    thread = threading.Thread(target=beat, name="beat", daemon=True)
    thread.start()
    try:
        yield mine
    finally:
        over.set()
        thread.join()
        with suppress(OSError):  # a run that was deleted meanwhile
            _write(file, mine.model_copy(update={"ended": True}), "w")


def _claim(folder: RunFolder, token: str | None) -> tuple[WorkerLease, Path]:
    make_folder(folder.workers)
    before = _newest(folder)
    if before is not None and _lives(before):
        raise _busy(folder, before)
    if not _is_asked(folder, token):
        raise RunError("E-RUN-BUSY", f"Run {folder.id} was started again with another executor, so this worker stops.")
    mine = _holder_of(psutil.Process(), token)
    file = folder.workers / f"{1 if before is None else int(before.stem) + 1:04d}.json"
    try:
        _write(file, mine, "x")
    except FileExistsError:
        raise _busy(folder, file) from None
    return mine, file


def _holder_of(process: "psutil.Process", token: str | None) -> WorkerLease:
    return WorkerLease(
        host=this_host(), processes=_numbering(), pid=process.pid, started=start_of(process), token=token
    )


def _busy(folder: RunFolder, file: Path) -> RunError:
    holder, _ = _read(file)
    where = "" if holder is None else f" on {holder.host} (process {holder.pid})"
    return RunError("E-RUN-BUSY", f"Run {folder.id} already has a worker{where}.")


def _is_asked(folder: RunFolder, token: str | None) -> bool:
    """Whether a worker of this job is the one requested last."""
    job = read_job(folder)
    return (None if job is None else job.token) == token


def _newest(folder: RunFolder) -> Path | None:
    try:
        files = [file for file in folder.workers.glob("*.json") if file.stem.isdecimal()]
    except OSError:
        return None
    return max(files, key=lambda file: int(file.stem), default=None)


def _lives(file: Path) -> bool:
    holder, touched = _read(file)
    if holder is not None and holder.ended:
        return False
    if holder is not None and _is_of_this_machine(holder):
        return _process_lives(holder)
    return touched is not None and disk_time() - touched < SILENT_SECONDS


def is_held(lock: Path) -> bool:
    """Whether a living process holds this kernel lock. The check takes a shared lock, so concurrent checks never see
    each other.
    """
    if os.name == "nt":
        from filelock import FileLock, Timeout

        try:
            FileLock(lock, timeout=0).acquire().lock.release()
            return False
        except Timeout:
            return True
    import fcntl

    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:  # nobody took it yet, or nobody here may look
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _is_of_this_machine(holder: WorkerLease) -> bool:
    return (holder.host, holder.processes) == (this_host(), _numbering())


def _process_lives(holder: WorkerLease) -> bool:
    try:
        process = psutil.Process(holder.pid)
        return process.status() != psutil.STATUS_ZOMBIE and abs(start_of(process) - holder.started) < 1
    except (psutil.Error, ValueError, OverflowError):  # gone, or a number that is none of a process
        return False


def _read(file: Path) -> tuple[WorkerLease | None, float | None]:
    """Which worker it names (None while being written), and when it was last touched; opening it refreshes network
    caches.
    """
    try:
        with open(file, encoding="utf-8") as opened:
            touched = os.fstat(opened.fileno()).st_mtime
            try:
                return WorkerLease.model_validate_json(opened.read()), touched
            except ValueError:
                return None, touched
    except OSError:
        return None, None


def _write(file: Path, holder: WorkerLease, mode: str) -> None:
    with open(file, mode, encoding="utf-8") as opened:
        opened.write(holder.model_dump_json())


def start_of(process: "psutil.Process") -> float:
    """When a process started: in seconds since boot, which no clock change affects, if the system tells.

    psutil reckons from the time of the boot, and that moves with the clock.
    """
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return int(fields[19]) / os.sysconf("SC_CLK_TCK")  # starttime is the 22nd field; the first two are cut off
    except (OSError, AttributeError, IndexError, ValueError):
        return process.create_time()


def disk_time() -> float:
    """The current time by the clock of the store's disk, taken from a touched file; machines' clocks may differ from
    it.
    """
    clock = store_root() / "index" / "clock"
    try:
        make_folder(clock.parent)
        clock.touch()
        return clock.stat().st_mtime
    except OSError:  # a store that may only be read
        return time.time()


@cache
def _numbering() -> str:
    """The scope of process ids: this container since its boot."""
    parts = []
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
    return " ".join(parts)


def elsewhere(folder: RunFolder) -> dict[str, str | None]:
    """``executor``, ``job`` and ``node`` (None until a worker begins); empty for a run on this computer."""
    job = read_job(folder)
    if job is None:
        return {}
    last = last_lease(folder)
    node = last.host if last is not None and last.token == job.token else None
    return {"executor": job.executor, "job": job.id, "node": node}


def place_line(folder: RunFolder) -> str | None:
    """``ray, job 0mv8w-a9be48ff, on node-7``; None for a run of this computer."""
    facts = elsewhere(folder)
    if not facts:
        return None
    phrases = {"executor": "{}", "job": "job {}", "node": "on {}"}
    return ", ".join(phrases[name].format(value) for name, value in facts.items() if value)


class Job(BaseModel):
    """The contents of ``job.json``, written by whoever starts the run, and again each time it is resumed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    executor: str  # its key
    token: str  # random; the worker of this job knows it, one of an earlier job does not
    id: str | None = None  # as the executor calls it; None until it has taken the run
    versions: dict[str, str] = {}  # of who started it; its worker must have the same


def read_job(folder: RunFolder) -> Job | None:
    """None for a run on this machine."""
    return read_model_if_whole(folder.job, Job)


def give_to(folder: RunFolder, job: Job | None) -> None:
    """Record the executor that is about to be given the run, as ``write_job``; whom it was given before is over."""
    (folder.workers / STARTED).unlink(missing_ok=True)
    write_job(folder, job)


def write_job(folder: RunFolder, job: Job | None) -> None:
    """Record the executor that the run uses from now on; None: this machine."""
    if job is None:
        folder.job.unlink(missing_ok=True)
    else:
        write_json(folder.job, job.model_dump())
