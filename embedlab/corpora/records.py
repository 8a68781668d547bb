"""Tables of records: JSON Lines and JSON lists, Parquet, and the first sheet of an XLSX workbook."""

import datetime
import json
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.corpora.characters import Characters
from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.folders import checked_members
from embedlab.corpora.stored.draft import storable_column, unique_names
from embedlab.corpora.stored.spool import spooled
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent

RECORDS_AT_ONCE = 10_000  # that are objects at once
_BAD_LINES = 100  # with more, it is not JSON Lines
_BATCH_ROWS = 512  # small, so that a batch of long repeated cells is counted before it fills the memory


def read_json_records(text: Characters, *, name: str) -> Table | None:
    """One object a line, or one list of objects; None where the first line is not JSON at all.

    Lines are read twice: to know the columns, and to put their values aside. A list is held in memory as a whole, and
    so are the values of columns that are neither strings nor lists of strings.
    """
    records = _whole_list(text)
    bad: list[int] = []
    kinds: dict[str, _Kind] = {}
    for record in _records(text, name, bad) if records is None else records:
        if record is None:
            return None
        for key, value in record.items():
            kinds.setdefault(key, _Kind()).see(value)
    if not kinds:
        raise CorpusError("E-NO-TEXTS", f"{name!r} has no record with a column. A corpus needs at least one text.")
    if len(kinds) > LIMITS.columns:
        raise CorpusError("E-TOO-BIG", f"{name!r} has {len(kinds):,} columns; at most {LIMITS.columns:,} are read.")
    columns = _columns(_records(text, name, []) if records is None else iter(records), kinds)
    table = Table(columns.rename_columns(unique_names(list(kinds))), name)
    if bad:
        lines = ", ".join(map(str, bad[:10]))
        table.say("W-BAD-LINES", f"{len(bad)} lines are not JSON objects and were left out (first: line {lines}).")
    return table


def _records(text: Characters, name: str, bad: list[int]) -> Iterator[dict | None]:
    """The objects, a line each; None at once where the first is none. ``bad`` gets the numbers of other lines."""
    found = 0
    for number, line in enumerate(text.lines("\n"), start=1):
        if not line.strip():
            continue
        record = _parsed(line)
        if isinstance(record, dict):
            found += 1
            yield record
        elif not found:
            yield None
        else:
            bad.append(number)
        _check_rows(found, name)
        if len(bad) > _BAD_LINES:
            raise CorpusError(
                "E-NOT-A-TABLE", f"{name!r}: more than {_BAD_LINES} lines are not JSON objects (first: {bad[0]})."
            )


class _Kind:
    """What all values of a column are."""

    def __init__(self):
        self.strings = self.lists = True

    def see(self, value: object) -> None:
        """One more of them."""
        if value is not None:
            self.strings &= isinstance(value, str)
            self.lists &= isinstance(value, list) and all(isinstance(each, str) for each in value)

    @property
    def type(self) -> pa.DataType | None:
        """None of a column that only its values tell the type of."""
        return pa.large_string() if self.strings else pa.list_(pa.string()) if self.lists else None


def _columns(records: Iterator[dict], kinds: dict[str, _Kind]) -> pa.Table:
    """Strings and lists of strings are put aside part by part; the values of other columns are held."""
    typed = {key: kind.type for key, kind in kinds.items() if kind.type is not None}
    held: dict[str, list] = {key: [] for key in kinds if key not in typed}
    with spooled(pa.schema([(f"{place}", kind) for place, kind in enumerate(typed.values())])) as aside:
        while part := list(islice(records, RECORDS_AT_ONCE)):
            for key, values in held.items():
                values += (record.get(key) for record in part)
            arrays = [pa.array([_whole(record.get(key)) for record in part], kind) for key, kind in typed.items()]
            if typed:
                aside.add(pa.record_batch(arrays, schema=aside.schema))
        table = aside.table()
    found = dict(zip(typed, table.columns, strict=True)) | {key: _column(values) for key, values in held.items()}
    return pa.table([found[key] for key in kinds], names=[f"{place}" for place in range(len(kinds))])


def _whole(value: str | list[str] | None) -> str | list[str] | None:
    """Without what no file can hold."""
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    return None if value is None else without_surrogates(value)


def read_parquet(path: Path, *, name: str, rows: int | None = None, progress: Progress = silent) -> Table:
    """A Parquet file in small batches, put aside; decoded bytes are counted, because the footer's figure may lie.

    ``rows``: only so many, from the first on.
    """
    with pq.ParquetFile(path, memory_map=True) as file:
        _check_rows(file.metadata.num_rows, name)
        if len(file.schema_arrow.names) > LIMITS.columns:
            raise CorpusError("E-TOO-BIG", f"{name!r} has more than {LIMITS.columns:,} columns.")
        size, done = 0, 0
        with spooled(file.schema_arrow) as aside:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                batch.validate(full=True)  # damaged strings are found here, not by who shows them
                aside.add(batch)
                size += batch.nbytes
                done += batch.num_rows
                _check_bytes(size, path.stat().st_size, name)
                progress(f"Reading {name}", done, file.metadata.num_rows)
                if rows is not None and done >= rows:
                    break
            columns = aside.table().slice(0, rows)
    if pandas_index := [found for found in columns.column_names if found.startswith("__index_level_")]:
        columns = columns.drop_columns(pandas_index)
    return Table(columns.rename_columns(unique_names(columns.column_names)), name)


def read_xlsx(path: Path, name: str) -> Table | None:
    """The first sheet of a workbook, every cell as its text; None where the zip is no workbook."""
    with zipfile.ZipFile(path) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            return None
        for member in checked_members(archive, path, name=name):
            del member  # reading them all counts what they unpack to
    from openpyxl import load_workbook

    workbook = load_workbook(path, read_only=True, data_only=True)
    try:
        sheets = workbook.worksheets  # without charts
        if not sheets:
            raise CorpusError("E-NO-TEXTS", f"{name!r} has no sheet. Save it again with the texts on its first sheet.")
        rows = []
        for row in sheets[0].iter_rows(values_only=True):
            if any(cell is not None for cell in row):
                rows.append([_cell_text(cell) for cell in row])
            _check_rows(len(rows), name)
    finally:
        workbook.close()
    if not rows:
        raise CorpusError("E-NO-TEXTS", f"The first sheet of {name!r} is empty. A corpus needs at least one text.")
    names = unique_names(rows[0])
    columns = [pa.array([row[place] for row in rows[1:]], pa.large_string()) for place in range(len(names))]
    table = Table(pa.table(columns, names=names), name)
    if len(sheets) > 1:
        table.say("I-SHEET", f"{name!r} has {len(sheets)} sheets; the first, {sheets[0].title!r}, was read.")
    return table


def _whole_list(text: Characters) -> list[dict] | None:
    records = _parsed(text.whole()) if text.beginning.lstrip().startswith("[") else None
    return records if isinstance(records, list) and all(isinstance(record, dict) for record in records) else None


def _parsed(text: str) -> object:
    """The JSON value of a text, or None: also for one nested too deep or with a number of thousands of digits."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _column(values: list) -> pa.Array:
    """Numbers keep their type; columns that mix types become text."""
    if any(isinstance(value, bool) for value in values) and not all(isinstance(v, bool | None) for v in values):
        values = [None if value is None else str(value) for value in values]  # Arrow would make True a 1
    elif any(isinstance(v, float) for v in values) and any(isinstance(v, int) for v in values):
        values = [None if value is None else str(value) for value in values]  # nor may 7 become 7.0
    column = storable_column(values)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _cell_text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return without_surrogates(str(cell))


def _check_rows(rows: int, name: str) -> None:
    if rows > LIMITS.rows:
        raise CorpusError("E-TOO-MANY-ROWS", f"{name!r} has more than {LIMITS.rows:,} rows. Take a sample of it.")


def _check_bytes(size: int, packed: int, name: str) -> None:
    is_bomb = size > LIMITS.archive_ratio_from_bytes and size > LIMITS.archive_ratio * packed
    if size > LIMITS.archive_bytes or is_bomb:
        message = f"{name!r} ({packed / 2**20:,.1f} MiB) decodes to more than its limit"
        raise CorpusError("E-TOO-BIG", f"{message} (stopped at {size / 2**20:,.0f} MiB). Take a sample of it.")
