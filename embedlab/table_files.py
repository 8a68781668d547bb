"""Tables as files: Parquet for machines, and CSV that a spreadsheet shows and does not run.

CSV is written by ``csv``: pandas makes 1.0 of a whole number that stands above a gap.
"""

import csv
import io
import json
from collections.abc import Iterable
from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq

FORMULA_STARTS = tuple("=+-@\t\r\n\0＝＋－＠")  # what a spreadsheet takes for a formula or a command


def defused(value: object) -> object:
    """A cell for CSV: numbers stay numbers, lists become JSON, a formula becomes its own text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else str(value)
    return ("'" if text.startswith(FORMULA_STARTS) else "") + text.replace("\0", "")  # no CSV can hold a NUL


def csv_of_rows(rows: Iterable[Iterable]) -> str:
    """The rows, each cell defused."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return sink.getvalue()


def as_csv_file(text: str) -> bytes:
    """With the mark that tells spreadsheets that it is UTF-8."""
    return ("\ufeff" + text).encode("utf-8", "replace")


def csv_bytes(table: pa.Table) -> bytes:
    """For people: a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    batches = ([column.to_pylist() for column in batch.columns] for batch in table.to_batches(max_chunksize=10_000))
    rows = (row for columns in batches for row in zip(*columns, strict=True))
    return as_csv_file(csv_of_rows(chain([table.column_names], rows)))


def parquet_bytes(table: pa.Table) -> bytes:
    """For machines: every value exactly as it is."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()
