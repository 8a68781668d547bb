"""Which files embedlab wrote: the exact patterns of their writers, and lists of what a folder held at a known moment.

Whatever prunes or sweeps removes listed files one by one and folders only once they are empty, so that a file that
somebody put into a folder of embedlab's stays.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_ID = "[0-9a-z]{6,26}"
_SIDE = "(before|after|best-step)"
_METHOD = "[a-z0-9_]+"
WRITTEN = {  # what embedlab writes into a folder of this kind, relative to it
    "checkpoints": re.compile(r"step-\d{6,}/([a-z_-]+\.safetensors|facts\.json|COMPLETE)"),
    "neighbors": re.compile(rf"{_SIDE}-[a-z]+/(indices\.npy|distances\.npy|graph\.json)"),
    "run maps": re.compile(rf"{_SIDE}-{_METHOD}(-onto-{_ID})?(-trust)?\.(parquet|json)"),
    "shared maps": re.compile(r"[0-9a-f]{24}/(coordinates\.npy|facts\.json)"),
    "vectors": re.compile(r"[0-9a-f]{24}\.npy"),
    "job": re.compile(
        r"(settings|state|job|progress|result|live|files)\.json|(stages|resources|metrics|terms)\.jsonl|run\.lock|log\.txt"
        r"|beat\.json|\.progress\.part|workers/(\d{4}\.json|[a-z-]+)|control/(stop|stop-now|slurm/[^/]+)"
    ),
}


def files_in(folder: Path) -> Iterator[str]:
    """Yield every file and link below a folder as a path relative to it, with ``/``.

    Links are not followed, and a folder that is itself a link has none: what it leads to is not embedlab's to remove.
    """
    if folder.is_symlink():
        return
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in (*files, *links):
            yield Path(parent, name).relative_to(folder).as_posix()


def written_in(folder: Path, kind: str) -> list[str]:
    """Return the files in a folder that embedlab wrote there, by the patterns of ``WRITTEN``."""
    return [file for file in files_in(folder) if WRITTEN[kind].fullmatch(file)]


def remove_files(folder: Path, files: Iterable[str]) -> int:
    """Remove these files of a folder, and the folders that this empties; return the number of bytes."""
    freed, parents = 0, {folder}
    for file in files:
        path = folder / file
        with suppress(OSError):
            size = path.lstat().st_size
            path.unlink()
            freed += size
        parents.update(parent for parent in path.parents if parent.is_relative_to(folder))
    _remove_empty(parents)
    return freed


def remove_empty_folders(folder: Path) -> None:
    """Remove a folder and those below it as far as they are empty."""
    _remove_empty([Path(parent) for parent, _, _ in os.walk(folder)])


def _remove_empty(folders: Iterable[Path]) -> None:
    for each in sorted(folders, key=lambda path: len(path.parts), reverse=True):  # the deepest first
        with suppress(OSError):  # it is not empty
            each.rmdir()


def remove_matching(folder: Path, is_written: Callable[[str], object]) -> None:
    """Remove the files directly in a folder whose names its writer recognizes as its own."""
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if is_written(name):
                with suppress(OSError):
                    (folder / name).unlink()


def size_of_files(folder: Path, files: Iterable[str]) -> int:
    """Return the bytes of these files of a folder; those that are gone count nothing."""
    size = 0
    for file in files:
        with suppress(OSError):
            size += (folder / file).lstat().st_size
    return size
