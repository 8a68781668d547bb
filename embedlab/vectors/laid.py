"""Imported vectors arranged in a corpus's order, each at its text's row; and remarks on a file of them."""

from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from embedlab.errors import CorpusError
from embedlab.measurement import Note
from embedlab.progress import Progress, silent
from embedlab.vectors.faults import CONSEQUENCE, FaultyRows
from embedlab.vectors.ids import ROW, IdColumns, JoinedFile, VectorJoin, joined_rows
from embedlab.vectors.opened import OwnVectors, all_rows, open_vectors

MOST = 1e15  # of an imported number: sums of the squares of 100,000 of them are finite in float32


class CorpusRows(Protocol):
    """What arranging vectors needs from a corpus."""

    @property
    def kept(self) -> np.ndarray:
        """Rows with a text  (texts,)."""

    @property
    def excluded(self) -> np.ndarray:
        """True where a row has no text  (rows,)."""

    @property
    def id_columns(self) -> IdColumns:
        """The columns that may identify a row's text."""


class LaidReport(NamedTuple):
    """How a file was joined with a corpus, and warnings about its vectors."""

    joined: JoinedFile
    warnings: list[Note]


def join(vectors: OwnVectors, corpus: CorpusRows, *, by: str | None = None, gaps: bool = False) -> VectorJoin:
    """The corpus row of each row of the file; refused if a text would have no vector, unless gaps are allowed."""
    by = by or (ROW if vectors.counts_rows else None)
    return joined_rows(vectors.id_columns, corpus.id_columns, corpus.kept, by=by, gaps=gaps)


def lay_in_order(
    vectors: OwnVectors,
    corpus: CorpusRows,
    laid: np.ndarray,
    *,
    progress: Progress,
    gaps: bool = False,
    by: str | None = None,
) -> VectorJoin:
    """Fill ``laid`` (corpus rows, dim) with the file's rows in the corpus's order; rows without a text are zero.

    Every text needs finite values; with ``gaps`` a text may be left out or have none, and gets NaN. ``by``: as
    ``joined_rows`` has it.
    """
    joined = join(vectors, corpus, by=by, gaps=gaps)
    laid[:] = np.nan if gaps else 0
    for start, part in vectors.parts():
        progress(f"Reading {vectors.name}", start, vectors.rows)
        rows = joined.rows[start : start + len(part)]
        is_text = (rows >= 0) & ~corpus.excluded[rows]
        with np.errstate(over="ignore"):  # said below, with its place
            values = np.asarray(part, np.float32)
        if not gaps and not (fine := (np.abs(values) <= MOST) | ~is_text[:, None]).all():
            row, column = np.argwhere(~fine)[0]
            message = f"Embeddings are numbers up to {MOST:g}, but {_position(vectors, start + row, column)} is"
            raise CorpusError("E-VALUE", f"{message} {part[row, column]}. Embed that text again.")
        laid[rows[is_text]] = values[is_text]
    return joined


def require_places(vectors: OwnVectors) -> None:
    """Refuse coordinates that cannot be drawn: infinite ones, larger ones than ``MOST``, and half a place.

    A row without either coordinate is a text without a place, which the map leaves out.

    Raises
    ------
    CorpusError
        with the row, counted from 1, the column and the value.
    """
    for start, part in vectors.parts():
        values = np.asarray(part, np.float64)
        is_missing = np.isnan(values)
        is_wrong = np.where(is_missing, ~is_missing.all(axis=1, keepdims=True), np.abs(values) > MOST)
        if is_wrong.any():
            row, column = np.argwhere(is_wrong)[0]
            raise CorpusError(
                "E-VALUE",
                f"Coordinates are numbers up to {MOST:g}, but {_position(vectors, start + row, column)} is "
                f"{part[row, column]}. Correct it, or leave both coordinates of that row empty.",
            )


def _position(vectors: OwnVectors, row: int, column: int) -> str:
    named = f"column {vectors.columns[column]!r}" if len(vectors.columns) > 1 else f"value {column + 1:,}"
    return f"row {row + 1:,}, {named} of {vectors.name!r}"


def texts_without_a_place(places: np.ndarray, corpus: CorpusRows, name: str) -> list[Note]:
    """Return a note on the texts that a file of coordinates leaves out.  places: (corpus rows, 2)"""
    without = corpus.kept[np.isnan(places[corpus.kept]).any(axis=1)]
    if not len(without):
        return []
    count = f"{len(without):,} of {len(corpus.kept):,} texts have no place in {name!r} ({FaultyRows.of(without)})"
    return [Note(code="W-NO-PLACE", message=f"{count}: the map leaves them out.")]


def rows_for(
    corpus: CorpusRows, file: str, *, column: str | None = None, by: str | None = None, as_numbers: bool = False
) -> tuple[np.ndarray, np.ndarray, LaidReport]:
    """One vector per row of the corpus, NaN where there is none; ``by``: how to join them.

    -> (rows, dim), (rows without a vector,)
    """
    vectors = open_vectors(file, column=column, as_numbers=as_numbers)
    laid = np.empty((corpus.id_columns.rows, vectors.dim), np.float32)
    joined = lay_in_order(vectors, corpus, laid, progress=silent, gaps=True, by=by)
    without = np.setdiff1d(corpus.kept, joined.rows)
    warnings = _stored_numbers(vectors)
    if len(without):
        count = f"{len(without):,} of {joined.summary.of:,} texts have no vector in {vectors.name!r}"
        warnings.append(Note(code="W-NO-VECTOR", message=f"{count} ({FaultyRows.of(without)}): {CONSEQUENCE}."))
    return laid, without, LaidReport(joined.summary, warnings)


def in_own_order(file: str, column: str | None = None) -> tuple[np.ndarray, pa.ChunkedArray | None, list[Note]]:
    """The vectors of a file, their ids, and remarks on them.

    -> (rows, dim) float32, (rows,)
    """
    vectors = open_vectors(file, column=column)
    ids = vectors.id_columns.usual
    return all_rows(vectors), vectors.read_ids(ids[0]) if ids else None, _stored_numbers(vectors)


def _stored_numbers(vectors: OwnVectors) -> list[Note]:
    return [Note(code="I-STORED-NUMBERS", message=vectors.remark)] if vectors.remark else []
