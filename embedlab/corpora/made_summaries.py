"""Summaries made in the app: beside their corpus, which stays as it is; published whole, made text by text."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.errors import CorpusError
from embedlab.store_root import atomic_write, read_json, write_json


class Unfinished(NamedTuple):
    """Work on summaries that ended early: what was requested, and how far it came."""

    request: dict[str, Any]
    done: int
    texts: int


def read_facts(folder: Path) -> dict[str, Any] | None:
    """Who made a corpus's summaries, with which settings, and of how many texts; None where nobody did."""
    facts = _object(folder / "summaries.json")
    if facts is None or "sha256" not in facts or not _table(folder).is_file():
        return None
    return facts


def read_made(folder: Path, facts: dict[str, Any]) -> list[list[str]]:
    """The summaries of each row, ``[]`` where it has none; a file other than the described one is refused."""
    if _sha256(_table(folder)) != facts["sha256"]:
        message = f"The summaries of corpus {folder.name} have changed since they were made (summaries.parquet)."
        raise CorpusError("E-SUMMARIES", f"{message} Make them again on the page Data.")
    return _column(folder).to_pylist()


def some_made(folder: Path, rows: list[int]) -> list[list[str]]:
    """The summaries of a few rows, without reading those of all."""
    return _column(folder).take(pa.array(rows, pa.int64())).to_pylist()


def _column(folder: Path) -> pa.ChunkedArray:
    with pq.ParquetFile(_table(folder), memory_map=True) as file:
        return file.read(columns=["summaries"]).column(0)


def publish(folder: Path, made: dict[int, list[str]], *, rows: int, facts: dict[str, Any]) -> dict[str, Any]:
    """Put the summaries of all ``rows`` in place of earlier ones. What is described is there: the facts come last."""
    column = pa.array([made.get(row, []) for row in range(rows)], pa.list_(pa.string()))
    (folder / "summaries.json").unlink(missing_ok=True)
    with atomic_write(_table(folder)) as temporary:
        pq.write_table(pa.table({"summaries": column}), temporary, compression="zstd", row_group_size=50_000)
    facts = facts | {"sha256": _sha256(_table(folder))}
    write_json(folder / "summaries.json", facts)
    return facts


def rows_file(folder: Path, key: str) -> Path:
    """One JSON row for each text that is done, ``{row, summaries}``; only ever appended to."""
    return folder / f"summaries-{key}.jsonl"


def begin(folder: Path, key: str, *, request: dict[str, Any], texts: int) -> None:
    """Note what is being made, so that whoever comes later can go on."""
    write_json(folder / f"summaries-{key}.json", {"asked": request, "texts": texts})


def unfinished(folder: Path) -> Unfinished | None:
    """The newest work that was begun and not published."""
    facts = read_facts(folder)
    notes = sorted(folder.glob("summaries-*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in notes:
        note, key = _object(file), file.stem.removeprefix("summaries-")
        if note is None or (facts is not None and (facts.get("key"), facts.get("asked")) == (key, note["asked"])):
            continue
        if facts is not None and (folder / "summaries.json").stat().st_mtime_ns > file.stat().st_mtime_ns:
            return None  # something else was finished since
        return Unfinished(note["asked"], min(_lines(rows_file(folder, key)), note["texts"]), note["texts"])
    return None


def _table(folder: Path) -> Path:
    return folder / "summaries.parquet"


def _object(file: Path) -> dict[str, Any] | None:
    try:
        content = read_json(file)
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with open(file, "rb") as rows:
        return sum(row.endswith(b"\n") for row in rows)


def _sha256(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
