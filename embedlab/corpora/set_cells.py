"""Tables of evaluation sets and pairs: columns by their usual names, the rows of a split, texts, lists, numbers."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from embedlab.corpora.formats.json_shapes import parsed
from embedlab.corpora.notes import CountedRows
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError


def column_called(table: Table, names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """The first column with one of these names, the best name first."""
    free = [column for column in table.columns.column_names if column not in taken]
    return next((column for name in names for column in free if column.casefold() == name), None)


def rows_of_split(file: Table, split: str | None, usual: Sequence[str], name: str) -> tuple[Table, str | None]:
    """The rows of the split under this ``name``, and which split it is, None for all.

    Their report says how many rows there are, and which the split leaves out.
    """
    rows = replace(file, name=name, report=file.report.having(rows=file.report.rows or len(file.columns)))
    if "split" not in file.columns.column_names:
        if split is not None:
            message = f"{name!r} has no column 'split', so {split!r} cannot be chosen. Leave it out."
            raise CorpusError("E-COLUMN", message)
        return rows, None
    values = [str(value) for value in file.column("split")]
    wanted = split or next((each for each in usual if each in values), None)
    if wanted is None:
        return rows, None
    if wanted not in values:
        there = ", ".join(sorted(set(values))[:8])
        raise CorpusError("E-SPLIT", f"No row of {name!r} is of the split {wanted!r}. Choose from: {there}.")
    reason = f"not of the split {wanted!r}"
    places = kept_rows(rows, range(len(values)), lambda row: values[row] == wanted, reason)
    return replace(rows, columns=file.columns.take(pa.array(places, pa.int64())), places=places), wanted


def kept_rows(table: Table, rows: Iterable[int], keep: Callable[[int], object], reason: str) -> list[int]:
    """The rows that ``keep`` holds of; the others are left out for this reason."""
    kept = {row: bool(keep(row)) for row in rows}
    leave_out(table, (row for row, is_kept in kept.items() if not is_kept), reason)
    return [row for row, is_kept in kept.items() if is_kept]


def leave_out(table: Table, rows: Iterable[int], reason: str) -> None:
    """These rows of a part of the file take no part, and are named by where they stand in it."""
    table.leave_out(CountedRows(place_of(table, row) - 1 for row in rows), reason)


def place_of(table: Table, row: int) -> int:
    """Where a row stands in the user's file, counted from 1 as a person counts."""
    return (row if table.places is None else table.places[row]) + 1


def texts_of(table: Table, column: str) -> list[str]:
    """A column of texts, blanks made single; empty where there is none."""
    cells = table.column(column)
    return ["" if value is None else " ".join(str(value).split()) for value in cells]


def listed_texts(table: Table, column: str) -> list[list[str]]:
    """The texts of each list cell, empty ones left out."""
    cells = ([" ".join(str(value).split()) for value in cell if value is not None] for cell in lists_of(table, column))
    return [[text for text in texts if text] for texts in cells]


def lists_of(table: Table, column: str) -> Iterator[list]:
    """Each list cell, or cell that holds a JSON list; a single value is a list of one."""
    for row, value in enumerate(table.column(column)):
        found = parsed(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
        if found is None and value is not None:
            place = f"row {place_of(table, row):,} has {value[:60]!r}"
            raise CorpusError("E-LIST", f"{column} of {table.name!r} must be a list, but {place}. Correct it.")
        yield [] if found is None or found == "" else found if isinstance(found, list) else [found]


def number_of(value: object) -> float | None:
    """A finite number, also with a decimal comma, or None."""
    if isinstance(value, str) and value.count(",") == 1:
        value = value.replace(",", ".")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
