"""Create, list, open and delete runs; writes are whole or absent."""

import json
import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from embedlab.errors import RunError, SettingsError
from embedlab.private import holds_password
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import damaged_result, read_result
from embedlab.runs.state import State, checked_moment, has_worker, now, read_state, waits_elsewhere
from embedlab.session import current_session
from embedlab.store_root import UnreadableFile, atomic_write, discard, read_json, store_root, whole_folder, write_json

SCHEMA = 2  # of what lies in a run's folder
_REQUEST = {"schema": int, "task": str, "name": str, "created": str, "settings": dict}  # in settings.json, at least
DAMAGED = "damaged"  # in lists, in place of the state of a folder that cannot be read
NAME_CHARACTERS, NOTE_CHARACTERS = 80, 2_000
SEED_AND_DEVICE = ("seed", "device")
_CHANGES_NO_NUMBER = ("maps", "live_map", "live_map_texts", "checkpoint_every")
_GHOST = frozenset(["control", "job.json", "log.txt", "run.lock", "state.json", "workers"])  # made by who starts a run
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ID = re.compile(r"[0-9a-z]{6,26}")


def create_run(task: str, settings: dict, *, name: str = "") -> RunFolder:
    """A queued run. ``train`` runs lie in ``runs/``, every other task's in ``jobs/``."""
    return create_run_at(store_root() / ("runs" if task == "train" else "jobs") / new_id(), task, settings, name=name)


def create_run_at(path: Path, task: str, settings: dict, *, name: str = "") -> RunFolder:
    """The same in a folder of this path, which is not there yet."""
    for setting, value in settings.items():
        if holds_password(str(value)):
            raise SettingsError(
                "E-SECRET",
                f"The setting {setting!r} is stored with the run, but holds an address with a password. Leave it out.",
            )
    request = {"schema": SCHEMA, "task": task, "name": name, "created": now(), "settings": settings}
    request |= {"session": current_session()} if current_session() is not None else {}
    with whole_folder(path) as temporary:
        write_json(temporary / "settings.json", request)
        write_json(temporary / "state.json", {"state": str(State.QUEUED), "since": now()})
        (temporary / "control").mkdir()
    return RunFolder(path)


def new_id() -> str:
    """Sortable by time and unlikely to be made twice: nine digits of milliseconds, four of chance, base 36."""
    stamp, digits = time.time_ns() // 1_000_000, ""
    for _ in range(9):
        stamp, digit = divmod(stamp, 36)
        digits = _DIGITS[digit] + digits
    return digits + "".join(secrets.choice(_DIGITS) for _ in range(4))


def made_at(folder: RunFolder) -> float:
    """When a run or job was created, in seconds since 1970, by its id alone."""
    return int(folder.id[:9], 36) / 1000


def open_run(run_id: str) -> RunFolder:
    """The run or job of this id; refused where its settings cannot be read, as ``read_settings`` says."""
    folder = find_run(run_id)
    read_settings(folder)
    return folder


def find_run(run_id: str) -> RunFolder:
    """The folder of a run or job of this id, readable or not."""
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
    """What lies in a folder; nothing where there is none."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def is_run_id(name: str) -> bool:
    """Whether a folder of this name may be a run or a job."""
    return _ID.fullmatch(name) is not None


def read_settings(folder: RunFolder) -> dict:
    """What was asked: ``schema task name created settings``, a ``note`` where one was written, the ``session``
    that asked."""
    damaged = RunError("E-DAMAGED-RUN", f"The settings of run {folder.id} cannot be read. Delete the run.")
    try:
        request = read_json(folder.settings)
    except UnreadableFile:
        raise damaged from None
    if (schema := request.get("schema")) != SCHEMA:
        raise RunError(
            "E-SCHEMA",
            f"Folders of schema {SCHEMA} can be read, but run {folder.id} has {'none' if schema is None else schema}: "
            "another version of embedlab made it. It is left unchanged: open it with that version, or delete it.",
        )
    is_whole = all(isinstance(request.get(key), kind) for key, kind in _REQUEST.items()) and request["task"].isascii()
    try:
        checked_moment(request["created"] if is_whole else "")
    except ValueError:
        raise damaged from None
    return request


def task_of(folder: RunFolder) -> str | None:
    """What its worker is asked to do; None of an unreadable folder."""
    try:
        return read_settings(folder)["task"]
    except RunError:
        return None


def settings_of(folder: RunFolder) -> dict:
    """What a run is made with: complete once its worker has read it, before that what was asked for by name.

    An unreadable folder has none.
    """
    try:
        return read_settings(folder)["settings"] | (read_state(folder).settings or {})
    except RunError:
        return {}


def decisive(settings: dict, *, but: tuple[str, ...] = ()) -> dict:
    """The settings on which a run's numbers depend, without those named by ``but``; the device is one of them."""
    return {name: value for name, value in settings.items() if name not in (*_CHANGES_NO_NUMBER, *but)}


def differ_only_in_seed(one: RunFolder, other: RunFolder) -> bool:
    """Whether the workers of two runs read the same settings but for the seed (and the device: that is rounding)."""
    first, second = read_state(one).settings, read_state(other).settings
    if first is None or second is None or first.get("seed") == second.get("seed"):
        return False
    return decisive(first, but=SEED_AND_DEVICE) == decisive(second, but=SEED_AND_DEVICE)


def rename_run(folder: RunFolder, name: str, note: str = "") -> None:
    """What a run is called, and a note of the user's; what it was told stays. Cut to 80 and 2,000 characters."""
    request = read_settings(folder)
    labels = {"name": " ".join(name.split())[:NAME_CHARACTERS], "note": note.strip()[:NOTE_CHARACTERS]}
    write_json(folder.settings, request | labels)


def fingerprint_of(folder: RunFolder) -> str:
    """The corpus of a run: what its worker found it to be, else what was asked for."""
    return read_state(folder).fingerprint or read_settings(folder)["settings"]["corpus"]


def embedding_precision_of(folder: RunFolder) -> str:
    """The numbers a run's vectors were made in: what its worker decided, else what was asked for."""
    state = read_state(folder)
    precision = (state.settings or read_settings(folder)["settings"]).get("embedding_precision", "fp32")
    return state.embedding_precision or ("fp32" if precision == "auto" else precision)


def bytes_of(folder: RunFolder) -> int:
    """The room a run takes on the disk; a file that goes while we look counts nothing."""
    held = 0
    for file in folder.path.rglob("*"):
        with suppress(FileNotFoundError):
            held += file.stat().st_size if file.is_file() else 0
    return held


def is_measured(folder: RunFolder) -> bool:
    """Whether there is a result of this go: a resumed run still has that of the one before."""
    if not folder.result.exists():
        return False
    facts = read_state(folder)
    if facts.is_over or facts.started is None:
        return facts.is_over
    return folder.result.stat().st_mtime >= datetime.fromisoformat(facts.started).timestamp()


def read_job_result(job: RunFolder) -> dict | None:
    """What a job of another kind than a run left, or None while there is nothing; its task says the keys."""
    try:
        return read_json(job.result)
    except UnreadableFile:
        return None


def read_rows(path: Path, *, offset: int = 0) -> tuple[list[dict], int]:
    """The whole rows of an append-only JSON-lines file from a byte offset on, and the offset after them."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            data = file.read()
    except OSError:
        return [], offset
    whole = data[: data.rfind(b"\n") + 1]
    rows = []
    for line in whole.splitlines():
        with suppress(ValueError, RecursionError):  # a torn line after a crash, followed by good ones
            rows.append(json.loads(line))
    return [row for row in rows if isinstance(row, dict)], offset + len(whole)


def append_row(path: Path, row: dict) -> None:
    """One row at the end, in one write."""
    line = json.dumps(row, allow_nan=False, ensure_ascii=False) + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line.encode("utf-8"))
    finally:
        os.close(descriptor)


def keep_rows_until(path: Path, steps: int) -> None:
    """Drop the rows of later steps, as a run does that goes on from there."""
    rows = [row for row in read_rows(path)[0] if isinstance(row.get("step"), int) and row["step"] <= steps]
    with atomic_write(path) as temporary:
        temporary.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def delete_run(folder: RunFolder) -> None:
    """Out of sight at once, then off the disk; refused while its worker lives, or a cluster may still start one.

    Its lock is taken first, so that no worker begins meanwhile; one that was started and has yet to begin finds no
    settings, and ends (``worker.py``).
    """
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
        discard(folder.path)
    except Timeout:
        raise busy from None
    finally:
        lock.release()


def remove_ghost(folder: RunFolder) -> None:
    """Remove what a starter or worker that was late left of a deleted run; a folder that holds more stays."""
    if not os.path.lexists(folder.settings) and _GHOST.issuperset(names_in(folder.path)):
        shutil.rmtree(folder.path, ignore_errors=True)


def summary(folder: RunFolder) -> dict:
    """One line about a run, for lists: id, name, state, what was asked, what was found."""
    try:
        request = read_settings(folder)
    except RunError as error:
        return {"run": folder.id, "state": DAMAGED, "error": error.message}
    facts, result, settings = read_state(folder), read_result(folder), request["settings"]
    damage = damaged_result(folder) if result is None else None
    failure = {"code": damage.code, "message": damage.message} if damage else facts.error and facts.error.model_dump()
    return {
        "run": folder.id,
        "name": request["name"],
        "note": request.get("note") or None,
        "tags": request.get("tags") or [],
        "task": request["task"],
        "created": request["created"],
        "state": str(facts.state),
        "error": failure,
        "corpus": settings.get("corpus"),
        "encoder": settings.get("encoder"),
        "recipe": settings.get("recipe"),
        "result": result,
    }
