"""Tables of records: JSON Lines, JSON documents of records, and Parquet."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.formats.bounds import check_columns, check_rows, check_unpacked
from embedlab.corpora.formats.characters import Characters
from embedlab.corpora.formats.json_shapes import parsed, parsed_sequence, records_of
from embedlab.corpora.notes import CountedRows
from embedlab.corpora.reading_report import ReadingReport
from embedlab.corpora.stored.draft import storable_column, unique_names
from embedlab.corpora.stored.spool import spooled
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent

JSON_NAME = re.compile(r"\.(json|jsonl|ndjson)(\.gz)?$", re.IGNORECASE)
RECORDS_AT_ONCE = 10_000  # that are objects at once
_BAD_LINES = 100  # with more, it is not JSON Lines
_BATCH_ROWS = 512  # small, so that a batch of long repeated cells is counted before it fills the memory


def read_json_records(text: Characters) -> Table | None:
    """One object a line, or a document of another shape that holds records; None where it is not JSON at all.

    Lines are read twice: to know the columns, and to put their values aside. A document is held in memory as a whole,
    and so are the values of columns that are neither strings nor lists of strings.
    """
    name, bad, has_lines = text.name, CountedRows(), _has_lines(text)
    document, shape = (None, "JSON Lines") if has_lines else _document(text)
    if not has_lines and document is None:
        return None
    kinds, rows = {}, 0  # kinds: column -> the kinds of its values
    for rows, record in enumerate(_records(text, bad) if has_lines else document, start=1):
        check_rows(rows, name)
        for key, value in record.items():
            found = kinds.setdefault(key, set())
            if value is not None:
                found.add(_kind(value))
    if not kinds:
        raise CorpusError("E-NO-TEXTS", f"{name!r} has no records with columns. A corpus needs at least one text.")
    check_columns(len(kinds), name)
    columns = _columns(_records(text, CountedRows()) if has_lines else iter(document), kinds)
    report = ReadingReport(format=shape, rows=rows + bad.total)
    table = Table(columns.rename_columns(unique_names(list(kinds))), name, report=report)
    table.leave_out(bad, "not a JSON object (counted by line)")
    if bad.total:
        first = ", ".join(f"{line + 1}" for line in bad.first)
        table.say("W-BAD-LINES", f"{bad.total} lines are not JSON objects and were left out (first: line {first}).")
        table.fails(bad, rows + bad.total, "are not JSON objects", "or leave them out (--accept-reading)")
    return table


def _has_lines(text: Characters) -> bool:
    """Whether the first line is an object, and not one that is the whole file and holds records."""
    first = next(filter(str.strip, text.lines("\n")), "")
    value, is_only = parsed(first), len(first) >= text.length - 1
    return isinstance(value, dict) and not (is_only and records_of(value))


def _records(text: Characters, bad: CountedRows) -> Iterator[dict]:
    """The object of each line; lines that are none are counted."""
    found = 0
    for number, line in enumerate(text.lines("\n")):
        if not line.strip():
            continue
        record = parsed(line)
        if isinstance(record, dict):
            found += 1
            yield record
        else:
            bad.add(number)
            if bad.total > max(_BAD_LINES, found):
                message = f"{text.name!r}: {bad.total:,} lines are not JSON objects (first: {bad.first[0] + 1})."
                raise CorpusError("E-NOT-A-TABLE", f"{message} Save it again with one object per line.")


def _document(text: Characters) -> tuple[list[dict] | None, str]:
    """The records of a file that is one JSON value, or several over more lines than one; None where it is no JSON."""
    values, name = parsed_sequence(text.whole()), text.name
    if values is None:
        if JSON_NAME.search(name):
            raise CorpusError(
                "E-NOT-A-TABLE",
                f"{name!r} begins like JSON but cannot be read as JSON. Save it as one object per line (JSON Lines) "
                f"or one list of objects.",
            )
        return None, ""
    found = records_of(values[0] if len(values) == 1 else values)
    if values in ([], [[]], [{}]):
        return [], "JSON"
    if found is None:
        raise CorpusError(
            "E-NOT-A-TABLE",
            f"{name!r} is JSON but not a table: expected records (objects with the same keys) in a list, one per "
            f"line, or by id, but found {_described(values[0])}. Save the records as one object per line (JSON Lines).",
        )
    return found


def _described(value: object) -> str:
    """``an object with the keys 'a', 'b'``"""
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(map(repr, list(value)[:6]))}"
    return f"a list of {type(value[0]).__name__} values" if isinstance(value, list) and value else f"{value!r:.40}"


def _kind(value: object) -> type:
    """``str``, ``list`` of a list of strings, ``object`` of what else there is."""
    if isinstance(value, list):
        return list if all(isinstance(each, str) for each in value) else object
    return str if isinstance(value, str) else object


def _columns(records: Iterator[dict], kinds: dict[str, set[type]]) -> pa.Table:
    """Strings and lists of strings are put aside part by part; the values of other columns are held."""
    alike = {key: next(iter(found), str) for key, found in kinds.items() if len(found) < 2 and object not in found}
    typed = {key: pa.large_string() if kind is str else pa.list_(pa.string()) for key, kind in alike.items()}
    held: dict[str, list] = {key: [] for key in kinds if key not in typed}
    with spooled(pa.schema([(f"{place}", kind) for place, kind in enumerate(typed.values())])) as aside:
        while part := list(islice(records, RECORDS_AT_ONCE)):
            for key, values in held.items():
                values += (record.get(key) for record in part)
            arrays = [pa.array([_whole(record.get(key)) for record in part], kind) for key, kind in typed.items()]
            if typed:
                aside.add(pa.record_batch(arrays, schema=aside.schema))
        table = aside.table()
    found = dict(zip(typed, table.columns, strict=True)) | {
        key: storable_column(values) for key, values in held.items()
    }
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
        check_rows(file.metadata.num_rows, name)
        check_columns(len(file.schema_arrow.names), name)
        size, done = 0, 0
        with spooled(file.schema_arrow) as aside:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                batch.validate(full=True)  # damaged strings are found here, not by who shows them
                aside.add(batch)
                size += batch.nbytes
                done += batch.num_rows
                check_unpacked(size, path.stat().st_size, name, code="E-TOO-BIG", advice="Take a sample of it.")
                progress(f"Reading {name}", done, file.metadata.num_rows)
                if rows is not None and done >= rows:
                    break
            columns = aside.table().slice(0, rows)
    if pandas_index := [found for found in columns.column_names if found.startswith("__index_level_")]:
        columns = columns.drop_columns(pandas_index)
    columns = _with_class_names(columns).rename_columns(unique_names(columns.column_names))
    return Table(columns, name, report=ReadingReport(format="Parquet", rows=columns.num_rows))


def _with_class_names(columns: pa.Table) -> pa.Table:
    """Numbers of classes as the names that a data set of the hub keeps beside its columns; -1 is no label."""
    kept = (columns.schema.metadata or {}).get(b"huggingface")
    described = parsed(kept.decode("utf-8", "replace")) if kept else None
    features = described.get("info", {}).get("features") if isinstance(described, dict) else None
    for name, feature in (features or {}).items() if isinstance(features, dict) else ():
        names = feature.get("names") if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" else None
        place = columns.column_names.index(name) if name in columns.column_names else None
        if not names or place is None or not pa.types.is_integer(columns.schema.field(place).type):
            continue
        numbers = columns.column(place)
        inside = pc.and_(pc.greater_equal(numbers, 0), pc.less(numbers, len(names)))
        spelled = pc.take(pa.array(map(str, names)), pc.if_else(inside, numbers, None))
        columns = columns.set_column(place, name, spelled)
    return columns
