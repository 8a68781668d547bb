"""Tables as files: Parquet for machines, CSV that a spreadsheet shows and does not run, and parts put aside.

CSV is written by ``csv``: pandas makes 1.0 of a whole number that stands above a gap.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.scratch import scratch_folder
from embedlab.store_root import atomic_write

HELD_BYTES = 64 * 2**20  # as long as a table is not larger, it stays in memory
FORMULA_STARTS = tuple("=+-@\t\r\n\0＝＋－＠")  # what a spreadsheet takes for a formula or a command


def defused(value: object) -> object:
    """A CSV cell: numbers stay numbers, lists become JSON, a formula becomes plain text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else str(value)
    return ("'" if text.startswith(FORMULA_STARTS) else "") + text.replace("\0", "")  # no CSV can hold a NUL


def csv_of_rows(rows: Iterable[Iterable]) -> str:
    """The rows with every cell defused."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return sink.getvalue()


def as_csv_file(text: str) -> bytes:
    """With the byte order mark by which spreadsheets recognise UTF-8."""
    return ("\ufeff" + text).encode("utf-8", "replace")


def csv_bytes(table: pa.Table) -> bytes:
    """For people: a text that a spreadsheet would execute as a formula is prefixed with an apostrophe."""
    batches = ([column.to_pylist() for column in batch.columns] for batch in table.to_batches(max_chunksize=10_000))
    rows = (row for columns in batches for row in zip(*columns, strict=True))
    return as_csv_file(csv_of_rows(chain([table.column_names], rows)))


def parquet_bytes(table: pa.Table) -> bytes:
    """For machines: every value exactly."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def write_parquet(path: Path, table: pa.Table) -> None:
    """The same as a file, whole or not at all."""
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


class Spool:
    """Record batches of one schema, in memory at first, in a file once they are large."""

    def __init__(self, file: Path, schema: pa.Schema):
        self.schema = schema
        self._file, self._bytes = file, 0
        self._held: list[pa.RecordBatch] = []
        self._writer: pa.ipc.RecordBatchFileWriter | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """The next rows."""
        if self._writer is not None:
            self._writer.write_batch(batch)
            return
        self._held.append(batch)
        self._bytes += batch.nbytes
        if self._bytes > HELD_BYTES:
            self._writer = pa.ipc.new_file(str(self._file), self.schema)
            while self._held:
                self._writer.write_batch(self._held.pop(0))

    def table(self) -> pa.Table:
        """The table of all batches; a large one is mapped from its file, which exists as long as the table."""
        if self._writer is None:
            return pa.Table.from_batches(self._held, schema=self.schema)
        self._writer.close()
        return pa.ipc.open_file(pa.memory_map(str(self._file))).read_all()


@contextmanager
def spooled(schema: pa.Schema) -> Iterator[Spool]:
    """The file is out of sight afterwards and goes with the last table that was made of it."""
    with scratch_folder() as scratch:
        yield Spool(scratch / "table.arrow", schema)


def is_string(kind: pa.DataType) -> bool:
    """Whether this Arrow type holds strings, in any layout."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_list(kind: pa.DataType) -> bool:
    """Whether this Arrow type holds lists, of any or of one length."""
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
