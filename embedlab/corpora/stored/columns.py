"""Columns that lie on the disk: stored ones, as read-only sequences."""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.damage import reading_stored
from embedlab.limits import LIMITS
from embedlab.store_root import atomic_write, require_regular

LET_GO_READS = 5_000  # rows read one by one of a mapped file, each of which may bring 64 KB of it into the process
CHUNK_ROWS = 10_000  # that are Python objects at once; also the rows of a batch of the mapped file


class Column(Sequence[Any]):
    """One value (a string, a list of strings) per row. ``column[row]`` makes one, a slice a list.

    Iterating makes a chunk of them at a time. Equal to any sequence of the same values.
    """

    def __init__(self, values: pa.ChunkedArray | list, file: Path | None = None, mapped: mmap.mmap | None = None):
        """``file``: the Arrow file that the values are ``mapped`` from, which passes then read in place of the map."""
        self._values = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array(values)
        self._file, self._mapped, self._reads = file, mapped, 0

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self._values.slice(start, max(0, stop - start)).to_pylist()
            return [self[each] for each in range(start, stop, step)]
        self._reads += 1
        if self._reads % LET_GO_READS == 0 and self._mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)  # pages that were read leave this process; they stay the system's
        return self._values[range(len(self))[index]].as_py()

    def __iter__(self) -> Iterator:
        if self._file is None:
            for start in range(0, len(self), CHUNK_ROWS):
                yield from self[start : start + CHUNK_ROWS]
            return
        with pa.OSFile(str(self._file)) as opened:  # read, not mapped: a pass leaves no page in this process
            reader = pa.ipc.open_file(opened)
            for number in range(reader.num_record_batches):
                yield from reader.get_batch(number).column(0).to_pylist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"Column({len(self):,} rows)"

    def at(self, rows: np.ndarray) -> "Column | ColumnAt":
        """A view of these rows, as lazy as the column, which itself is the view of all.  rows: (n,) -> n values"""
        is_whole = len(rows) == len(self) and np.array_equal(rows, np.arange(len(self)))
        return self if is_whole else ColumnAt(self, rows)


class ColumnAt(Sequence[Any]):
    """Some rows of a column, in a given order."""

    def __init__(self, column: Column, rows: np.ndarray):
        self._column, self._rows = column, np.asarray(rows, np.int64)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return self._column[self._rows[index]]
        values: list[Any] = []
        rows = self._rows[index]
        for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):  # neighbors together: three times as quick
            values += self._column[run[0] : run[-1] + 1] if len(run) > 1 else [self._column[row] for row in run]
        return values

    def __iter__(self) -> Iterator:
        for start in range(0, len(self), CHUNK_ROWS):
            yield from self[start : start + CHUNK_ROWS]

    def __repr__(self) -> str:
        return f"ColumnAt({len(self):,} rows of {len(self._column):,})"


def stored_column(file: Path, name: str) -> Column:
    """A column of a corpus's Parquet file: mapped from an Arrow file beside it where the corpus is large."""
    with reading_stored(file), pq.ParquetFile(file, memory_map=True) as parquet:
        if parquet.metadata.num_rows > LIMITS.mapped_rows:
            with suppress(OSError):  # no room, or nothing may be written here: then it is read into memory
                return _mapped(arrow_file(file, name), parquet, name)
        return Column(_read(parquet, name))


def column_names(file: Path) -> frozenset[str]:
    """The columns of a Parquet file of the store."""
    with reading_stored(file):
        return frozenset(pq.read_schema(file).names)


def _read(parquet: pq.ParquetFile, name: str) -> pa.ChunkedArray:
    """One column; the memory that Arrow read it with, several times its size, goes back to the system.

    pq.read_table, as Arrow's to_numpy and fill_null, would import pandas: 40 MB that a page can do without.
    """
    column = parquet.read(columns=[name]).column(0)
    pa.default_memory_pool().release_unused()
    return column


def arrow_file(file: Path, name: str) -> Path:
    """The path of a column's uncompressed copy."""
    return file.with_name(f"{name}.arrow")


def _mapped(path: Path, parquet: pq.ParquetFile, name: str) -> Column:
    with suppress(FileNotFoundError, ValueError):  # of damaged bytes mmap and Arrow make a ValueError
        return _opened(path)
    _copy(path, parquet, name)
    return _opened(path)


def _opened(path: Path) -> Column:
    require_regular(path)
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return Column(pa.ipc.open_file(pa.py_buffer(mapped)).read_all().column(0), path, mapped)


def _copy(path: Path, parquet: pq.ParquetFile, name: str) -> None:
    """One column, uncompressed, a chunk at a time."""
    schema = pa.schema([parquet.schema_arrow.field(name).with_metadata(None)])
    with (
        atomic_write(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, schema) as writer,
    ):
        for batch in parquet.iter_batches(batch_size=CHUNK_ROWS, columns=[name]):
            writer.write_batch(pa.record_batch([batch.column(0)], schema=schema))


def coded(file: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of few different strings: the number of each row's, and the strings, None at last.

    -> (rows,) int32, (different + 1,) of object
    """
    with reading_stored(file), pq.ParquetFile(file, memory_map=True, read_dictionary=[name]) as parquet:
        chunks = _read(parquet, name).unify_dictionaries().chunks
    codes = [np.frombuffer(each.indices.buffers()[1], np.int32)[each.offset :][: len(each)] for each in chunks]
    codes = [np.where(_as_bool(each.is_valid()), part, np.int32(-1)) for each, part in zip(chunks, codes, strict=True)]
    names = chunks[0].dictionary.to_pylist() if chunks else []
    return np.concatenate([np.empty(0, np.int32), *codes]), np.array([*names, None], dtype=object)


def flags(file: Path, name: str) -> np.ndarray:
    """A column of truth values.  -> (rows,) bool"""
    with reading_stored(file), pq.ParquetFile(file, memory_map=True) as parquet:
        chunks = _read(parquet, name).chunks
    return np.concatenate([np.empty(0, bool), *map(_as_bool, chunks)])


def _as_bool(bits: pa.Array) -> np.ndarray:
    """(n,) bool; Arrow's own way to numpy would import pandas."""
    return np.from_dlpack(bits.cast(pa.int8())) != 0
