"""Summaries made in the app, which lie beside their corpus: begun, made text by text, published whole, and read."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from embedlab.config import Config
from embedlab.corpora.stored.columns import stored_column
from embedlab.damage import read_model_if_whole, reading_stored
from embedlab.errors import CorpusError
from embedlab.store_root import Json, atomic_write, write_json


class MadeSummaries(Config):
    """The contents of summaries.json: who made a corpus's summaries, with which settings, and of how many texts."""

    key: str  # of the file of their rows
    request: Json = Field(alias="asked")  # as it is stored, to go on by
    summariser: str
    title: str
    model: str
    extractive: bool
    prompts: tuple[str, ...]
    continuations: int
    settings: Json
    asked_texts: int
    texts: int
    summaries: int
    made: str
    versions: dict[str, str]
    sha256: str = ""  # of the table, once it is published


def read_facts(folder: Path) -> MadeSummaries | None:
    """What is known of a corpus's summaries; None where nobody made any."""
    facts = read_model_if_whole(folder / "summaries.json", MadeSummaries)
    return facts if summaries_file(folder).is_file() else None


def read_made(folder: Path, facts: MadeSummaries) -> list[list[str]]:
    """The summaries of each row, ``[]`` where it has none; a file other than the described one is refused."""
    if _hash_of(summaries_file(folder)) != facts.sha256:
        message = f"The summaries of corpus {folder.name} have changed since they were made (summaries.parquet)."
        raise CorpusError("E-SUMMARIES", f"{message} Make them again on the page Data.")
    return list(stored_column(summaries_file(folder), "summaries"))


def some_made(folder: Path, rows: list[int]) -> list[list[str]]:
    """The summaries of a few rows, without reading those of all."""
    return list(stored_column(summaries_file(folder), "summaries").at(np.array(rows, np.int64)))


def summaries_file(folder: Path) -> Path:
    """Where they lie beside a corpus."""
    return folder / "summaries.parquet"


def publish(folder: Path, made: dict[int, list[str]], facts: MadeSummaries, *, rows: int) -> MadeSummaries:
    """Put the summaries of all ``rows`` in place of earlier ones. What is described is there: the facts come last."""
    column = pa.array([made.get(row, []) for row in range(rows)], pa.list_(pa.string()))
    (folder / "summaries.json").unlink(missing_ok=True)
    with atomic_write(summaries_file(folder)) as temporary:
        pq.write_table(pa.table({"summaries": column}), temporary, compression="zstd", row_group_size=50_000)
    facts = facts.model_copy(update={"sha256": _hash_of(summaries_file(folder))})
    write_json(folder / "summaries.json", facts.model_dump(mode="json", by_alias=True))
    return facts


def _hash_of(file: Path) -> str:
    """SHA-256 of a file."""
    with reading_stored(file), open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class _Begun(Config):
    """The contents of summaries-KEY.json."""

    request: Json = Field(alias="asked")
    texts: int


class Unfinished(NamedTuple):
    """Work on summaries that ended early: what was requested, and how far it came."""

    request: Json
    done: int
    texts: int


def rows_file(folder: Path, key: str) -> Path:
    """One JSON row for each text that is done, ``{row, summaries}``; only ever appended to."""
    return folder / f"summaries-{key}.jsonl"


def begin(folder: Path, key: str, *, request: Json, texts: int) -> None:
    """Note what is being made, so that whoever comes later can go on."""
    write_json(folder / f"summaries-{key}.json", {"asked": request, "texts": texts})


def unfinished(folder: Path) -> Unfinished | None:
    """The newest work that was begun and not published."""
    facts = read_facts(folder)
    for file in sorted(folder.glob("summaries-*.json"), key=lambda file: file.stat().st_mtime, reverse=True):
        note, key = read_model_if_whole(file, _Begun), file.stem.removeprefix("summaries-")
        if note is None or (facts is not None and (facts.key, facts.request) == (key, note.request)):
            continue
        if facts is not None and (folder / "summaries.json").stat().st_mtime_ns > file.stat().st_mtime_ns:
            return None  # something else was finished since
        return Unfinished(note.request, min(_lines(rows_file(folder, key)), note.texts), note.texts)
    return None


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with open(file, "rb") as rows:
        return sum(row.endswith(b"\n") for row in rows)
