"""A file of vectors as a command is given it: laid by the rows of a corpus, or in its own order; what is said of it."""

import numpy as np
import pyarrow as pa

from embedlab.progress import silent
from embedlab.vectors.faults import CONSEQUENCE, FaultyRows
from embedlab.vectors.laid import lay_in_order
from embedlab.vectors.opened import all_rows, open_vectors


def rows_for(
    corpus, file: str, *, column: str | None = None, by: str | None = None
) -> tuple[np.ndarray, np.ndarray, dict]:
    """One vector per row of the corpus, not a number where there is none; ``by``: how they are joined with it.

    -> (rows, dim), (rows without a vector,), {joined, warnings}
    """
    vectors = open_vectors(file, column=column)
    laid = np.empty((corpus.info.rows, vectors.dim), np.float32)
    joined = lay_in_order(vectors, corpus, laid, progress=silent, gaps=True, by=by)
    without = np.setdiff1d(corpus.kept, joined.rows)
    reading = {"joined": joined.as_json(), "warnings": _stored_numbers(vectors)}
    if len(without):
        count = f"{len(without):,} of {joined.of:,} texts have no vector in {vectors.name!r}"
        said = f"{count} ({FaultyRows.of(without)}): {CONSEQUENCE}."
        reading["warnings"].append({"code": "W-NO-VECTOR", "message": said})
    return laid, without, reading


def in_own_order(file: str, column: str | None = None) -> tuple[np.ndarray, pa.ChunkedArray | None, list[dict]]:
    """The vectors of a file, the ids they came with, and what is said of it.

    -> (rows, dim) float32, (rows,)
    """
    vectors = open_vectors(file, column=column)
    ids = vectors.id_columns.usual
    return all_rows(vectors), vectors.read_ids(ids[0]) if ids else None, _stored_numbers(vectors)


def _stored_numbers(vectors) -> list[dict]:
    return [{"code": "I-STORED-NUMBERS", "message": vectors.remark}] if vectors.remark else []
