"""The film of a run: maps of its probe texts, one frame per evaluation, each in a file, listed in film.jsonl."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from embedlab.damage import read_array
from embedlab.measurement import ByDistance, Measurement
from embedlab.own_files import remove_matching
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import append_row, keep_rows_until, read_rows
from embedlab.store_root import UnreadableFile, atomic_write


class FrameFacts(BaseModel):
    """The row of one frame: its step, its file, kNN accuracy of the live texts, and why it repeats the last one."""

    model_config = ConfigDict(frozen=True)

    step: int
    file: str
    knn: ByDistance[Measurement] | None = None
    note: str = ""


@dataclass(frozen=True)
class Film:
    """Frames (texts, 2) of the same corpus rows (texts,), finite, with their facts."""

    rows: np.ndarray
    frames: tuple[np.ndarray, ...]
    facts: tuple[FrameFacts, ...]


def frames_file(folder: RunFolder) -> Path:
    """One JSON row per frame, written after the frame itself."""
    return folder.film / "film.jsonl"


def begin_film(folder: RunFolder, rows: np.ndarray) -> None:
    """Start an empty film of these corpus rows, replacing an earlier one."""
    remove_matching(folder.film, re.compile(r"rows\.npy|film\.jsonl|frame-\d{6,}\.npy").fullmatch)
    _write(folder.film / "rows.npy", rows.astype(np.int64))


def probe_of(folder: RunFolder) -> np.ndarray | None:
    """The corpus rows of the film, None without one.  -> (texts,)"""
    return _read(folder.film / "rows.npy")


def append_frame(folder: RunFolder, coordinates: np.ndarray, *, step: int, **facts: object) -> None:
    """Write one more frame, then its row. coordinates: (texts, 2), NaN for texts without coordinates"""
    name = f"frame-{step:06d}.npy"
    _write(folder.film / name, coordinates.astype(np.float32))
    append_row(frames_file(folder), {"step": step, **facts, "file": name})


def keep_frames_until(folder: RunFolder, steps: int) -> None:
    """Drop the frames after this step, for a run that resumes from it."""
    if later := [row for row in frame_rows(folder) if row.step > steps]:
        keep_rows_until(frames_file(folder), steps)
    for row in later:
        (folder.film / Path(row.file).name).unlink(missing_ok=True)


def frame_rows(folder: RunFolder) -> list[FrameFacts]:
    """The facts of each frame, in order."""
    frames = []
    for row in read_rows(frames_file(folder)):
        with suppress(ValidationError):
            frames.append(FrameFacts.model_validate(row))
    return frames


def load_frame(folder: RunFolder, row: FrameFacts) -> np.ndarray | None:
    """The coordinates of a frame, None if they cannot be read. -> (texts, 2)"""
    return _read(folder.film / Path(row.file).name)


def read_film(folder: RunFolder) -> Film | None:
    """All frames; None if there are none.

    Shown are the texts with a place in the first frame; one that loses its place later stays where it was.
    """
    rows = probe_of(folder)
    facts, frames = [], []
    for row in frame_rows(folder):
        drawn = load_frame(folder, row)
        if rows is not None and drawn is not None and drawn.shape == (len(rows), 2):
            facts.append(row)
            frames.append(drawn)
    if rows is None or not frames:
        return None
    has_place = np.isfinite(frames[0]).all(axis=1)
    steady = [frames[0][has_place]]
    for drawn in frames[1:]:
        steady.append(np.where(np.isfinite(drawn[has_place]).all(axis=1, keepdims=True), drawn[has_place], steady[-1]))
    return Film(rows[has_place], tuple(steady), tuple(facts))


def _write(path: Path, array: np.ndarray) -> None:
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        np.save(file, array, allow_pickle=False)


def _read(path: Path) -> np.ndarray | None:
    try:
        return read_array(path)
    except UnreadableFile:
        return None
