"""A stored column as a read-only sequence: Python strings are made of it one at a time or a chunk at a time."""

import mmap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import index
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.limits import LIMITS
from embedlab.store_root import whole_file

LET_GO_READS = 5_000  # rows read one by one of a mapped file, each of which may bring 64 KB of it into the process
CHUNK_ROWS = 10_000  # that are Python objects at once; also the rows of a batch of the mapped file


class Column(Sequence):
    """One value (a string, a list of strings) per row. ``column[row]`` makes one, a slice a list.

    Iterating makes a chunk of them at a time. Equal to any sequence of the same values.
    """

    def __init__(self, chunks: Sequence[pa.Array], file: Path | None = None, mapped: mmap.mmap | None = None):
        """``file``: the Arrow file that the chunks are ``mapped`` from, which passes then read in place of the map."""
        self._chunks = [chunk for chunk in chunks if len(chunk)]
        self._starts = [0]
        for chunk in self._chunks:
            self._starts.append(self._starts[-1] + len(chunk))
        self._file, self._mapped, self._reads = file, mapped, 0

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, row):
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            return self._between(start, stop) if step == 1 else [self[each] for each in range(start, stop, step)]
        row = index(row)
        place = row + len(self) if row < 0 else row
        if not 0 <= place < len(self):
            raise IndexError(f"Row {row} of a column of {len(self):,} rows.")
        chunk = bisect_right(self._starts, place) - 1
        self._reads += 1
        if self._reads % LET_GO_READS == 0 and self._mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)  # pages that were read leave this process; they stay the system's
        return self._chunks[chunk][place - self._starts[chunk]].as_py()

    def __iter__(self) -> Iterator:
        for chunk in self._passed():
            for start in range(0, len(chunk), CHUNK_ROWS):
                yield from chunk.slice(start, CHUNK_ROWS).to_pylist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None

    def __repr__(self) -> str:
        return f"Column({len(self):,} rows)"

    def at(self, rows: np.ndarray) -> "ColumnAt":
        """These rows of it, as lazy as it is.  rows: (n,) -> n values"""
        return ColumnAt(self, rows)

    def _between(self, start: int, stop: int) -> list:
        found, number = [], bisect_right(self._starts, start) - 1
        while start < stop:
            begins, after = self._starts[number], min(self._starts[number + 1], stop)
            found += self._chunks[number].slice(start - begins, after - start).to_pylist()
            start, number = after, number + 1
        return found

    def _passed(self) -> Iterator[pa.Array]:
        """One chunk after the other; read, not mapped, so that a pass leaves no page of the file in this process."""
        if self._file is None:
            yield from self._chunks
            return
        with pa.OSFile(str(self._file)) as opened:
            reader = pa.ipc.open_file(opened)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number).column(0)


class Together(Sequence):
    """Several columns as one of lists: the values of each row."""

    def __init__(self, columns: Sequence[Column]):
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, row):
        if isinstance(row, slice):
            return [list(values) for values in zip(*(column[row] for column in self._columns), strict=True)]
        return [column[row] for column in self._columns]


class ColumnAt(Sequence):
    """Some rows of a column, in a given order."""

    def __init__(self, column: Column, rows: np.ndarray):
        self._column, self._rows = column, np.asarray(rows, np.int64)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place):
        if isinstance(place, slice):
            return _taken(self._column, self._rows[place])
        return self._column[self._rows[place]]

    def __iter__(self) -> Iterator:
        if len(self) == len(self._column) and np.array_equal(self._rows, np.arange(len(self))):
            yield from self._column
            return
        for start in range(0, len(self), CHUNK_ROWS):
            yield from self[start : start + CHUNK_ROWS]

    def __repr__(self) -> str:
        return f"ColumnAt({len(self):,} rows of {len(self._column):,})"


def _taken(column: Column, rows: np.ndarray) -> list:
    """Neighboring rows are read together: that is three times as quick as one by one.  rows: (n,) -> n values"""
    found = []
    for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):
        if len(run) > 1:
            found += column[int(run[0]) : int(run[-1]) + 1]
        else:
            found += [column[row] for row in run]
    return found


def stored_column(file: Path, name: str) -> Column:
    """A column of a corpus's Parquet file: mapped from an Arrow file beside it where the corpus is large."""
    with pq.ParquetFile(file, memory_map=True) as parquet:
        if parquet.metadata.num_rows > LIMITS.mapped_rows:
            with suppress(OSError):  # no room, or nothing may be written here: then it is read into memory
                return _mapped(arrow_file(file, name), parquet, name)
        # pq.read_table, as Arrow's to_numpy and fill_null, would import pandas: 40 MB that a page can do without
        return Column(parquet.read(columns=[name]).column(0).chunks)


def arrow_file(file: Path, name: str) -> Path:
    """Where the uncompressed copy of a column lies."""
    return file.with_name(f"{name}.arrow")


def _mapped(path: Path, parquet: pq.ParquetFile, name: str) -> Column:
    if not path.exists():
        _copy(path, parquet, name)
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = pa.ipc.open_file(pa.py_buffer(mapped))
    chunks = [reader.get_batch(number).column(0) for number in range(reader.num_record_batches)]
    return Column(chunks, path, mapped)


def _copy(path: Path, parquet: pq.ParquetFile, name: str) -> None:
    """One column, uncompressed, a chunk at a time."""
    schema = pa.schema([parquet.schema_arrow.field(name).with_metadata(None)])
    with whole_file(path) as beside, pa.OSFile(str(beside), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for batch in parquet.iter_batches(batch_size=CHUNK_ROWS, columns=[name]):
            writer.write_batch(pa.record_batch([batch.column(0)], schema=schema))


def coded(file: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of few different strings: the number of each row's, and the strings, None at last.

    -> (rows,) int32, (different + 1,) of object
    """
    numbers: dict[str, int] = {}
    parts = []
    with pq.ParquetFile(file, memory_map=True, read_dictionary=[name]) as parquet:
        for group in range(parquet.num_row_groups):
            for chunk in parquet.read_row_group(group, columns=[name]).column(0).chunks:
                own = [numbers.setdefault(each, len(numbers)) for each in chunk.dictionary.to_pylist()]
                places = np.frombuffer(chunk.indices.buffers()[1], np.int32)[chunk.offset :][: len(chunk)]
                known = _as_bool(chunk.indices.is_valid())
                parts.append(np.array([*own, -1], np.int32)[np.where(known, places, len(own))])
    codes = np.concatenate([np.empty(0, np.int32), *parts])
    return codes, np.array([*numbers, None], dtype=object)


def flags(file: Path, name: str) -> np.ndarray:
    """A column of truth values.  -> (rows,) bool"""
    with pq.ParquetFile(file, memory_map=True) as parquet:
        chunks = parquet.read(columns=[name]).column(0).chunks
    return np.concatenate([np.empty(0, bool), *map(_as_bool, chunks)])


def _as_bool(bits: pa.Array) -> np.ndarray:
    """(n,) bool; Arrow's own way to numpy would import pandas."""
    return np.from_dlpack(bits.cast(pa.int8())) != 0
