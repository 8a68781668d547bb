"""``job.json``: with whom a run that works on another machine was started; a run of this machine has none.

Whether such a run still works is told by ``heartbeat.json``, which its worker writes: a kernel lock says nothing over a
network disk.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict

from embedlab.errors import RunError
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, write_json

BEAT_SECONDS = 5
SILENT_SECONDS = 25  # without a beat, a worker counts as gone
SETTLE_SECONDS = 1  # until two workers that take over the same run see which of them did


class Job(BaseModel):
    """The contents of ``job.json``; written by who starts the run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    executor: str
    id: str  # as the executor calls it


class Heartbeat(BaseModel):
    """The contents of ``heartbeat.json``; written by the worker, and by no other while it is fresh."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    owner: str  # random, one for each worker
    host: str
    pid: int
    started: float  # seconds since 1970, as is ``at``
    at: float
    ended: bool = False

    @property
    def is_fresh(self) -> bool:
        """Whether its worker may still be at work."""
        return not self.ended and time.time() - self.at < SILENT_SECONDS


def read_job(folder: RunFolder) -> Job | None:
    """None for a run of this machine."""
    try:
        return Job.model_validate(read_json(folder.job))
    except (FileNotFoundError, ValueError):
        return None


def write_job(folder: RunFolder, job: Job | None) -> None:
    """Say with whom the run is started from now on; None: on this machine."""
    if job is None:
        folder.job.unlink(missing_ok=True)
    else:
        write_json(folder.job, job.model_dump())


def read_heartbeat(folder: RunFolder) -> Heartbeat | None:
    """The newest beat; None before the first."""
    try:
        return Heartbeat.model_validate(read_json(folder.heartbeat))
    except (FileNotFoundError, ValueError):
        return None


@contextmanager
def beating(folder: RunFolder) -> Iterator[Heartbeat]:
    """Hold the run, and say so every few seconds until the work ends.

    Raises
    ------
    RunError
        another worker holds it.
    """
    mine = _claimed(folder)
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            _write(folder, mine)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield mine
    finally:
        over.set()
        thread.join()
        _write(folder, mine, ended=True)


def _claimed(folder: RunFolder) -> Heartbeat:
    mine = Heartbeat(
        owner=secrets.token_hex(8), host=socket.gethostname(), pid=os.getpid(), started=time.time(), at=time.time()
    )
    held = read_heartbeat(folder)
    if held is None or not held.is_fresh:
        _write(folder, mine)
        time.sleep(SETTLE_SECONDS)
        held = read_heartbeat(folder)
    if held is None or held.owner != mine.owner:
        where = f"on {held.host} (process {held.pid})" if held is not None else "elsewhere"
        raise RunError("E-RUN-BUSY", f"Run {folder.id} already has a worker {where}.")
    return mine


def _write(folder: RunFolder, mine: Heartbeat, *, ended: bool = False) -> None:
    write_json(folder.heartbeat, mine.model_copy(update={"at": time.time(), "ended": ended}).model_dump())
