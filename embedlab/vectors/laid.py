"""Vectors that were made elsewhere in a corpus's order: each is laid into the row of the text that it is of."""

from typing import Protocol

import numpy as np

from embedlab.errors import CorpusError
from embedlab.vectors.ids import ROW, IdColumns, Joined, joined_rows
from embedlab.vectors.opened import OwnVectors


class Rows(Protocol):
    """A corpus, as far as vectors are laid in its order: rows with and without a text, and what names them."""

    kept: np.ndarray
    excluded: np.ndarray
    id_columns: IdColumns


def join(vectors: OwnVectors, corpus: Rows, *, by: str | None = None, gaps: bool = False) -> Joined:
    """Which corpus row each row of the file is of; refused where a text would go without, unless there may be gaps."""
    by = by or (ROW if vectors.counts_rows else None)
    return joined_rows(vectors.id_columns, corpus.id_columns, corpus.kept, by=by, gaps=gaps)


def lay_in_order(
    vectors: OwnVectors, corpus: Rows, laid: np.ndarray, *, progress, gaps: bool = False, by: str | None = None
) -> Joined:
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
        if not gaps:
            _require_finite(vectors, part, np.isfinite(values) | ~is_text[:, None], start)
        laid[rows[is_text]] = values[is_text]
    return joined


def _require_finite(vectors: OwnVectors, part: np.ndarray, fine: np.ndarray, start: int) -> None:
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        named = f"column {vectors.columns[column]!r}" if len(vectors.columns) > 1 else f"value {column + 1:,}"
        place = f"row {start + row + 1:,}, {named} of {vectors.name!r}"
        message = f"Embeddings are finite 32-bit numbers, but {place} is {part[row, column]}."
        raise CorpusError("E-VALUE", f"{message} Embed that text again.")
