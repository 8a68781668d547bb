"""The SQLite file of the index: the request of every run and job, and the state of those that ended.

It only proposes: what it names is read in its folder before it is given. It can be deleted at any time; a damaged one
is made again, and where it is locked or cannot be written, as on some network disks, this process keeps an index of
its own in memory.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from embedlab.runs.folder import RunFolder
from embedlab.runs.lease import read_job
from embedlab.runs.state import ROOMS, RunState, State, begun_again, read_state, seconds_of
from embedlab.runs.store import is_run_id, names_in, request_if_readable, settings_of
from embedlab.store_root import Json, make_folder, store_root

VERSION = 4  # of the tables below
PATIENCE_SECONDS = 5.0  # for another process that writes
SETTLED_NS = 2_000_000_000  # what changed less long ago may change again within one tick of the disk's clock
LONGEST_VALUE = 256  # characters; of a longer value its hash is kept
_TABLES = """
CREATE TABLE folders (room TEXT, id TEXT, task TEXT, asked TEXT, state TEXT, written INTEGER,
    started REAL, ended REAL, PRIMARY KEY (room, id));
CREATE INDEX by_task ON folders (task, state, id);
CREATE INDEX by_asked ON folders (asked);
CREATE INDEX by_end ON folders (ended);
CREATE TABLE settings (room TEXT, id TEXT, key TEXT, value TEXT, PRIMARY KEY (room, id, key)) WITHOUT ROWID;
CREATE INDEX by_value ON settings (key, value);
CREATE TABLE rows (room TEXT, id TEXT, stamp TEXT, facts TEXT, PRIMARY KEY (room, id));  -- of lists
CREATE TABLE seen (what TEXT PRIMARY KEY, mark INTEGER);
"""
_Answer = TypeVar("_Answer")
_own: dict[Path, sqlite3.Connection] = {}  # by store: the index of this process alone
_lock = RLock()  # of it


def ask_index(query: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
    """Query the updated file; if it cannot be used, query an index held by this process."""
    root = store_root()
    file = root / "index" / f"known-{VERSION}.sqlite"
    for _ in range(0 if root in _own else 2):
        try:
            with closing(_opened(file)) as index:
                _learn(index)
                return query(index)
        except (sqlite3.OperationalError, OSError):  # locked, or not to be written
            break
        except sqlite3.DatabaseError:  # damaged
            for each in (file, file.with_name(f"{file.name}-journal")):
                with suppress(OSError):
                    each.unlink()
    with _lock:
        if root not in _own:
            _own[root] = _prepared(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
        _learn(_own[root])
        return query(_own[root])


def _opened(file: Path) -> sqlite3.Connection:
    make_folder(file.parent)
    file.touch(mode=0o600)
    return _prepared(sqlite3.connect(file, timeout=PATIENCE_SECONDS, isolation_level=None))


def _prepared(index: sqlite3.Connection) -> sqlite3.Connection:
    try:
        index.execute("PRAGMA synchronous = NORMAL")
        if index.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            with writing(index):
                if index.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                    for statement in _TABLES.split(";"):
                        index.execute(statement)
                    index.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        index.close()
        raise
    return index


@contextmanager
def writing(index: sqlite3.Connection) -> Iterator[None]:
    """An exclusive transaction, all or nothing."""
    index.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        index.execute("ROLLBACK")
        raise
    index.execute("COMMIT")


def _learn(index: sqlite3.Connection) -> None:
    """Update the index: folders that appeared or disappeared since the last query, and those that were restarted."""
    marks = dict(index.execute("SELECT what, mark FROM seen"))
    again, offset = begun_again(marks.get("again", 0))
    if offset < 0:  # what was begun again is not known any more
        with writing(index):
            for table in ("folders", "settings", "rows", "seen"):
                index.execute(f"DELETE FROM {table}")
        marks, (again, offset) = {}, begun_again(0)
    root, come, gone, settled = store_root(), [], [], []
    for room in ROOMS:
        if (stamp := changed(root / room)) != marks.get(room, 0):
            known_names = {name for (name,) in index.execute("SELECT id FROM folders WHERE room = ?", (room,))}
            there = set(names_in(root / room))  # after it: what is known and not there is gone
            come += [(room, name) for name in sorted(there - known_names) if is_run_id(name)]
            gone += [(room, name) for name in known_names - there]
            settled += [(room, stamp)] if time.time_ns() - stamp > SETTLED_NS else []
    if not (again or come or gone or settled):
        return
    with writing(index):
        for table in ("folders", "settings", "rows"):
            index.executemany(f"DELETE FROM {table} WHERE room = ? AND id = ?", gone)
        write(index, folders_of(come))
        index.executemany("UPDATE folders SET state = NULL WHERE room = ? AND id = ?", again)
        index.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?)", [*settled, ("again", offset)])


def write(index: sqlite3.Connection, folders: list[RunFolder]) -> None:
    """Store requests, and the state of those that ended."""
    for folder in folders:
        key, written = _place(folder), changed(folder.settings)
        request = request_if_readable(folder)
        task, settings = (None, {}) if request is None else (request.task, request.settings)
        row = "INSERT OR REPLACE INTO folders (room, id, task, asked, written) VALUES (?, ?, ?, ?, ?)"
        index.execute(row, (*key, task, value_of(settings), written))
        _write_settings(index, folder, settings)
    settle(index, folders)


def _write_settings(index: sqlite3.Connection, folder: RunFolder, settings: Json) -> None:
    key = _place(folder)
    index.execute("DELETE FROM settings WHERE room = ? AND id = ?", key)
    rows = [(*key, *pair) for pair in values_of(settings).items()]
    index.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?, ?, ?)", rows)


def settle(index: sqlite3.Connection, folders: list[RunFolder]) -> None:
    """Mark folders that recorded how they ended. States are read while nobody else can remove a mark."""
    for folder in folders:
        facts = read_state(folder)
        if is_settled(folder, facts):
            values = str(facts.state), seconds_of(facts.started), seconds_of(facts.ended), *_place(folder)
            index.execute("UPDATE folders SET state = ?, started = ?, ended = ? WHERE room = ? AND id = ?", values)
            if facts.settings:
                _write_settings(index, folder, settings_of(folder))


def is_settled(folder: RunFolder, facts: RunState) -> bool:
    """Whether it ended and can only restart through ``note_again``."""
    if not facts.is_over or facts.damaged or facts.worker_vanished:
        return False
    may_go_on = read_job(folder) is not None and facts.state is State.INTERRUPTED
    return not may_go_on and time.time_ns() - changed(folder.path) > SETTLED_NS


def folders_of(rows: Iterable[tuple[str, str]]) -> list[RunFolder]:
    """The folders for these rooms and ids."""
    root = store_root()
    return [RunFolder(root / room / run_id) for room, run_id in rows]


def _place(folder: RunFolder) -> tuple[str, str]:
    return folder.path.parent.name, folder.id


def changed(path: Path | str) -> int:
    """When a folder or file last changed, in nanoseconds; 0 if it does not exist."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):  # no name of a file
        return 0


def value_of(value: object) -> str:
    """A key that is equal for values that are equal in JSON; plain ASCII."""
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= LONGEST_VALUE else hashlib.sha256(text.encode("ascii")).hexdigest()


def values_of(settings: Json) -> dict[str, str]:
    """The same for each setting present."""
    return {value_of(name): value_of(value) for name, value in settings.items() if value is not None}
