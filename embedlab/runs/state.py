"""``state.json``: the state of a run; a held ``run.lock`` says that it is still running.

``index/again`` lists which runs and jobs that were over were begun again, a line each; it is only ever added to.
"""

import os
import time
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from embedlab.damage import read_model
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import awaits_worker, has_worker
from embedlab.store_root import UnreadableFile, make_folder, store_root, write_json
from embedlab.update import update

ROOMS = ("runs", "jobs")  # of the store; what lies there has a state
_SEEN_ONLY = {"damaged", "worker_vanished"}  # what a look at the folder adds; never written


class State(StrEnum):
    """The states of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens without a restart."""
        return self not in (State.QUEUED, State.RUNNING)

    @property
    def sentence(self) -> str:
        """``Interrupted: the process ended early.``; of the others their name alone."""
        return "Interrupted: the process ended early." if self is State.INTERRUPTED else f"{self.capitalize()}."


class Failure(BaseModel):
    """Why a run failed: the error code and the sentence shown."""

    model_config = ConfigDict(frozen=True)

    code: str
    message: str


NO_ERROR = Failure(code="E-UNEXPECTED", message="It failed without an error message. Its log has the details.")


def checked_moment(moment: str) -> str:
    """A time as written by ``now``; raises ValueError otherwise."""
    if datetime.fromisoformat(moment).tzinfo is None:
        raise ValueError("a time without its zone")
    return moment


Moment = Annotated[str, AfterValidator(checked_moment)]


class RunState(BaseModel):
    """The contents of ``state.json``. None until a worker knows; times are UTC, ISO 8601."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: State
    since: str | None = None
    pid: int | None = None
    pid_started: float | None = None  # ``lease.start_of``: tells the worker from a later process of the same number
    started: Moment | None = None
    ended: Moment | None = None
    error: Failure | None = None
    exit_code: int = 1  # of a failed run's worker
    device: str | None = None  # cpu, cuda or mps
    device_line: str | None = None  # the device in words
    processes: int | None = None  # that trained together
    precision: str | None = None
    embedding_precision: str | None = None
    embedding_cosine: float | None = None  # least cosine of bf16 to fp32 vectors of the texts tried
    threads: int | None = None
    peak_bytes: int | None = None  # of memory, in its worker
    device_peak_bytes: int | None = None  # of tensors on its GPU
    settings: dict | None = None  # as trained with: complete, where settings.json has what was asked for by name
    fingerprint: str | None = None  # of the corpus
    summaries: dict | None = None  # what the summaries were made with, for a recipe that reads them
    versions: dict[str, str] = {}  # of Python and the libraries that numbers depend on
    damaged: bool = False  # the file could not be read
    worker_vanished: bool = False  # it ended without writing how: by a crash, or ended by force

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens without a restart."""
        return self.state.is_over

    @property
    def failure(self) -> Failure:
        """Why it failed, even if its worker could not record it."""
        return self.error or NO_ERROR


def now() -> str:
    """The current time, UTC, ISO 8601."""
    return moment_of(time.time())


def moment_of(seconds: float) -> str:
    """A time in seconds since 1970, formatted as by ``now``."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def steady_time() -> float:
    """The current time in seconds since 1970, anchored when this process first read the clock: durations stay right
    even if the clock is changed.
    """
    return _BEGAN + _since_boot()


def _since_boot() -> float:
    boottime = getattr(time, "CLOCK_BOOTTIME", None)  # which also counts while the machine sleeps
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


_BEGAN = time.time() - _since_boot()


def seconds_of(moment: str | None) -> float | None:
    """The reverse, in seconds since 1970."""
    return None if moment is None else datetime.fromisoformat(moment).timestamp()


def write_state(folder: RunFolder, state: State, **facts: Any) -> RunState:
    """Set the state and return it as ``read_state`` does. Earlier facts (started, device, …) stay.

    The holder of the run's lock calls this; where nobody holds it, whoever starts or stops the run.
    """
    if unknown := facts.keys() - RunState.model_fields.keys():
        raise TypeError(f"A run's state has no {', '.join(sorted(unknown))}")
    begins_again = False

    def changed(before: RunState) -> RunState:
        nonlocal begins_again
        earlier = before.model_dump(exclude_unset=True)
        after = RunState.model_validate(
            {**earlier, **facts, "state": state, "since": now(), **dict.fromkeys(_SEEN_ONLY, False)}
        )
        begins_again = before.is_over and not after.is_over
        return after

    after = update(folder.state, changed, read=lambda file: _read(folder), write=_write)
    if begins_again:
        note_again(folder)
    return _shown(folder, after)


def written_state(folder: RunFolder) -> State:
    """Return the state that ``state.json`` has, whether or not its worker lives."""
    return _read(folder).state


def read_state(folder: RunFolder) -> RunState:
    """``state.json`` with the state to be shown.

    Running without a worker is interrupted; interrupted after Stop is stopped, also where the worker had to be ended.
    """
    written = _read(folder)
    if not written.is_over and not has_worker(folder) and not (written.state is State.QUEUED and awaits_worker(folder)):
        written = _read(folder)  # it may have ended between the two looks
        if not written.is_over:
            written = written.model_copy(update={"state": State.INTERRUPTED, "worker_vanished": True})
    return _shown(folder, written)


def _shown(folder: RunFolder, written: RunState) -> RunState:
    if written.state is State.INTERRUPTED and not written.damaged and folder.stop.exists():
        return written.model_copy(update={"state": State.STOPPED})
    return written


def _write(file: Path, written: RunState) -> None:
    write_json(file, written.model_dump(mode="json", exclude_unset=True, exclude=_SEEN_ONLY))


def _read(folder: RunFolder) -> RunState:
    try:
        return read_model(folder.state, RunState)
    except UnreadableFile:
        return RunState(state=State.INTERRUPTED, damaged=True)


def note_again(folder: RunFolder) -> None:
    """Record a restart, after the state says so."""
    if folder.path.parent.name not in ROOMS:
        return
    file = folder.path.parent.parent / "index" / "again"
    make_folder(file.parent)
    append_line(file, f"{folder.path.parent.name} {folder.id}")


def append_line(file: Path, line: str) -> None:
    """Append a line in a single write; a new file is closed to others."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def begun_again(offset: int) -> tuple[list[tuple[str, str]], int]:
    """Room and id of restarts recorded from a byte offset on, and the next offset; -1 if the file was deleted."""
    try:
        with open(store_root() / "index" / "again", "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(offset)
            lines = file.read()
    except OSError:
        return [], 0 if offset == 0 else -1
    if size < offset:
        return [], -1
    whole = lines[: lines.rfind(b"\n") + 1]
    words = [line.decode("ascii", "replace").split(" ") for line in whole.splitlines()]
    return [(each[0], each[1]) for each in words if len(each) == 2], offset + len(whole)
