"""Embeddings or coordinates that were made elsewhere: .npy and Parquet, read in parts, laid in a corpus's order."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from embedlab.corpora.base import Corpus
from embedlab.corpora.damage import damage_said
from embedlab.corpora.vector_columns import plane_columns, vector_columns
from embedlab.errors import CorpusError, SettingsError

EMBEDDINGS, COORDINATES = "embeddings", "coordinates"
ID = "id"  # a column of corpus row numbers; without it the file is in the corpus's order
ROWS_AT_ONCE = 8_192


@dataclass(frozen=True)
class OwnVectors:
    """An opened file: nothing of its rows is in memory yet."""

    path: Path
    name: str  # as its owner calls it
    rows: int
    dim: int
    columns: tuple[str, ...] = ()  # of Parquet: one list column, or one column a dimension; of .npy none
    ids: np.ndarray | None = None  # (rows,) corpus rows, where the file names them

    def parts(self) -> Iterator[tuple[int, np.ndarray]]:
        """First row and values of each part, as stored.  -> (), (up to 8,192, dim)"""
        if not self.columns:
            values = _mapped(self.path, self.name)
            for start in range(0, self.rows, ROWS_AT_ONCE):
                yield start, values[start : start + ROWS_AT_ONCE]
            return
        start = 0
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE, columns=list(self.columns)):
                    yield start, _values(batch, self, start)
                    start += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise SettingsError(
                "E-EMBEDDINGS", f"{self.name!r} breaks off after row {start:,}. Write it again."
            ) from error

    def place(self, row: int, column: int) -> str:
        """Where a value stands, for a sentence."""
        named = f"column {self.columns[column]!r}" if len(self.columns) > 1 else f"value {column}"
        return f"row {row:,}, {named} of {self.name!r}"


def open_vectors(path: str | Path, *, kind: str = EMBEDDINGS, column: str | None = None, name: str = "") -> OwnVectors:
    """Open a file of ``embeddings`` (rows, dim) or of ``coordinates`` (rows, 2), and say what in it is which.

    A .npy file holds one array. In Parquet, embeddings are a list column or numbered columns (e0 … e767), named by
    ``column`` where there are several; coordinates are the columns x and y.
    """
    path = Path(path).expanduser()
    name = name or path.name
    if not path.is_file():
        raise SettingsError("E-PATH", f"There is no file {str(path)!r}. Embeddings are read from .npy or .parquet.")
    with damage_said(name, path):
        if path.suffix.casefold() == ".parquet":
            found = _open_parquet(path, name, kind, column)
        else:
            found = OwnVectors(path, name, *_mapped(path, name).shape)
    if kind == COORDINATES and found.dim != 2:
        raise SettingsError(
            "E-EMBEDDINGS", f"Coordinates need two values a row, but {name!r} has {found.dim:,}. Are they embeddings?"
        )
    return found


def all_rows(vectors: OwnVectors) -> np.ndarray:
    """Every row, in the file's order.  -> (rows, dim) float32"""
    found = np.empty((vectors.rows, vectors.dim), np.float32)
    for start, part in vectors.parts():
        with np.errstate(over="ignore"):  # infinite, and counted as such by who measures
            found[start : start + len(part)] = part
    return found


def lay_in_order(vectors: OwnVectors, corpus: Corpus, found: np.ndarray, *, progress, gaps: bool = False) -> None:
    """Fill ``found`` (corpus rows, dim) with the file's rows in the corpus's order; rows without a text are zero.

    Every text needs finite values; with ``gaps`` a text may be left out or have none, and gets NaN.
    """
    ids = _rows_of(vectors, corpus)
    seen = np.zeros(corpus.info.rows, bool)
    found[:] = np.nan if gaps else 0
    for start, part in vectors.parts():
        progress(f"Reading {vectors.name}", start, vectors.rows)
        rows = ids[start : start + len(part)]
        is_text = ~corpus.excluded[rows]
        with np.errstate(over="ignore"):  # said below, with its place
            values = np.asarray(part, np.float32)
        if not gaps:
            _require_finite(vectors, part, np.isfinite(values) | ~is_text[:, None], start)
        found[rows[is_text]] = values[is_text]
        seen[rows[is_text]] = True
    missing = corpus.kept[~seen[corpus.kept]]
    if len(missing) and not gaps:
        raise CorpusError(
            "E-ROWS",
            f"Every text of {corpus.name!r} needs a vector, but {vectors.name!r} has none for {len(missing):,} of "
            f"{len(corpus.kept):,} texts; the first is row {missing[0]:,}. Add them, or bring a corpus without them.",
        )


def _rows_of(vectors: OwnVectors, corpus: Corpus) -> np.ndarray:
    """The corpus row of each row of the file.  -> (rows,)"""
    rows = corpus.info.rows
    if vectors.ids is None:
        if vectors.rows != rows:
            raise CorpusError(
                "E-ROWS",
                f"One row per row of the corpus is needed, {rows:,}, but {vectors.name!r} has {vectors.rows:,}. Embed "
                "the same file with its empty rows, or add a column id with the row numbers, counted from 0.",
            )
        return np.arange(rows)
    ids = vectors.ids
    outside = np.flatnonzero((ids < 0) | (ids >= rows))
    if len(outside):
        at = outside[0]
        raise CorpusError(
            "E-ROWS",
            f"Column id holds corpus rows, 0 … {rows - 1:,}, but row {at:,} of {vectors.name!r} says {ids[at]:,}. "
            "Leave the column out if the file is in the corpus's order.",
        )
    numbers, first = np.unique(ids, return_index=True)
    if len(numbers) < len(ids):
        at = np.setdiff1d(np.arange(len(ids)), first)[0]
        raise CorpusError(
            "E-ROWS",
            f"Column id names each corpus row once, but row {at:,} of {vectors.name!r} repeats {ids[at]:,}. Keep one.",
        )
    return ids


def _require_finite(vectors: OwnVectors, part: np.ndarray, fine: np.ndarray, start: int) -> None:
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        raise CorpusError(
            "E-VALUE",
            f"Embeddings are finite 32-bit numbers, but {vectors.place(start + row, column)} is {part[row, column]}. "
            "Embed that text again.",
        )


def _mapped(path: Path, name: str) -> np.ndarray:
    """(rows, dim), mapped from the disk; pickled objects are refused."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except PermissionError:
        raise
    except (ValueError, OSError, EOFError):
        raise SettingsError(
            "E-EMBEDDINGS", f"{name!r} is not a .npy file of numbers, nor Parquet. Save one with numpy.save."
        ) from None
    if not isinstance(found, np.ndarray) or found.ndim != 2 or not _is_real(found.dtype) or 0 in found.shape:
        shape = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else "several arrays"
        raise SettingsError(
            "E-EMBEDDINGS", f"One array of real numbers (rows, dim) is needed, but {name!r} has {shape}."
        )
    return found


def _open_parquet(path: Path, name: str, kind: str, column: str | None) -> OwnVectors:
    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
            has_ids = ID in schema.names and pa.types.is_integer(schema.field(ID).type)
            ids = file.read(columns=[ID]).column(0) if has_ids else None
    except (pa.ArrowException, OSError) as error:
        raise SettingsError("E-EMBEDDINGS", f"{name!r} cannot be read as Parquet. Write it again.") from error
    if not rows:
        raise SettingsError("E-EMBEDDINGS", f"Rows are needed, but {name!r} has none. Write it again.")
    if ids is not None and ids.null_count:
        raise CorpusError("E-ROWS", f"Column id names a corpus row in each row, but {name!r} leaves some empty.")
    columns = plane_columns(schema, name) if kind == COORDINATES else vector_columns(schema, name, column)
    dim = len(columns) if len(columns) > 1 else _list_length(path, columns[0], name)
    return OwnVectors(path, name, rows, dim, columns, None if ids is None else ids.to_numpy().astype(np.int64))


def _list_length(path: Path, column: str, name: str) -> int:
    with pq.ParquetFile(path) as file:
        first = next(file.iter_batches(1, columns=[column])).column(0)
    if first.null_count or not len(first[0]):
        raise CorpusError("E-VALUE", f"Column {column!r} of {name!r} holds a vector in each row, but row 0 has none.")
    return len(first[0])


def _values(batch: pa.RecordBatch, vectors: OwnVectors, start: int) -> np.ndarray:
    """(rows of the part, dim)"""
    if len(vectors.columns) > 1:
        named = [batch.column(column).to_numpy(zero_copy_only=False) for column in vectors.columns]
        return np.column_stack(named)  # an empty cell is NaN
    column = batch.column(0)
    lengths = np.array(pc.fill_null(pc.list_value_length(column), 0))
    wrong = np.flatnonzero(lengths != vectors.dim)
    if len(wrong):
        raise CorpusError(
            "E-VALUE",
            f"Every row has a vector of {vectors.dim:,} values as row 0 has, but row {start + wrong[0]:,} of "
            f"{vectors.name!r} has {lengths[wrong[0]]:,}. Embed that text again.",
        )
    return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, vectors.dim)


def _is_real(kind: np.dtype) -> bool:
    return np.issubdtype(kind, np.floating) or np.issubdtype(kind, np.integer)
