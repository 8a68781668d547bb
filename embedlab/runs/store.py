"""Create, list, open and delete runs; writes are whole or absent."""

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TypeVar

from embedlab.errors import EmbedlabError, RunError, SettingsError
from embedlab.own_files import files_in, remove_empty_folders, remove_files, written_in
from embedlab.plain_text import clean_name, clean_note
from embedlab.private import holds_password
from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import has_worker, waits_elsewhere
from embedlab.runs.state import State, append_line, checked_moment, now, read_state
from embedlab.scratch import remove_now
from embedlab.session import current_session
from embedlab.store_root import (
    Json,
    UnreadableFile,
    atomic_write,
    read_json,
    require_regular,
    store_root,
    whole_folder,
    write_json,
)
from embedlab.trash import leave_tombstone, move_to_trash, remove_tombstone
from embedlab.update import update

SCHEMA = 2  # of what lies in a run's folder
_REQUIRED = {"task": str, "name": str, "created": str, "settings": dict}  # in settings.json
NAME_CHARACTERS, NOTE_CHARACTERS = 80, 2_000
SEED_AND_DEVICE = ("seed", "device")
_CHANGES_NO_NUMBER = ("maps", "inside", "live_map", "live_map_texts", "checkpoint_every")
_newest, _newest_lock = 0, Lock()  # milliseconds of the newest id of this process
_GHOST = frozenset(["control", "job.json", "log.txt", "run.lock", "state.json", "workers"])  # made by who starts a run
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ID = re.compile(r"[0-9a-z]{6,26}")
T = TypeVar("T")


@dataclass(frozen=True)
class StoredRequest:
    """The contents of ``settings.json``: the request, which never changes, and how its user labelled it."""

    task: str
    name: str
    created: str  # UTC, ISO 8601
    settings: Json  # as requested: complete ones are in the state
    note: str | None
    tags: list[str]  # as written: ``tags_of`` tidies them
    session: str | None  # that made it


def create_run(task: str, settings: Json, *, name: str = "") -> RunFolder:
    """A queued run. ``train`` runs are stored in ``runs/``, all other tasks in ``jobs/``."""
    return create_run_at(store_root() / ("runs" if task == "train" else "jobs") / new_id(), task, settings, name=name)


def create_run_at(path: Path, task: str, settings: Json, *, name: str = "") -> RunFolder:
    """The same in a new folder at this path."""
    for setting, value in settings.items():
        if holds_password(str(value)):
            raise SettingsError(
                "E-SECRET",
                f"The setting {setting!r} is stored with the run, but holds an address with a password. Leave it out.",
            )
    request = {"schema": SCHEMA, "task": task, "name": clean_name(name), "created": now(), "settings": settings}
    request |= {"session": current_session()} if current_session() is not None else {}
    with whole_folder(path) as temporary:
        write_json(temporary / "settings.json", request)
        write_json(temporary / "state.json", {"state": str(State.QUEUED), "since": now()})
        (temporary / "control").mkdir()
    return RunFolder(path)


def new_id() -> str:
    """Sortable by time and practically unique: nine digits of milliseconds, four random ones, base 36.

    Those that one process makes within a millisecond are in the order in which they were made.
    """
    stamp, digits = _milliseconds(), ""
    for _ in range(9):
        stamp, digit = divmod(stamp, 36)
        digits = _DIGITS[digit] + digits
    return digits + "".join(secrets.choice(_DIGITS) for _ in range(4))


def _milliseconds() -> int:
    """Since 1970, one more than last time where less than one has passed; a clock that was set back is followed."""
    global _newest
    with _newest_lock:
        stamp = time.time_ns() // 1_000_000
        _newest = _newest + 1 if 0 <= _newest - stamp < 1_000 else stamp
        return _newest


def made_at(folder: RunFolder) -> float:
    """When a run or job was created, in seconds since 1970, from its id alone."""
    return int(folder.id[:9], 36) / 1000


def open_run(run_id: str) -> RunFolder:
    """The run or job with this id; raises an error if its settings cannot be read, as in ``stored_request``."""
    folder = find_run(run_id)
    stored_request(folder)
    return folder


def run_if_readable(run_id: str | None) -> RunFolder | None:
    """The same; None without an id, or if the run was deleted or is unreadable."""
    try:
        return None if run_id is None else open_run(run_id)
    except RunError:
        return None


def find_run(run_id: str) -> RunFolder:
    """The folder of a run or job with this id, readable or not."""
    if is_run_id(run_id):
        for room in ("runs", "jobs"):
            path = store_root() / room / run_id
            if os.path.lexists(path):
                return RunFolder(path)
    newest = [folder.id for folder in list_runs()[:3]]
    choices = f"The newest runs are {', '.join(newest)}." if newest else "There are no runs yet."
    raise RunError("E-UNKNOWN-RUN", f"There is no run with the id {run_id[:NAME_CHARACTERS]!r}. {choices}")


def list_runs(room: str = "runs") -> list[RunFolder]:
    """All runs (or ``jobs``), newest first."""
    parent = store_root() / room
    return [RunFolder(parent / name) for name in sorted(filter(is_run_id, names_in(parent)), reverse=True)]


def names_in(folder: Path) -> list[str]:
    """The names in a folder; empty if it does not exist."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def is_run_id(name: str) -> bool:
    """Whether a folder of this name can be a run or a job."""
    return _ID.fullmatch(name) is not None


def stored_request(folder: RunFolder) -> StoredRequest:
    """The request of a run or job; raises RunError if it is damaged, or of another version of embedlab."""
    return _request_of(folder, _settings_file(folder))


def _settings_file(folder: RunFolder) -> Json:
    try:
        return read_json(folder.settings)
    except UnreadableFile:
        raise _damaged(folder) from None


def _damaged(folder: RunFolder) -> RunError:
    if not os.path.lexists(folder.path):
        return RunError("E-DELETED", f"Run {folder.id} was deleted meanwhile, so it cannot be read.")
    return RunError("E-DAMAGED-RUN", f"The settings of run {folder.id} cannot be read. Delete the run.")


def _request_of(folder: RunFolder, content: Json) -> StoredRequest:
    try:
        if (schema := content.get("schema")) == SCHEMA:
            return _request_in(content)
    except ValueError:
        raise _damaged(folder) from None
    raise RunError(
        "E-SCHEMA",
        f"Folders of schema {SCHEMA} can be read, but run {folder.id} has {'none' if schema is None else schema}: "
        "another version of embedlab made it. It is left unchanged: open it with that version, or delete it.",
    )


def _request_in(content: Json) -> StoredRequest:
    """Raises ValueError if something is missing, or of another type."""
    if not all(isinstance(content.get(key), kind) for key, kind in _REQUIRED.items()) or not content["task"].isascii():
        raise ValueError("it holds no request")
    tags = content.get("tags")
    tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    note, session = (each if isinstance(each := content.get(key), str) else None for key in ("note", "session"))
    task, name, created, settings = (content[each] for each in _REQUIRED)
    return StoredRequest(task, name, checked_moment(created), settings, note, tags, session)


def request_if_readable(folder: RunFolder) -> StoredRequest | None:
    """The same; None if it is unreadable."""
    try:
        return stored_request(folder)
    except RunError:
        return None


def task_of(folder: RunFolder) -> str | None:
    """The task of a run or job; None if it is unreadable."""
    stored = request_if_readable(folder)
    return None if stored is None else stored.task


def settings_of(folder: RunFolder) -> Json:
    """A run's settings: complete once its worker has read them, before that as requested.

    An unreadable folder has none.
    """
    stored = request_if_readable(folder)
    return {} if stored is None else stored.settings | (read_state(folder).settings or {})


def reads_beginnings(run: RunFolder) -> bool:
    """Whether a run was told how many tokens of each text to read; its reference lines then count as many."""
    return settings_of(run).get("max_length") is not None


def seed_of(folder: RunFolder) -> int:
    """The seed of a run; that of the default settings if it is unreadable."""
    return settings_of(folder).get("seed", 0)


def decisive(settings: Mapping[str, T], *, but: tuple[str, ...] = ()) -> dict[str, T]:
    """The settings that a run's numbers depend on, without those in ``but``; the device is one of them."""
    return {name: value for name, value in settings.items() if name not in (*_CHANGES_NO_NUMBER, *but)}


def differ_only_in_seed(one: RunFolder, other: RunFolder) -> bool:
    """Whether two runs have the same settings except for the seed (and the device, which affects rounding only)."""
    first, second = read_state(one).settings, read_state(other).settings
    if first is None or second is None or first.get("seed") == second.get("seed"):
        return False
    return decisive(first, but=SEED_AND_DEVICE) == decisive(second, but=SEED_AND_DEVICE)


def rename_run(folder: RunFolder, name: str, note: str | None = None) -> None:
    """Set a run's name and the user's note, cut to 80 and 2,000 characters. Without a note the old one stays."""
    labels = {"name": short_name(name)}
    labels |= {} if note is None else {"note": clean_note(note)[:NOTE_CHARACTERS]}
    label_run(folder, lambda stored: labels)


def short_name(name: str) -> str:
    """Return a name as typed on one line, cut to 80 characters."""
    return " ".join(clean_name(name).split())[:NAME_CHARACTERS].strip()


def label_run(folder: RunFolder, change: Callable[[StoredRequest], Mapping[str, str | list[str]]]) -> None:
    """Write labels (``name``, ``note``, ``tags``) beside a readable request, which stays unchanged.

    ``change`` returns the labels to be replaced, from what is stored at that moment; none leaves the file as it is.
    """

    def changed(content: Json) -> Json | None:
        labels = change(_request_of(folder, content))
        return {**content, **labels} if labels else None

    update(folder.settings, changed, read=lambda file: _settings_file(folder))


def fingerprint_of(folder: RunFolder) -> str:
    """The corpus of a run as identified by its worker, otherwise as requested."""
    return read_state(folder).fingerprint or stored_request(folder).settings["corpus"]


def corpus_key(folder: RunFolder) -> str:
    """The same, to group runs by; ``unreadable`` for those whose settings cannot be read."""
    try:
        return fingerprint_of(folder)
    except EmbedlabError:
        return "unreadable"


def embedding_precision_of(folder: RunFolder) -> str:
    """The precision of a run's vectors as decided by its worker, otherwise as requested."""
    state = read_state(folder)
    precision = (state.settings or stored_request(folder).settings).get("embedding_precision", "fp32")
    return state.embedding_precision or ("fp32" if precision == "auto" else precision)


def bytes_of(folder: RunFolder) -> int:
    """The size of a run on disk; files that vanish meanwhile count nothing."""
    held = 0
    for file in folder.path.rglob("*"):
        with suppress(FileNotFoundError):
            held += file.stat().st_size if file.is_file() else 0
    return held


def is_measured(folder: RunFolder) -> bool:
    """Whether there is a result of the current attempt: a resumed run still has that of the one before."""
    if not folder.result.exists():
        return False
    facts = read_state(folder)
    if facts.is_over or facts.started is None:
        return facts.is_over
    return folder.result.stat().st_mtime >= datetime.fromisoformat(facts.started).timestamp()


def read_rows(path: Path) -> list[Json]:
    """The complete rows of an append-only JSON-lines file; empty if there is none."""
    try:
        require_regular(path)
        data = path.read_bytes()
    except OSError:
        return []
    rows = []
    for line in data[: data.rfind(b"\n") + 1].splitlines():
        with suppress(ValueError, RecursionError):  # a torn line after a crash, followed by good ones
            rows.append(json.loads(line))
    return [row for row in rows if isinstance(row, dict)]


def append_row(path: Path, row: Json) -> None:
    """Append one row in a single write."""
    append_line(path, json.dumps(row, allow_nan=False, ensure_ascii=False))


def keep_rows_until(path: Path, steps: int) -> None:
    """Drop the rows of later steps, for a run that resumes from this one."""
    rows = [row for row in read_rows(path) if isinstance(row.get("step"), int) and row["step"] <= steps]
    with atomic_write(path) as temporary:
        temporary.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def delete_run(folder: RunFolder) -> None:
    """Move a run to the trash, from which it can be restored for a day; errors as in ``held_for_deletion``."""
    with held_for_deletion(folder):
        move_to_trash("run", name_of(folder), [folder.path])


def remove_job(folder: RunFolder) -> None:
    """Remove a job for good, out of sight at once; errors as in ``held_for_deletion``."""
    with held_for_deletion(folder):
        leave_tombstone(folder.path)
        try:
            remove_now(folder.path)
        except OSError:
            remove_tombstone(folder.path)
            raise


def name_of(folder: RunFolder) -> str:
    """Return what a run is called; its id if it has no name or cannot be read."""
    stored = request_if_readable(folder)
    return folder.id if stored is None or not stored.name else stored.name


@contextmanager
def held_for_deletion(folder: RunFolder) -> Iterator[None]:
    """Hold the lock of a run that is about to be moved away, so that no worker begins meanwhile.

    A worker that was started and has yet to begin finds no settings, and ends (``worker/work.py``). Raises RunError
    while its worker lives, or a cluster may still start one.
    """
    from filelock import FileLock, Timeout

    busy = RunError("E-RUN-BUSY", f"Run {folder.id} is still running. Stop it first, then delete it.")
    if has_worker(folder):
        raise busy
    if not read_state(folder).is_over and waits_elsewhere(folder):
        raise RunError("E-RUN-BUSY", f"Run {folder.id} is waiting on a cluster. Stop it first, then delete it.")
    lock = FileLock(folder.lock, timeout=0)
    try:
        if folder.path.is_dir():
            with suppress(OSError):  # a damaged folder, or a disk without locks
                lock.acquire()
        yield
    except Timeout:
        raise busy from None
    finally:
        lock.release()


def remove_ghost(folder: RunFolder) -> None:
    """Remove what a late starter or worker left of a deleted run; a folder that holds more stays."""
    files = list(files_in(folder.path))
    is_ghost = _GHOST.issuperset(names_in(folder.path)) and written_in(folder.path, "job") == files
    if is_ghost and not os.path.lexists(folder.settings):
        remove_files(folder.path, files)
        remove_empty_folders(folder.path)
