"""Imported embeddings or coordinates: .npy, .npz and Parquet files, opened and read in parts.

In Parquet one list column, numbered number columns or x and y are the vectors; other columns could be ids.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from embedlab.archives import refuse_dishonest
from embedlab.damage import damage_said
from embedlab.errors import CorpusError, SettingsError
from embedlab.limits import check_unpacked
from embedlab.machine_refusals import is_short
from embedlab.progress import Progress
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Answer, Here
from embedlab.table_files import is_list, is_string
from embedlab.vectors.files import packing_of, unpacked
from embedlab.vectors.ids import COUNTS_ROWS, IdColumns, is_id_name

EMBEDDINGS, COORDINATES = "embeddings", "coordinates"
ROWS_AT_ONCE = 8_192
_NUMBERED = re.compile(r"(.*?)(\d{1,6})")
_checked: set[tuple] = set()  # files that were read once in a process with limits, as they were then


@dataclass(frozen=True)
class OwnVectors:
    """An opened file; none of its rows is in memory yet."""

    path: Path
    name: str  # as its owner calls it
    rows: int
    dim: int
    columns: tuple[str, ...] = ()  # of Parquet: one list column, or one column a dimension; of arrays none
    ids: tuple[str, ...] = ()  # columns that could name the text of each row
    counts_rows: bool = False  # the file is a map of ours, whose column id holds row numbers of the corpus
    arrays: dict[str, np.ndarray] | None = None  # of .npz: all that has its rows; "" is the vectors
    packing: str | None = None  # ubinary or binary: eight dimensions a byte, unpacked as they are read
    numbers: str = ""  # of integers that fill a byte: what they are stored as

    @property
    def remark(self) -> str | None:
        """How the numbers are stored; None for floating-point numbers."""
        if self.packing is not None:
            return (
                f"Each byte of {self.name!r} is read as eight dimensions of 0 or 1 ({self.packing} embeddings), "
                f"{self.dim:,} in all. If each byte is one number, choose One number per byte (--as-numbers)."
            )
        if not self.numbers:
            return None
        return (
            f"Each byte of {self.name!r} is read as one number ({self.numbers}) and measured unchanged. If each holds "
            "eight dimensions of 0 or 1 instead, unpack the bits first: numpy.unpackbits(…, axis=1)."
        )

    @property
    def id_columns(self) -> IdColumns:
        """The columns that may identify the text of each row."""
        return IdColumns(self.name, self.rows, self.ids, self.read_ids)

    def read_ids(self, column: str) -> pa.ChunkedArray:
        """(rows,)"""
        if self.arrays is not None:
            return pa.chunked_array([self.arrays[column]])
        with damage_said(self.name), pq.ParquetFile(self.path) as file:
            return file.read(columns=[column]).column(0)

    def parts(self) -> Iterator[tuple[int, np.ndarray]]:
        """First row and values of each part, bits unpacked.  -> (), (up to 8,192, dim)"""
        for start, part in self._stored_parts():
            yield start, part if self.packing is None else unpacked(part, self.packing)

    def _stored_parts(self) -> Iterator[tuple[int, np.ndarray]]:
        if not self.columns:
            values = _mapped(self.path, self.name) if self.arrays is None else self.arrays[""]
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
            if is_short(error):
                raise
            message = f"{self.name!r} ends early, after row {start:,}. Write it again."
            raise SettingsError("E-EMBEDDINGS", message) from error


def open_vectors(
    path: str | Path, *, kind: str = EMBEDDINGS, column: str | None = None, name: str = "", as_numbers: bool = False
) -> OwnVectors:
    """Open a file of ``embeddings`` (rows, dim) or of ``coordinates`` (rows, 2), and find its columns.

    A .npy file holds one array, .npz one and perhaps ids. In Parquet, embeddings are a list column or numbered columns
    (e0 … e767), named by ``column`` where there are several; coordinates are the columns x and y. ``as_numbers``: what
    looks like packed bits is none.
    """
    path = Path(path).expanduser()
    name = name or path.name
    if not path.is_file():
        message = f"There is no file {str(path)!r}. Embeddings are read from .npy, .npz or .parquet."
        raise SettingsError("E-PATH", message)
    if not Here.is_reader:
        status = path.stat()
        version = (str(path), status.st_mtime_ns, status.st_size, kind, column)
        if version not in _checked:
            arguments = {"kind": kind, "column": column, "file_name": name}
            read_limited(f"{__name__}:every_part", path, arguments, name=name, error=SettingsError)
            _checked.add(version)
    opened = _opened(path, name, kind, column)
    if as_numbers and opened.packing is not None:  # each byte is one dimension, although it was taken for eight
        numbers = "int8" if opened.packing == "binary" else "uint8"
        return replace(opened, packing=None, dim=opened.dim // 8, numbers=numbers)
    return opened


def every_part(path: Path, *, kind: str, column: str | None, file_name: str, progress: Progress) -> Answer:
    """In the process that reads: what is decoded as it is read is decoded once, so that it is known how large it is."""
    opened = _opened(path, file_name, kind, column)
    if opened.columns:
        with damage_said(file_name, path):
            for _ in opened.parts():
                pass
            for ids in opened.ids:
                opened.read_ids(ids)
    return {}, None


def _opened(path: Path, name: str, kind: str, column: str | None) -> OwnVectors:
    with damage_said(name, path):
        ending = path.suffix.casefold()
        if ending == ".parquet":
            opened = _open_parquet(path, name, kind, column)
        elif ending == ".npz":
            opened = _open_npz(path, name, column)
        else:
            opened = _as_stored(OwnVectors(path, name, *_mapped(path, name).shape))
    if kind == COORDINATES and opened.dim != 2:
        message = f"Coordinates need two values per row, but {name!r} has {opened.dim:,}. Are they embeddings?"
        raise SettingsError("E-EMBEDDINGS", message)
    return opened


def _as_stored(opened: OwnVectors) -> OwnVectors:
    """The file with the kind of its numbers; packed bits are recognised from its first part."""
    _, part = next(opened.parts())
    packing = packing_of(part)
    dim = opened.dim if packing is None else 8 * opened.dim
    fills_a_byte = part.dtype.kind in "iu" and part.min() >= -128 and 100 < part.max() <= 255
    return replace(opened, packing=packing, dim=dim, numbers=str(part.dtype) if fills_a_byte else "")


def all_rows(vectors: OwnVectors) -> np.ndarray:
    """Every row, in the file's order.  -> (rows, dim) float32"""
    values = np.empty((vectors.rows, vectors.dim), np.float32)
    for start, part in vectors.parts():
        with np.errstate(over="ignore"):  # infinite, and counted as such by who measures
            values[start : start + len(part)] = part
    return values


def _mapped(path: Path, name: str) -> np.ndarray:
    """(rows, dim), mapped from the disk; pickled objects are refused."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except PermissionError:
        raise
    except (ValueError, OSError, EOFError):
        message = f"{name!r} is not a .npy file of numbers, nor .npz or Parquet. Save one with numpy.save"
        raise SettingsError("E-EMBEDDINGS", f"{message}, or a table of vectors with pandas' to_parquet.") from None
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "fiub" or 0 in array.shape:
        shape = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else "several arrays"
        message = f"One array of real numbers (rows, dim) is needed, but {name!r} has {shape}."
        raise SettingsError("E-EMBEDDINGS", message)
    return array


def _open_parquet(path: Path, name: str, kind: str, column: str | None) -> OwnVectors:
    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        if is_short(error):
            raise
        raise SettingsError("E-EMBEDDINGS", f"{name!r} cannot be read as Parquet. Write it again.") from error
    if not rows:
        raise SettingsError("E-EMBEDDINGS", f"Rows are needed, but {name!r} has none. Write it again.")
    columns = plane_columns(schema, name) if kind == COORDINATES else vector_columns(schema, name, column)
    dim = len(columns)
    if dim == 1:
        with pq.ParquetFile(path) as file:
            first = next(file.iter_batches(1, columns=list(columns))).column(0)
        if first.null_count or not len(first[0]):
            raise CorpusError(
                "E-VALUE", f"Column {columns[0]!r} of {name!r} holds a vector in each row, but row 1 has none."
            )
        dim = len(first[0])
    counts_rows = COUNTS_ROWS.items() <= {k.decode(): v.decode() for k, v in (schema.metadata or {}).items()}.items()
    opened = OwnVectors(path, name, rows, dim, columns, id_columns(schema, columns), counts_rows)
    return _as_stored(opened) if kind == EMBEDDINGS else opened


def _open_npz(path: Path, name: str, column: str | None) -> OwnVectors:
    """The array of vectors and others with one value per row; all of it is held in memory."""
    with zipfile.ZipFile(path) as archive:
        refuse_dishonest(archive, name)
        size = sum(member.file_size for member in archive.infolist())
    check_unpacked(size, path.stat().st_size, name, code="E-TOO-BIG", advice="Save it as .npy.")
    with np.load(path, allow_pickle=False) as file:
        arrays = {each: values for each in file.files if (values := _plain(file, each, name)) is not None}
    tables = [each for each, array in arrays.items() if array.ndim == 2 and array.size and array.dtype.kind in "fiu"]
    chosen = _chosen(tables, column or None)
    if len(chosen) != 1:
        there = ", ".join(f"{each} {values.dtype} {values.shape}" for each, values in arrays.items()) or "none"
        message = f"Embeddings are one array of real numbers (rows, dim), but {name!r} has: {there}. Specify one."
        raise CorpusError("E-COLUMN", message)
    vectors = arrays.pop(chosen[0])
    ids = {each: values for each, values in arrays.items() if values.ndim == 1 and len(values) == len(vectors)}
    rows, dim = vectors.shape
    return _as_stored(OwnVectors(path, name, rows, dim, ids=tuple(ids), arrays={**ids, "": vectors}))


def _plain(file: Mapping[str, np.ndarray], array: str, name: str) -> np.ndarray | None:
    """An array of values; an array of Python objects is never read, because that runs code, and refused if it is the
    ids.
    """
    try:
        return file[array]
    except ValueError as error:
        if is_id_name(array):
            raise SettingsError(
                "E-EMBEDDINGS",
                f"Ids must be numbers or strings, but the array {array!r} of {name!r} contains Python objects, which "
                f"are not read. Save it as numpy.array({array}, str).",
            ) from error
        return None


def _values(batch: pa.RecordBatch, vectors: OwnVectors, start: int) -> np.ndarray:
    """(rows of the part, dim)"""
    if len(vectors.columns) > 1:
        named = [batch.column(column).to_numpy(zero_copy_only=False) for column in vectors.columns]
        return np.column_stack(named)  # an empty cell is NaN
    column, dim = batch.column(0), vectors.dim if vectors.packing is None else vectors.dim // 8
    lengths = np.array(pc.fill_null(pc.list_value_length(column), 0))
    wrong = np.flatnonzero(lengths != dim)
    if len(wrong):
        raise CorpusError(
            "E-VALUE",
            f"Every row must have a vector of {dim:,} values like row 1, but row {start + wrong[0] + 1:,} of "
            f"{vectors.name!r} has {lengths[wrong[0]]:,}. Embed that text again.",
        )
    return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, dim)


def plane_columns(schema: pa.Schema, name: str) -> tuple[str, ...]:
    """The columns x and y, in any case."""
    axes = {each.name.casefold(): each.name for each in schema if _is_number(each.type)}
    if "x" not in axes or "y" not in axes:
        message = f"Coordinates need the number columns x and y, but {name!r} has {_listed(schema)}. Rename them."
        raise CorpusError("E-COLUMN", message)
    return axes["x"], axes["y"]


def vector_columns(schema: pa.Schema, name: str, named: str | None) -> tuple[str, ...]:
    """A list column as itself, numbered columns in the order of their numbers."""
    lists = [each.name for each in schema if is_list(each.type) and _is_number(each.type.value_type)]
    candidates: dict[str, tuple[str, ...]] = {each: (each,) for each in lists}
    candidates |= {stem: columns for stem, columns in _numbered(schema).items() if stem not in candidates}
    chosen = _chosen(list(candidates), named)
    if len(chosen) != 1:
        several = f"several candidates: {', '.join(map(repr, candidates))}. Specify one" if candidates else "neither"
        raise CorpusError(
            "E-COLUMN",
            "Embeddings are one list column or numbered number columns (e0, e1, …), but found in "
            f"{name!r}: {f'no {named!r}; ' if named else ''}{several}. It has {_listed(schema)}.",
        )
    columns = candidates[chosen[0]]
    if len(columns) > 1:
        numbers = [int(each.removeprefix(chosen[0])) for each in columns]
        missing = next((a + 1 for a, b in zip(numbers, numbers[1:], strict=False) if b != a + 1), None)
        if missing is not None:
            message = f"Numbered columns must be consecutive, but {name!r} has no {chosen[0]}{missing}. Add it."
            raise CorpusError("E-COLUMN", message)
    return columns


def id_columns(schema: pa.Schema, vectors: tuple[str, ...]) -> tuple[str, ...]:
    """Columns with one value per row that could identify a text; floating-point ones only if named like an id."""
    names = []
    for each in schema:
        kind = each.type.value_type if pa.types.is_dictionary(each.type) else each.type
        if each.name not in vectors and (pa.types.is_integer(kind) or is_string(kind) or is_id_name(each.name)):
            names.append(each.name)
    return tuple(names)


def _chosen(names: list[str], named: str | None) -> list[str]:
    """The ``named`` column or array; otherwise the only one, or those with a usual name for vectors."""
    if named is not None or len(names) == 1:
        return [each for each in names if named in (None, each)]
    return [each for each in names if each.casefold() in ("embedding", "embeddings", "vector", "vectors")]


def _numbered(schema: pa.Schema) -> dict[str, tuple[str, ...]]:
    """Numeric columns with a common stem and at least two numbers: stem -> names by number."""
    stems: dict[str, list[tuple[int, str]]] = {}
    for each in schema:
        parts = _NUMBERED.fullmatch(each.name)
        if parts is not None and _is_number(each.type):
            stems.setdefault(parts.group(1), []).append((int(parts.group(2)), each.name))
    return {stem: tuple(name for _, name in sorted(columns)) for stem, columns in stems.items() if len(columns) > 1}


def _listed(schema: pa.Schema) -> str:
    first = ", ".join(f"{each.name} ({each.type})" for each in list(schema)[:8])
    return first + (f" and {len(schema) - 8:,} more" if len(schema) > 8 else "")


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)
