"""Summaries on their way to a corpus: begun, made text by text, and published whole."""

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.made_summaries import hash_of, read_facts, summaries_file
from embedlab.store_root import atomic_write, read_json_if_whole, write_json


class Unfinished(NamedTuple):
    """Work on summaries that ended early: what was requested, and how far it came."""

    request: dict[str, Any]
    done: int
    texts: int


def publish(folder: Path, made: dict[int, list[str]], *, rows: int, facts: dict[str, Any]) -> dict[str, Any]:
    """Put the summaries of all ``rows`` in place of earlier ones. What is described is there: the facts come last."""
    column = pa.array([made.get(row, []) for row in range(rows)], pa.list_(pa.string()))
    (folder / "summaries.json").unlink(missing_ok=True)
    with atomic_write(summaries_file(folder)) as temporary:
        pq.write_table(pa.table({"summaries": column}), temporary, compression="zstd", row_group_size=50_000)
    facts = facts | {"sha256": hash_of(summaries_file(folder))}
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
        note, key = read_json_if_whole(file), file.stem.removeprefix("summaries-")
        if note is None or (facts is not None and (facts.get("key"), facts.get("asked")) == (key, note["asked"])):
            continue
        if facts is not None and (folder / "summaries.json").stat().st_mtime_ns > file.stat().st_mtime_ns:
            return None  # something else was finished since
        return Unfinished(note["asked"], min(_lines(rows_file(folder, key)), note["texts"]), note["texts"])
    return None


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with open(file, "rb") as rows:
        return sum(row.endswith(b"\n") for row in rows)
