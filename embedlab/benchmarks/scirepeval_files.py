"""SciRepEval's tables: the papers to embed, and the labels, graded candidates and reviewers to score them by."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from embedlab.errors import CorpusError
from embedlab.store_root import by_number

Grades = dict[str, dict[str, int]]  # query -> candidate -> grade


@dataclass(frozen=True)
class Labels:
    """Papers of a part by their ids, with their labels.  (papers,), or (papers, classes) of 0 and 1"""

    ids: list[str]
    values: np.ndarray


def read_papers(folder: Path, fields: tuple[str, ...], separator: str) -> dict[str, str]:
    """The text of each query and each candidate by its id, the fields that it has joined by the separator.

    A query is marked by ``query:`` before its id, because a query and a candidate can share one.
    """
    found: dict[str, str] = {}
    for row in _rows(folder, "evaluation"):
        if "query" not in row:
            found.setdefault(_id(folder, row, "doc_id"), _text(row, fields, separator))
            continue
        query = row["query"]
        asked = {"title": query, "doc_id": row["doc_id"]} if isinstance(query, str) else query
        found.setdefault(f"query:{_id(folder, asked, 'doc_id')}", _text(asked, fields, separator))
        for candidate in row["candidates"]:
            found.setdefault(_id(folder, candidate, "doc_id"), _text(candidate, fields, separator))
    return found


def read_labels(folder: Path, part: str, *, is_multi_label: bool) -> Labels:
    """``train`` or ``test``."""
    rows = _rows(folder, part)
    values = [_of(folder, row, "label") for row in rows]
    array = np.array(values, dtype=float if isinstance(values[0], int | float | list) else object)
    if is_multi_label and not (array.ndim == 2 and np.isin(array, (0.0, 1.0)).all()):
        raise CorpusError(
            "E-SCIREPEVAL-FILE",
            f"{folder.name} needs a list of 0 and 1 of equal length as each label, but found {values[0]!r}. "
            "Take the tables as SciRepEval's authors release them.",
        )
    return Labels([_id(folder, row, "paper_id") for row in rows], array)


def read_grades(folder: Path, part: str) -> Grades:
    """The graded candidates of each query of a part."""
    found: Grades = {}
    for row in _rows(folder, part):
        found.setdefault(_id(folder, row, "query_id"), {})[_id(folder, row, "cand_id")] = int(_of(folder, row, "score"))
    return found


def read_reviewers(folder: Path) -> dict[str, list[str]]:
    """The papers of each reviewer."""
    return {_id(folder, row, "r_id"): [str(paper) for paper in row["papers"]] for row in _rows(folder, "metadata")}


def _rows(folder: Path, part: str) -> list[dict]:
    """A part's tables: ``part-00000-of-00001.parquet``, or ``part/0000.parquet`` as the hub converts them."""
    files = sorted([*folder.glob(f"{part}-*.parquet"), *folder.glob(f"{part}/*.parquet")], key=by_number)
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    if not rows:
        raise CorpusError(
            "E-SCIREPEVAL-FILE",
            f"{folder.name} needs a table of its part {part!r}, but {'it is empty' if files else 'there is none'}. "
            "Fetch it again.",
        )
    return rows


def _id(folder: Path, row: dict, column: str) -> str:
    return str(_of(folder, row, column))


def _of(folder: Path, row: dict, column: str):
    if column not in row:
        raise CorpusError(
            "E-SCIREPEVAL-FILE",
            f"{folder.name} needs a column {column!r}, but has {', '.join(row)}. "
            "Take the tables as SciRepEval's authors release them.",
        )
    return row[column]


def _text(row: dict, fields: tuple[str, ...], separator: str) -> str:
    return separator.join(str(row[name]) for name in fields if row.get(name)).strip()
