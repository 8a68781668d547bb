"""Processes that read runs without being a job, as commands and notebooks do: noted, so that nobody deletes those."""

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from embedlab.errors import StoreError
from embedlab.store_root import make_folder, named_root, read_json_if_whole, store_root

_ID = re.compile(r"(?<![0-9a-z])[0-9a-z]{6,26}(?![0-9a-z])")  # of a run, also behind ``run:``
_ROOMS = ("runs", "jobs")


@dataclass
class Reader:
    """One process and what it reads: ids of runs, fingerprints of corpora."""

    what: str  # such as ``embedlab evaluate``
    process: int
    ids: set[str] = field(default_factory=set)
    file: Path | None = None  # None where the store cannot be written to

    def also_reads(self, its_id: str) -> None:
        """Note one more run or corpus."""
        self.ids.add(its_id)
        if self.file is not None:
            with suppress(OSError, StoreError):
                self.file.write_text(json.dumps({"what": self.what, "process": self.process, "ids": sorted(self.ids)}))


_here: list[Reader] = []  # those of this process


def run_ids_in(values: Iterable[Any]) -> set[str]:
    """Return the ids of existing runs among values: runs themselves, ids, ``run:ID``, and lists of those."""
    ids: set[str] = set()
    for value in values:
        if isinstance(value, list | tuple):
            ids |= run_ids_in(value)
        else:
            text = value if isinstance(value, str) else str(getattr(value, "id", ""))
            ids |= {each for each in _ID.findall(text) if _is_run(each)}
    return ids


def _is_run(its_id: str) -> bool:
    return any(os.path.lexists(named_root() / room / its_id) for room in _ROOMS)


@contextmanager
def register_reader(what: str, ids: Iterable[str]) -> Iterator[None]:
    """Note until the block ends that this process reads these runs or corpora.

    Nothing is noted where the store cannot be written to: nobody can delete from it either.
    """
    from filelock import FileLock

    reader, lock = Reader(what, os.getpid()), None
    with suppress(OSError, NotImplementedError, StoreError):
        file = _folder() / f"{secrets.token_hex(8)}.json"
        make_folder(file.parent)
        lock = FileLock(file.with_suffix(".lock"))
        lock.acquire(timeout=0)
        reader.file = file
    for its_id in ids:
        reader.also_reads(its_id)
    _here.append(reader)
    try:
        yield
    finally:
        _here.remove(reader)
        with suppress(OSError):
            if reader.file is not None:
                reader.file.unlink(missing_ok=True)
        if lock is not None:
            lock.release()
            with suppress(OSError):
                os.unlink(lock.lock_file)


def note_reading(its_id: str) -> None:
    """Note that this process reads one more run or corpus, if it notes what it reads."""
    for reader in _here:
        reader.also_reads(its_id)


def readers() -> list[Reader]:
    """Return the processes that read something now. The notes of processes that were killed are removed."""
    from filelock import FileLock, Timeout

    living = []
    for file in sorted(_folder().glob("*.json")):
        lock = FileLock(file.with_suffix(".lock"), timeout=0)
        try:
            with lock:
                file.unlink(missing_ok=True)
            os.unlink(lock.lock_file)
        except Timeout:
            living.append(file)
        except (OSError, NotImplementedError):
            continue
    return [reader for file in living if (reader := _read(file)) is not None]


def _folder() -> Path:
    return store_root() / "locks" / "readers"


def _read(file: Path) -> Reader | None:
    """Return what a note says; None of one that is gone or not yet whole."""
    content = read_json_if_whole(file)
    if content is None or not isinstance(content.get("ids"), list):
        return None
    return Reader(str(content.get("what", "")), int(content.get("process", 0)), set(map(str, content["ids"])), file)
