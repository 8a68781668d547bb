"""Tables of evaluation sets and pairs: columns by their usual names, the rows of a split, texts, lists, numbers."""

import json
import math
from collections.abc import Iterable, Sequence

import pyarrow as pa

from embedlab.corpora.notes import CountedRows
from embedlab.corpora.reading_report import LeftOut, left_out
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError

ROW = "row of the file"  # a column laid beside the others before any row is left out


def column_called(table: pa.Table, names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """The first column with one of these names, the best name first."""
    free = [column for column in table.column_names if column not in {*taken, ROW}]
    return next((column for name in names for column in free if column.casefold() == name), None)


def rows_of_split(table: Table, split: str | None, usual: Sequence[str], name: str) -> tuple[pa.Table, str | None]:
    """The rows of the split, each with its place in the file, and which split it is, None for all.

    The table's report then says how many rows there are, and which the split leaves out.
    """
    table.report = table.report.having(rows=table.report.rows or len(table.columns))
    columns = table.columns.append_column(ROW, pa.array(range(len(table.columns)), pa.int64()))
    if "split" not in table.columns.column_names:
        if split is not None:
            message = f"{name!r} has no column 'split', so {split!r} cannot be chosen. Leave it out."
            raise CorpusError("E-COLUMN", message)
        return columns, None
    values = [str(value) for value in table.columns.column("split").to_pylist()]
    wanted = split or next((each for each in usual if each in values), None)
    if wanted is None:
        return columns, None
    kept = [row for row, value in enumerate(values) if value == wanted]
    if not kept:
        there = ", ".join(sorted(set(values))[:8])
        raise CorpusError("E-SPLIT", f"No row of {name!r} is of the split {wanted!r}. Choose from: {there}.")
    others = rows_left_out(columns, range(len(values)), f"not of the split {wanted!r}", but=kept)
    table.report = table.report.having(left_out=(*table.report.left_out, *others))
    return columns.take(pa.array(kept, pa.int64())), wanted


def rows_left_out(table: pa.Table, rows: Iterable[int], reason: str, *, but: Iterable[int] = ()) -> tuple[LeftOut, ...]:
    """These rows of a part of the file, ``but`` some, by where they stand in it."""
    kept = set(but)
    return left_out(CountedRows(place_of(table, row) - 1 for row in rows if row not in kept), reason)


def place_of(table: pa.Table, row: int) -> int:
    """Where a row stands in the user's file, counted from 1 as a person counts."""
    return table.column(ROW)[row].as_py() + 1


def texts_of(table: pa.Table, column: str) -> list[str]:
    """A column of texts, blanks made single; empty where there is none."""
    return ["" if value is None else " ".join(str(value).split()) for value in table.column(column).to_pylist()]


def listed_texts(table: pa.Table, column: str, row: int, name: str) -> list[str]:
    """The texts of a list cell, empty ones left out."""
    found = [" ".join(str(value).split()) for value in list_of(table, column, row, name) if value is not None]
    return [text for text in found if text]


def list_of(table: pa.Table, column: str, row: int, name: str) -> list:
    """A list cell, or a cell that holds a JSON list; a single value is a list of one."""
    value = table.column(column)[row].as_py()
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            message = f"{column} of {name!r} must be a list, but row {place_of(table, row):,} has {value[:60]!r}."
            raise CorpusError("E-LIST", f"{message} Correct it.") from None
    return [] if value is None or value == "" else value if isinstance(value, list) else [value]


def number_of(value: object) -> float | None:
    """A finite number, also with a decimal comma, or None."""
    if isinstance(value, str) and value.count(",") == 1:
        value = value.replace(",", ".")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
