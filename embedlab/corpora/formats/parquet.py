"""Parquet files as tables, in small batches whose decoded bytes are counted."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from embedlab.corpora.cleaning import parsed
from embedlab.corpora.names import unique_names
from embedlab.corpora.notes import ReadingReport
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.limits import check_columns, check_rows, check_unpacked
from embedlab.progress import Progress, silent
from embedlab.table_files import spooled

_BATCH_ROWS = 512  # small, so that a batch of long repeated cells is counted before it fills the memory


def read_parquet(path: Path, *, name: str, rows: int | None = None, progress: Progress = silent) -> Table:
    """A Parquet file in small batches, put aside; decoded bytes are counted, because the footer's figure may lie.

    ``rows``: only so many, from the first on.
    """
    with pq.ParquetFile(path, memory_map=True) as file:
        check_rows(file.metadata.num_rows, name)
        check_columns(len(file.schema_arrow.names), name)
        size, done, kinds = 0, 0, [_decoded(kind) for kind in file.schema_arrow.types]
        schema = pa.schema(list(zip(file.schema_arrow.names, kinds, strict=True)), file.schema_arrow.metadata)
        with spooled(schema) as aside:
            for stored in file.iter_batches(batch_size=_BATCH_ROWS):
                stored.validate(full=True)  # damaged strings are found here, not by who shows them
                cells = [column.cast(kind) for column, kind in zip(stored.columns, kinds, strict=True)]
                batch = pa.record_batch(cells, schema=schema)
                aside.add(batch)
                size += batch.nbytes
                done += batch.num_rows
                check_unpacked(size, path.stat().st_size, name, code="E-TOO-BIG", advice="Take a sample of it.")
                progress(f"Reading {name}", done, file.metadata.num_rows)
                if rows is not None and done >= rows:
                    break
            columns = aside.table().slice(0, rows)
    # the index that pandas stored is no column of the user's:
    columns = columns.drop_columns([each for each in columns.column_names if each.startswith("__index_level_")])
    columns = _with_class_names(columns).rename_columns(unique_names(columns.column_names))
    columns = pa.table([_with_python_times(each) for each in columns.columns], names=columns.column_names)
    return Table(columns, name, report=ReadingReport(format="Parquet", rows=columns.num_rows))


def _decoded(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries, in which a cell of a few bytes may stand for any number of characters."""
    if pa.types.is_dictionary(kind):
        return _decoded(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_decoded(each.type)) for each in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = kind.value_field.with_type(_decoded(kind.value_type))
        return pa.list_(inner) if pa.types.is_list(kind) else pa.large_list(inner)
    return kind


def _with_python_times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Dates and times that Python cannot hold, or whose time zone nobody knows, as their text; in lists refused."""
    kind = column.type
    has_times = pa.types.is_nested(kind) and ("timestamp" in str(kind) or "date" in str(kind))
    if not has_times and not pa.types.is_temporal(kind):
        return column
    try:
        for chunk in column.chunks:
            chunk.to_pylist()
        return column
    except (ValueError, OverflowError, KeyError) as error:  # Arrow's own errors are ValueErrors
        if has_times:
            message = f"A column of {kind} holds dates that no calendar has ({error})"
            raise CorpusError("E-COLUMN-TYPE", f"{message}. Save these as text, or without that column.") from None
    return (column.cast(pa.timestamp(kind.unit)) if pa.types.is_timestamp(kind) else column).cast(pa.string())


def _with_class_names(columns: pa.Table) -> pa.Table:
    """Numbers of classes as the names that a data set of the hub keeps beside its columns; -1 is no label."""
    metadata = (columns.schema.metadata or {}).get(b"huggingface")
    described = parsed(metadata.decode("utf-8", "replace")) if metadata else None
    features = described.get("info", {}).get("features") if isinstance(described, dict) else None
    for name, feature in (features or {}).items() if isinstance(features, dict) else ():
        names = feature.get("names") if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" else None
        names = [names.get(f"{number}") for number in range(len(names))] if isinstance(names, dict) else names
        position = columns.column_names.index(name) if name in columns.column_names else None
        if not names or position is None or not pa.types.is_integer(columns.schema.field(position).type):
            continue
        numbers = columns.column(position)
        inside = pc.and_(pc.greater_equal(numbers, 0), pc.less(numbers, len(names)))
        spelled = pc.take(pa.array(map(str, names)), pc.if_else(inside, numbers, None))
        columns = columns.set_column(position, name, spelled)
    return columns
