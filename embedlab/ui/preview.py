"""The first rows of a file, however large it is, for a proposal of its columns."""

from pathlib import Path

import pyarrow as pa

from embedlab.corpora.damage import damage_said
from embedlab.corpora.files import read_beginning, read_table
from embedlab.corpora.reading import Reading
from embedlab.corpora.records import read_parquet
from embedlab.corpora.tables import Table

HEAD_BYTES = 2 * 2**20
HEAD_ROWS = 2_000
WHOLE_BYTES = 4 * 2**20  # so much is read at once without a pause
_FOLDERS = (b"PK\x03\x04",)  # zip: of text files, or an XLSX


def first_rows(path: Path, reading: Reading, *, name: str = "") -> Table | None:
    """A table of the first rows of the file that the user calls ``name``.

    None where only reading everything would give one: a folder, a large zip or XLSX, a large list of JSON.
    """
    name = name or path.name
    if path.is_dir():
        return None
    with damage_said(name):
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(4)
        if magic == b"PAR1":
            return _parquet_rows(path, name)
    if size <= WHOLE_BYTES:
        return read_table(path, reading, name=name)
    if magic in _FOLDERS:
        return None
    return read_beginning(path, reading, HEAD_BYTES, name=name)


def _parquet_rows(path: Path, name: str) -> Table:
    table = read_parquet(path, name=name, rows=HEAD_ROWS)
    pa.default_memory_pool().release_unused()  # a row group is decoded as a whole
    return table
