"""A table as a reader read it, what had to be decided for it, and its cells: texts, lists, numbers, rows of a split."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from embedlab.corpora.cleaning import parsed
from embedlab.corpora.notes import CountedRows, Note, ReadingReport, ReadOptions
from embedlab.corpora.stored.columns import Column
from embedlab.corpora.stored.draft import as_text
from embedlab.errors import CorpusError
from embedlab.numbers import percent

FAILING_SHARE = 0.01  # of rows that do not parse: more speak against the reading
ACCEPT = "or accept this reading (--accept-reading)"
SAMPLED_ROWS = 2_000  # at least, that a proposal reads of a larger table


@dataclass
class Table:
    """Rows as a reader found them, with what it had to decide."""

    columns: pa.Table
    name: str
    notes: list[Note] = field(default_factory=list)
    report: ReadingReport = ReadingReport(format="table")  # what readers find is put in with ``having``
    places: list[int] | None = None  # where its rows stand in the file, if they are a part of it

    def column(self, name: str) -> Column:
        """One of its columns, of which cells become Python objects as they are read."""
        return Column(self.columns.column(name))

    def some(self, name: str) -> list[str]:
        """Up to 4,000 cells as text, ``""`` where there is none: of each column the same rows, spread over all."""
        return [as_text(cell) or "" for cell in self.column(name)[:: max(1, self.columns.num_rows // SAMPLED_ROWS)]]

    def sound(self, options: ReadOptions) -> "Table":
        """The table itself; refused where something speaks against this reading, unless the user accepts it."""
        if self.report.doubts and not options.accept_reading:
            raise CorpusError(self.report.doubts[0].code, self.report.doubts[0].message)
        return self

    def say(self, code: str, message: str) -> None:
        """Something the user should know."""
        self.notes.append(Note(code=code, message=message))

    def doubt(self, code: str, message: str) -> None:
        """Something that speaks against this reading; the message names another one."""
        self.report = self.report.having(doubts=(*self.report.doubts, Note(code=code, message=message)))

    def leave_out(self, rows: CountedRows, reason: str) -> None:
        """Rows that take no part, and why; nothing where there is none."""
        self.report = self.report.without(rows, reason)

    def remark(self, *remarks: str) -> None:
        """Further decisions; an empty one is none."""
        self.report = self.report.having(remarks=(*self.report.remarks, *filter(None, remarks)))

    def fails(self, rows: CountedRows, of: int, what: str, alternative: str) -> None:
        """Rows that do not parse: more than one in a hundred ``of`` all speaks against the reading."""
        if rows.total > FAILING_SHARE * of:
            share = f"{rows.total:,} of {of:,} rows of {self.name!r} ({percent(rows.total / of)}) {what}"
            places = ", ".join(f"{row + 1:,}" for row in rows.first[:5])
            self.doubt("E-ROWS-FAIL", f"{share} (first: {places}). Correct them, {alternative}.")


def require_columns(requested: Iterable[str | None], columns: Sequence[str], name: str) -> None:
    """Refuse a column that the user names and the file does not have; None and an empty name ask for none."""
    for each in requested:
        if each and each not in columns:
            there = ", ".join(columns[:30])
            raise CorpusError("E-COLUMN", f"{name!r} has no column {each!r}. Its columns are: {there}.")


def column_called(table: Table, names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """The first column with one of these names, the best name first."""
    free = [column for column in table.columns.column_names if column not in taken]
    spellings = {column: (column.casefold(), column.casefold().replace(" ", "_")) for column in free}
    return next((column for name in names for column in free if name in spellings[column]), None)


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
    chosen = split or next((each for each in usual if each in values), None)
    if chosen is None:
        return rows, None
    if chosen not in values:
        there = ", ".join(sorted(set(values))[:8])
        raise CorpusError("E-SPLIT", f"No row of {name!r} is of the split {chosen!r}. Choose from: {there}.")
    reason = f"not of the split {chosen!r}"
    places = kept_rows(rows, range(len(values)), lambda row: values[row] == chosen, reason)
    return replace(rows, columns=file.columns.take(pa.array(places, pa.int64())), places=places), chosen


def kept_rows(table: Table, rows: Iterable[int], keep: Callable[[int], object], reason: str) -> list[int]:
    """The rows that ``keep`` holds of; the others are left out for this reason."""
    verdicts = {row: bool(keep(row)) for row in rows}
    leave_out(table, (row for row, is_kept in verdicts.items() if not is_kept), reason)
    return [row for row, is_kept in verdicts.items() if is_kept]


def leave_out(table: Table, rows: Iterable[int], reason: str) -> None:
    """Leave out these rows of a part of the file, and name them by where they stand in it."""
    table.leave_out(CountedRows(place_of(table, row) - 1 for row in rows), reason)


def place_of(table: Table, row: int) -> int:
    """The number of a row in the user's file, counted from 1 as a person counts."""
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
        cells = parsed(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
        if cells is None and value is not None:
            where = f"row {place_of(table, row):,} has {value[:60]!r}"
            raise CorpusError("E-LIST", f"{column} of {table.name!r} must be a list, but {where}. Correct it.")
        yield [] if cells is None or cells == "" else cells if isinstance(cells, list) else [cells]


def number_of(value: object) -> float | None:
    """A finite number, also with a decimal comma, or None."""
    if isinstance(value, str) and value.count(",") == 1:
        value = value.replace(",", ".")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
