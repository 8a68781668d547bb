"""The six states of a run, and the rule that shows them: what state.json says, and whether run.lock is held."""

import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json, write_json

START_GRACE_SECONDS = 20  # a fresh worker needs a moment to take its lock


class State(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """Nothing more happens by itself."""
        return self not in (State.QUEUED, State.RUNNING)


def now() -> str:
    """The time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_state(folder: RunFolder, state: State, **facts) -> None:
    """Set the state; earlier facts (started, device, …) stay. For the holder of the run's lock."""
    earlier = _read(folder)
    write_json(folder.state, {**earlier, **facts, "state": str(state), "since": now()})


def read_state(folder: RunFolder) -> dict:
    """The facts of ``state.json`` with the state as it must be shown: running without a worker is interrupted."""
    facts = _read(folder)
    stated = facts.get("state")
    if stated not in list(State):
        return {**facts, "state": State.INTERRUPTED, "damaged": True}
    state = State(stated)
    if not state.is_over and not is_held(folder.lock) and not _just_created(folder, state):
        again = _read(folder)  # it may have ended between the two looks
        state = State(again["state"]) if again.get("state") in list(State) else state
        facts = again
        if not state.is_over:
            state = State.INTERRUPTED
    return {**facts, "state": state}


def is_held(lock: Path) -> bool:
    """Whether a living process holds this kernel lock. Looking takes a shared lock, so lookers never see each other."""
    if os.name == "nt":
        return _is_held_windows(lock)
    import fcntl

    try:
        descriptor = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _is_held_windows(lock: Path) -> bool:
    from filelock import FileLock, Timeout

    try:
        FileLock(lock, timeout=0).acquire().lock.release()
        return False
    except Timeout:
        return True


def _just_created(folder: RunFolder, state: State) -> bool:
    if state is not State.QUEUED:
        return False
    age = datetime.now().timestamp() - folder.state.stat().st_mtime
    return 0 <= age < START_GRACE_SECONDS


def _read(folder: RunFolder) -> dict:
    try:
        facts = read_json(folder.state)
        return facts if isinstance(facts, dict) else {}
    except (FileNotFoundError, ValueError):
        return {}
