"""Summaries made in the app, which lie beside their corpus: it stays as it is."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from embedlab.corpora.stored.columns import stored_column
from embedlab.damage import reading_stored
from embedlab.errors import CorpusError
from embedlab.store_root import read_json_if_whole


def read_facts(folder: Path) -> dict[str, Any] | None:
    """Who made a corpus's summaries, with which settings, and of how many texts; None where nobody did."""
    facts = read_json_if_whole(folder / "summaries.json")
    if facts is None or "sha256" not in facts or not summaries_file(folder).is_file():
        return None
    return facts


def read_made(folder: Path, facts: dict[str, Any]) -> list[list[str]]:
    """The summaries of each row, ``[]`` where it has none; a file other than the described one is refused."""
    if hash_of(summaries_file(folder)) != facts["sha256"]:
        message = f"The summaries of corpus {folder.name} have changed since they were made (summaries.parquet)."
        raise CorpusError("E-SUMMARIES", f"{message} Make them again on the page Data.")
    return list(stored_column(summaries_file(folder), "summaries"))


def some_made(folder: Path, rows: list[int]) -> list[list[str]]:
    """The summaries of a few rows, without reading those of all."""
    return list(stored_column(summaries_file(folder), "summaries").at(np.array(rows, np.int64)))


def summaries_file(folder: Path) -> Path:
    """Where they lie beside a corpus."""
    return folder / "summaries.parquet"


def hash_of(file: Path) -> str:
    """SHA-256 of a file."""
    with reading_stored(file), open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
