"""What a person deleted: kept for a day in the store's room ``trash``, restored or removed for good.

An entry is a folder ``trash/<id>`` with ``entry.json`` and, below it, the deleted files at their path in the store.
"""

import os
import re
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from embedlab.damage import read_model_if_whole
from embedlab.errors import StoreError
from embedlab.own_files import files_in, remove_empty_folders, remove_files, size_of_files
from embedlab.scratch import disk_time_of
from embedlab.store_root import (
    ROOMS,
    TOMBSTONE,
    in_store,
    is_own_room,
    make_folder,
    store_root,
    tombstone_of,
    write_json,
)

KEPT_SECONDS = 24 * 3600
TOMBSTONE_SECONDS = 7 * 24 * 3600  # no worker begins so long after it was started
TRASH = "trash"
ENTRY = "entry.json"
_ID = re.compile("[0-9a-z]{6,26}")
_TOMBSTONE_NAME = re.compile(rf"(runs|jobs|studies|finds)-[0-9a-z]{{6,26}}{re.escape(TOMBSTONE)}")


class TrashEntry(BaseModel):
    """The contents of ``entry.json``: what was deleted, and where it lay."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    id: str  # of the entry
    kind: str  # run, corpus, selection, lesson, Find, study, evaluation set or pairs
    name: str  # as the user called it
    deleted: str  # UTC, ISO 8601
    places: tuple[str, ...]  # the deleted files and folders, as paths in the store
    files: tuple[str, ...]  # every file in them at that time; what was added later is not embedlab's to remove
    bytes: int

    @property
    def folder(self) -> Path:
        """The entry's own folder."""
        return store_root() / TRASH / self.id


def move_to_trash(kind: str, name: str, paths: Sequence[Path]) -> TrashEntry:
    """Hide these files and folders of the store; ``restore`` brings them back within a day.

    A run, study or Find leaves a tombstone, so that writers that are late do not bring it back. Raises OSError if one
    of them cannot be moved; then all stay as they were.
    """
    moment = datetime.now(UTC)
    entry_id = f"{int(moment.timestamp() * 1000):012x}{secrets.token_hex(2)}"
    root, folder = store_root(), store_root() / TRASH / entry_id
    make_folder(folder)
    _remove_old_tombstones()
    places = [Path(*in_store(path)) for path in paths]
    is_single = {relative: (root / relative).is_symlink() or not (root / relative).is_dir() for relative in places}
    files = [relative.as_posix() for relative in places if is_single[relative]]
    files += [f"{relative.as_posix()}/{file}" for relative in places for file in files_in(root / relative)]
    entry = TrashEntry(
        id=entry_id,
        kind=kind,
        name=name,
        deleted=moment.isoformat(timespec="milliseconds"),
        places=tuple(relative.as_posix() for relative in places),
        files=tuple(files),
        bytes=size_of_files(root, files),
    )
    write_json(folder / ENTRY, entry.model_dump(mode="json"))
    moved: list[Path] = []
    try:
        for relative in places:
            leave_tombstone(root / relative)
            (folder / relative).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.replace(root / relative, folder / relative)
            moved.append(relative)
    except OSError:
        for relative in moved:
            os.replace(folder / relative, root / relative)
        for relative in places:
            remove_tombstone(root / relative)
        (folder / ENTRY).unlink(missing_ok=True)
        remove_empty_folders(folder)
        raise
    return entry


def list_trash() -> list[TrashEntry]:
    """Return what can be restored, the newest first."""
    room = store_root() / TRASH
    if not room.is_dir():
        return []
    names = sorted(filter(_ID.fullmatch, os.listdir(room)), reverse=True)
    entries = [read_model_if_whole(room / name / ENTRY, TrashEntry) for name in names]
    return [entry for entry, name in zip(entries, names, strict=True) if entry is not None and entry.id == name]


def find_entry(entry_id: str) -> TrashEntry:
    """Return the entry with this id, or the one of the deleted run, corpus, … with this id.

    Raise StoreError if there is none.
    """
    entries = list_trash()
    for entry in entries:
        if entry_id == entry.id or entry_id in (Path(relative).stem for relative in entry.places):
            return entry
    newest = ", ".join(f"{entry.id} ({entry.kind} {entry.name})" for entry in entries[:3])
    choices = f"It has {newest}." if newest else "It is empty."
    raise StoreError("E-TRASH", f"Nothing with the id {entry_id[:80]!r} is in the trash. {choices}")


def restore(entry: TrashEntry) -> None:
    """Bring deleted files and folders back to where they lay. Raise StoreError if something else is there now."""
    root = store_root()
    for relative in entry.places:
        if Path(relative).is_absolute() or ".." in Path(relative).parts or Path(relative).parts[0] not in ROOMS:
            raise StoreError("E-TRASH", f"The entry {entry.id} names a path outside the store, so it is not restored.")
        if os.path.lexists(root / relative) and os.path.lexists(entry.folder / relative):
            raise StoreError(
                "E-TRASH-TAKEN",
                f"The {entry.kind} {entry.name!r} cannot be restored: {relative} exists again. Delete that first.",
            )
    for relative in entry.places:
        remove_tombstone(root / relative)
        make_folder((root / relative).parent)
        with suppress(FileNotFoundError):  # an earlier try brought this one back, and not the next
            os.replace(entry.folder / relative, root / relative)
    (entry.folder / ENTRY).unlink(missing_ok=True)
    remove_empty_folders(entry.folder)


def empty_trash(*, is_now: bool = False) -> int:
    """Remove for good what was deleted more than a day ago, or everything; return the number of bytes."""
    _remove_old_tombstones()
    if not is_own_room(TRASH):
        return 0
    now = disk_time_of(store_root())
    freed = 0
    for entry in list_trash():
        with suppress(OSError):
            if is_now or now - (entry.folder / ENTRY).stat().st_mtime > KEPT_SECONDS:
                freed += remove_files(entry.folder, [file for file in entry.files if ".." not in Path(file).parts])
                (entry.folder / ENTRY).unlink(missing_ok=True)
                remove_empty_folders(entry.folder)
    return freed


def leave_tombstone(path: Path) -> None:
    """Record that a run, job, study or Find was deleted, so that late writers do not create its folder again."""
    tombstone = tombstone_of(path) if len(in_store(path)) == 2 else None
    if tombstone is not None:
        make_folder(tombstone.parent)
        tombstone.touch(mode=0o600)


def remove_tombstone(path: Path) -> None:
    """Forget that this was deleted."""
    tombstone = tombstone_of(path) if len(in_store(path)) == 2 else None
    if tombstone is not None:
        tombstone.unlink(missing_ok=True)


def _remove_old_tombstones() -> None:
    if not is_own_room(TRASH):
        return
    for name in os.listdir(store_root() / TRASH):
        path = store_root() / TRASH / name
        if _TOMBSTONE_NAME.fullmatch(name) and _is_older(path, TOMBSTONE_SECONDS):
            with suppress(OSError):  # another process tidies too
                if path.lstat().st_size == 0:
                    path.unlink()


def _is_older(path: Path, seconds: float) -> bool:
    """Return whether a file was last written longer ago than this."""
    with suppress(OSError):
        return time.time() - path.lstat().st_mtime > seconds
    return False
