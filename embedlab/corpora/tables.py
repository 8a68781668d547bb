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

    def texts(self, name: str) -> list[str]:
        """A column of texts, blanks made single; empty where there is none."""
        return ["" if value is None else " ".join(str(value).split()) for value in self.column(name)]

    def lists(self, name: str) -> Iterator[list]:
        """Each list cell, or cell that holds a JSON list; a single value is a list of one."""
        for row, value in enumerate(self.column(name)):
            cells = parsed(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
            if cells is None and value is not None:
                where = f"row {self.place(row):,} has {value[:60]!r}"
                raise CorpusError("E-LIST", f"{name} of {self.name!r} must be a list, but {where}. Correct it.")
            yield [] if cells is None or cells == "" else cells if isinstance(cells, list) else [cells]

    def listed_texts(self, name: str) -> list[list[str]]:
        """The texts of each list cell, empty ones left out."""
        cells = ([" ".join(str(value).split()) for value in cell if value is not None] for cell in self.lists(name))
        return [[text for text in texts if text] for texts in cells]

    def place(self, row: int) -> int:
        """The number of a row in the user's file, counted from 1 as a person counts."""
        return (row if self.places is None else self.places[row]) + 1

    def column_called(self, names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
        """The first column with one of these names, the best name first."""
        return next(iter(self.columns_called(names, taken)), None)

    def columns_called(self, names: Sequence[str], taken: Iterable[str | None] = ()) -> list[str]:
        """The columns with one of these names, the best name first."""
        free = [column for column in self.columns.column_names if column not in taken]
        spellings = {column: (column.casefold(), column.casefold().replace(" ", "_")) for column in free}
        return [column for name in names for column in free if name in spellings[column]]

    def require_columns(self, requested: Iterable[str | None]) -> None:
        """Refuse a column that the user names and the file does not have; None and an empty name ask for none."""
        for each in filter(None, requested):
            require(each, self.columns.column_names, "column", self.name)

    def of_split(self, split: str | None, usual: Sequence[str]) -> tuple["Table", str | None]:
        """The rows of the split, else of the first ``usual`` one that is there; and which split it is, None for all.

        Their report says which rows the split leaves out.
        """
        self.require_columns(["split"] if split is not None else [])
        values = list(map(str, self.column("split"))) if "split" in self.columns.column_names else []
        chosen = split or next((each for each in usual if each in values), None)
        if chosen is None:
            return self, None
        require(chosen, sorted(set(values)), "split", self.name)
        rows = self.kept_rows(range(len(values)), lambda row: values[row] == chosen, f"not of the split {chosen!r}")
        return replace(self, columns=self.columns.take(pa.array(rows, pa.int64())), places=rows), chosen

    def kept_rows(self, rows: Iterable[int], keep: Callable[[int], object], reason: str) -> list[int]:
        """The rows that ``keep`` holds of; the others are left out for this reason."""
        verdicts = {row: bool(keep(row)) for row in rows}
        self.leave_out((row for row, is_kept in verdicts.items() if not is_kept), reason)
        return [row for row, is_kept in verdicts.items() if is_kept]

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

    def leave_out(self, rows: CountedRows | Iterable[int], reason: str) -> None:
        """Rows of the file that were counted, or rows of this table, that take no part, and why; of none nothing."""
        counted = rows if isinstance(rows, CountedRows) else CountedRows(self.place(row) - 1 for row in rows)
        self.report = self.report.without(counted, reason)

    def remark(self, *remarks: str) -> None:
        """Further decisions; an empty one is none."""
        self.report = self.report.having(remarks=(*self.report.remarks, *filter(None, remarks)))

    def fails(self, rows: CountedRows, of: int, what: str, alternative: str) -> None:
        """Rows that do not parse: more than one in a hundred ``of`` all speaks against the reading."""
        if rows.total > FAILING_SHARE * of:
            share = f"{rows.total:,} of {of:,} rows of {self.name!r} ({percent(rows.total / of)}) {what}"
            places = ", ".join(f"{row + 1:,}" for row in rows.first[:5])
            self.doubt("E-ROWS-FAIL", f"{share} (first: {places}). Correct them, {alternative}.")


def require(name: str, existing: Sequence[str], what: str, owner: str) -> None:
    """Refuse a column, sheet, split … that a file or data set does not have, and name those it has."""
    if name not in existing:
        there = ", ".join(filter(None, existing[:30]))
        choices = f"Choose from: {there}" if there else "Leave it out: there is none"
        raise CorpusError(f"E-{what.upper()}", f"{owner!r} has no {what} {name!r}. {choices}.")


def number_of(value: object) -> float | None:
    """A finite number, also with a decimal comma, or None."""
    if isinstance(value, str) and value.count(",") == 1:
        value = value.replace(",", ".")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
