"""``index/again``: which runs and jobs that were over were begun again, a line each; only ever added to."""

import os

from embedlab.runs.folder import RunFolder
from embedlab.store_root import make_folder, store_root

ROOMS = ("runs", "jobs")


def note_again(folder: RunFolder) -> None:
    """For who begins it again, after its state says so."""
    if folder.path.parent.name not in ROOMS:
        return
    file = folder.path.parent.parent / "index" / "again"
    make_folder(file.parent)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{folder.path.parent.name} {folder.id}\n".encode())
    finally:
        os.close(descriptor)


def begun_again(offset: int) -> tuple[list[tuple[str, str]], int]:
    """Room and id of those noted from a byte offset on, and the offset after them; -1 where the file was deleted."""
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
