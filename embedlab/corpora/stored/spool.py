"""A table that a reader puts aside part by part, and that is then mapped from the disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from embedlab.store_root import store_root

HELD_BYTES = 64 * 2**20  # as long as a table is not larger, it stays in memory


class Spool:
    """Record batches of one schema, in memory at first, in a file once they are large."""

    def __init__(self, file: Path, schema: pa.Schema):
        self.schema = schema
        self._file, self._held, self._bytes = file, [], 0
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
        """All that was added; of a large table the file, which is there as long as the table is."""
        if self._writer is None:
            return pa.Table.from_batches(self._held, schema=self.schema)
        self._writer.close()
        return pa.ipc.open_file(pa.memory_map(str(self._file))).read_all()


@contextmanager
def spooled(schema: pa.Schema) -> Iterator[Spool]:
    """The file is out of sight afterwards and goes with the last table that was made of it."""
    with TemporaryDirectory(prefix="scratch-", dir=store_root(), ignore_cleanup_errors=True) as scratch:
        yield Spool(Path(scratch) / "table.arrow", schema)
