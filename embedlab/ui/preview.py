"""The first rows of a file, however large it is, for a proposal of its columns."""

import gzip
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.files import read_table
from embedlab.corpora.reading import Reading
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError

HEAD_BYTES = 2 * 2**20
HEAD_ROWS = 2_000
WHOLE_BYTES = 4 * 2**20  # so much is read at once without a pause
_FOLDERS = (b"PK\x03\x04",)  # zip: of text files, or an XLSX


def first_rows(path: Path, reading: Reading) -> Table | None:
    """A table of the first rows; None where only reading everything would give one (a folder, a large zip or XLSX)."""
    if path.is_dir():
        return None
    size = path.stat().st_size
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic == b"PAR1":
        return _parquet_rows(path)
    if size <= WHOLE_BYTES:
        return read_table(path, reading)
    if magic in _FOLDERS:
        return None
    return _first_lines(path, reading, zipped=magic[:2] == b"\x1f\x8b")


def _parquet_rows(path: Path) -> Table:
    try:
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(batch_size=HEAD_ROWS), None)
            rows = pa.Table.from_batches([batch] if batch is not None else [], schema=file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        message = f"{path.name!r} begins like a Parquet file but cannot be read as one ({type(error).__name__})."
        raise CorpusError("E-NOT-A-TABLE", f"{message} Save it again, or choose another file.") from None
    pa.default_memory_pool().release_unused()  # a row group is decoded as a whole
    return Table(columns=rows, name=path.name)


def _first_lines(path: Path, reading: Reading, *, zipped: bool) -> Table:
    with gzip.open(path) if zipped else open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
    whole_lines = head[: head.rfind(b"\n") + 1] or head
    with tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
        beginning = Path(folder) / "head"
        beginning.write_bytes(whole_lines)
        return read_table(beginning, reading, name=path.name)
