"""Finds runs and jobs by their request and state, as fast among thousands as among ten."""

import json
import sqlite3
import time
from collections.abc import Iterator
from heapq import merge
from pathlib import Path
from typing import Any

from embedlab.corpora.stored.shelf import CORPORA
from embedlab.errors import RunError
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.file import (
    ask_index,
    changed,
    folders_of,
    is_settled,
    settle,
    value_of,
    values_of,
    write,
    writing,
)
from embedlab.runs.state import ROOMS, RunState, State, read_state, seconds_of
from embedlab.runs.store import request_if_readable, stored_request
from embedlab.store_root import Json, store_root

LOOK_EVERY_SECONDS = 10  # at all settings, for what was changed by hand
_looked: dict[Path, float] = {}  # by store: when this was done last


def find_jobs(
    task: str, request: Json | None = None, /, *, standing: State | None = None, **settings: Any
) -> Iterator[RunFolder]:
    """Runs (``train``) or jobs of this task, newest first, read one at a time; unreadable ones are skipped.

    ``request``: those of exactly this one.  ``settings``: those with these among their settings, complete ones where
    a worker has read them; None is one that is not there.  ``standing``: those in this state.
    """
    required = values_of(settings)
    exact = None if request is None else value_of(request)
    for folder in ask_index(lambda index: _candidates(index, task, exact, standing, required)):
        content = request_if_readable(folder)
        if content is None or content.task != task or (exact is not None and value_of(content.settings) != exact):
            continue
        facts = read_state(folder) if task == "train" or standing is not None else None
        complete = content.settings | ((facts.settings or {}) if facts is not None else {})
        same = values_of({name: complete.get(name) for name in settings}) == required
        if same and (standing is None or (facts is not None and facts.state is standing)):
            yield folder


def find_runs(**settings: Any) -> Iterator[RunFolder]:
    """Trained and imported runs with these settings, newest first, as from ``find_jobs``."""
    each = [find_jobs(task, **settings) for task in ("train", "bring")]
    return merge(*each, key=lambda folder: folder.id, reverse=True)


def strings_told(name: str) -> list[str]:
    """The distinct string values of a setting over all runs and jobs, except those too long for the index."""
    query = "SELECT DISTINCT value FROM settings WHERE key = ? AND value LIKE ?"
    rows = ask_index(lambda index: index.execute(query, (value_of(name), '"%')).fetchall())
    return [json.loads(value) for (value,) in rows]


def newest_job(task: str, /, **settings: Any) -> RunFolder | None:
    """The first of ``find_jobs``."""
    return next(find_jobs(task, **settings), None)


def at_work(*rooms: str) -> list[RunFolder]:
    """Runs and jobs (or only one room's) that are queued or running, oldest first."""
    return [folder for folder, facts in unsettled(*rooms) if not facts.is_over and _why_unreadable(folder) is None]


def unsettled(*rooms: str) -> list[tuple[RunFolder, RunState]]:
    """Return those at work, and those that ended without recording it, with their state, oldest first.

    What a worker that has gone could not write down is written now.
    """
    chosen = rooms or ROOMS

    def query(index: sqlite3.Connection) -> list[tuple[RunFolder, RunState]]:
        rows = index.execute("SELECT room, id FROM folders WHERE state IS NULL ORDER BY id").fetchall()
        standings = [(folder, _ended(folder)) for folder in folders_of(row for row in rows if row[0] in chosen)]
        if settled := [folder for folder, facts in standings if is_settled(folder, facts)]:
            with writing(index):
                settle(index, settled)
        return standings

    return ask_index(query)


def damaged() -> dict[str, str]:
    """A sentence for each unreadable run, job and corpus, by id; files changed by hand are read again."""

    def query(index: sqlite3.Connection) -> list[RunFolder]:
        root, rows = store_root(), []
        if time.monotonic() - _looked.get(root, float("-inf")) > LOOK_EVERY_SECONDS:
            _looked[root] = time.monotonic()
            rows = index.execute("SELECT room, id, written FROM folders").fetchall()
        if anew := [row[:2] for row in rows if changed(f"{root}/{row[0]}/{row[1]}/settings.json") != row[2]]:
            with writing(index):
                write(index, folders_of(anew))
        return folders_of(index.execute("SELECT room, id FROM folders WHERE task IS NULL ORDER BY id"))

    sentences = {folder.id: why for folder in ask_index(query) if (why := _why_unreadable(folder)) is not None}
    for folder, facts in unsettled():
        if facts.damaged:
            sentences.setdefault(folder.id, f"The state of run {folder.id} cannot be read. Delete the run.")
    return sentences | CORPORA.unreadable()


def worked_between(began: float, ended: float | None) -> list[RunFolder]:
    """Runs and jobs at work at some time between two moments, in seconds since 1970; None: until now."""
    until = float("inf") if ended is None else ended

    def query(index: sqlite3.Connection) -> list[RunFolder]:
        within = "state IS NOT NULL AND ended > ? AND started < ?"
        return folders_of(index.execute(f"SELECT room, id FROM folders WHERE {within}", (began, until)).fetchall())

    unsettled_times = {folder: (seconds_of(facts.started), seconds_of(facts.ended)) for folder, facts in unsettled()}
    left = [each for each, (first, last) in unsettled_times.items()
            if first is not None and first < until and (last is None or last > began)]  # fmt: skip
    return [*ask_index(query), *left]


def jobs_over() -> list[RunFolder]:
    """Jobs that have ended, newest first."""
    left = [folder for folder, facts in unsettled("jobs") if facts.is_over]
    rows = ask_index(
        lambda index: index.execute("SELECT room, id FROM folders WHERE room = 'jobs' AND state IS NOT NULL").fetchall()
    )
    return sorted({*left, *folders_of(rows)}, key=lambda folder: folder.id, reverse=True)


def _candidates(
    index: sqlite3.Connection, task: str, request: str | None, state: State | None, required: dict[str, str]
) -> list[RunFolder]:
    """Ended ones by the index, and all others of this task; newest first."""
    rows = set(index.execute("SELECT room, id FROM folders WHERE task = ? AND state IS NULL", (task,)))
    source, conditions, values = "folders f", ["f.task = ?", "f.state IS NOT NULL"], [task]
    if state is not None:
        conditions, values = [*conditions, "f.state = ?"], [*values, str(state)]
    if request is not None:
        conditions, values = [*conditions, "f.asked = ?"], [*values, request]
    for number, pair in enumerate(required.items()):
        if number == 0 and request is None:  # the few folders with this value are looked through, not all of the task
            source = "settings s CROSS JOIN folders f ON f.room = s.room AND f.id = s.id"
            conditions.append("s.key = ? AND s.value = ?")
        else:
            alike = "o.room = f.room AND o.id = f.id AND o.key = ? AND o.value = ?"
            conditions.append(f"EXISTS (SELECT 1 FROM settings o WHERE {alike})")
        values += pair
    rows |= set(index.execute(f"SELECT f.room, f.id FROM {source} WHERE {' AND '.join(conditions)}", values))
    return folders_of(sorted(rows, key=lambda row: row[1], reverse=True))


def _ended(folder: RunFolder) -> RunState:
    """Return the state, after writing down what a worker that has gone could not."""
    facts = read_state(folder)
    if not facts.worker_vanished:
        return facts
    from embedlab.runs.kept import record_ending  # it reads results, and a list of runs needs none

    return record_ending(folder)


def _why_unreadable(folder: RunFolder) -> str | None:
    try:
        stored_request(folder)
    except RunError as error:
        return error.message
    return None
