"""CSV and its kin: the delimiter, the header and the quotes are found, ragged rows are named; cells stay text.

``csv`` reads, but its ``Sniffer`` splits one column of quoted prose at the commas in it. pandas refuses a row that is
too long, or takes its first cells for an index without a word.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pyarrow as pa

from embedlab.corpora.characters import BEGINNING, Characters
from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.notes import CountedRows, counted_rows
from embedlab.corpora.stored.draft import unique_names
from embedlab.corpora.stored.spool import spooled
from embedlab.corpora.tables import (
    ANCHOR_NAMES,
    LABEL_NAMES,
    NEGATIVE_NAMES,
    POSITIVE_NAMES,
    SCORE_NAMES,
    SUMMARY_NAMES,
    TEXT_NAMES,
    TITLE_NAMES,
    Table,
)
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_OTHER_NAMES = ("id", "summaries", "year", "date")
_PAIR_NAMES = (*ANCHOR_NAMES, *POSITIVE_NAMES, *NEGATIVE_NAMES, *SCORE_NAMES)
_KNOWN_NAMES = frozenset([*TEXT_NAMES, *LABEL_NAMES, *TITLE_NAMES, *SUMMARY_NAMES, *_PAIR_NAMES, *_OTHER_NAMES])
_FIRST_ROWS = 200
SQUARED_ROWS = 10_000  # that are lists of cells at once


def read_delimited(text: Characters, *, name: str, is_cut: bool = False) -> Table:
    """The table of a delimited file; a file without any delimiter is one text a line.

    It is read twice, row by row: to know its widths and quotes, and to put its cells aside.
    ``is_cut``: of a file's first lines; a row whose quote they do not close is left out.
    """
    start = text.beginning
    is_plain = name.casefold().endswith(".txt") and not any(_names_columns(start, found) for found in DELIMITERS)
    delimiter = None if is_plain else sniff_delimiter(start)
    table = Table(pa.table({}), name)
    rows = _rows(text, delimiter, table, is_cut=is_cut)
    if not rows.first:
        raise CorpusError("E-NO-TEXTS", f"{name!r} is empty. A corpus needs at least one text.")
    if len(rows.first[0]) > LIMITS.columns:
        columns = len(rows.first[0])
        raise CorpusError("E-TOO-BIG", f"{name!r} has {columns:,} columns; at most {LIMITS.columns:,} are read.")
    if has_header(rows.first):
        names = unique_names(rows.first[0])
        if names != [cell.strip() for cell in rows.first[0]]:
            table.say("W-COLUMN-NAMES", f"Blank or repeated column names were made distinct: {', '.join(names[:20])}.")
        body = islice(rows, 1, None)
    else:
        names = unique_names([""] * rows.width)
        table.say("W-NO-HEADER", f"No line of column names was found; the columns are called {', '.join(names[:5])}.")
        body = iter(rows)
    table.columns = _squared(body, names, delimiter or ",", table)
    return table


def sniff_delimiter(text: str) -> str | None:
    """The delimiter that splits the first lines into the same number of cells, two at least; None if none does."""
    sample = text[:BEGINNING]
    if len(text) > len(sample):
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_weight = None, 0.0
    for delimiter in DELIMITERS:
        widths = Counter(map(len, _parsed(io.StringIO(sample, newline=""), delimiter, strict=False)))
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        if width < 2 or count < 0.6 * widths.total():
            continue
        in_prose = sample.count(f"{delimiter} ") / sample.count(delimiter)  # commas of prose have a blank behind them
        weight = count / widths.total() - 0.5 * in_prose + min(width, 20) * 1e-3
        if weight > best_weight:
            best, best_weight = delimiter, weight
    if best is None:  # ragged throughout: the names in the first line still tell
        return next((delimiter for delimiter in DELIMITERS if _names_columns(sample, delimiter)), None)
    return best


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: known names, or short distinct words unlike what is below."""
    first = [cell.strip() for cell in rows[0]]
    if {cell.casefold() for cell in first} & _KNOWN_NAMES:
        return True
    named = [cell for cell in first if cell]
    if len(rows) < 2 or len(first) < 2 or not named or len(set(named)) < len(named):
        return False
    if any(len(cell) > 40 or cell.count(" ") > 3 or _is_number(cell) for cell in named):
        return False
    below = rows[1:200]
    columns = [[row[place] for row in below if place < len(row)] for place in range(len(first))]
    if any(cell and cell in column for cell, column in zip(first, columns, strict=True)):
        return False  # a name would not come back as a value
    return any(
        column and (all(map(_is_number, column)) or sum(map(len, column)) / len(column) > 2 * len(cell) + 10)
        for cell, column in zip(first, columns, strict=True)
    )


def _names_columns(text: str, delimiter: str) -> bool:
    names = [cell.strip().strip('"').casefold() for cell in text.split("\n", 1)[0].split(delimiter)]
    return len(names) >= 2 and bool(_KNOWN_NAMES & set(names))


class _Rows:
    """Rows that can be gone through again: the first of them, and the most cells that one has."""

    def __init__(self, again: Callable[[], Iterator[list[str]]]):
        self._again = again
        self.first, self.width = [], 0
        for number, row in enumerate(again()):
            if number < _FIRST_ROWS:
                self.first.append(row)
            self.width = max(self.width, len(row))

    def __iter__(self) -> Iterator[list[str]]:
        return self._again()


def _rows(text: Characters, delimiter: str | None, table: Table, *, is_cut: bool) -> _Rows:
    def parsed(strict: bool) -> Iterator[list[str]]:
        # in one column, quoted cells may hold line breaks, unquoted ones any delimiter
        return _parsed(text.lines(), delimiter or "\x1f", strict=strict)

    try:
        return _Rows(lambda: parsed(strict=True))
    except _QuoteError as error:
        if is_cut and error.is_open and error.rows > 1:  # a header at least, and a row
            whole = error.rows
            return _Rows(lambda: islice(parsed(strict=True), whole))
        if delimiter is None:
            return _Rows(lambda: ([line] for line in _plain_lines(text)))
        if delimiter == "\t":  # tab-separated files rarely quote: a quote is a character of the text
            table.say("W-CSV-QUOTES", f"Line {error.line:,} uses quotes oddly; quotes were read as plain characters.")
            return _Rows(lambda: (line.split("\t") for line in _plain_lines(text)))
        if error.is_open:
            message = f"{table.name!r}: line {error.line:,} opens a quote that never closes. Close or remove it."
            raise CorpusError("E-CSV-QUOTE", message) from None
        table.say("W-CSV-QUOTES", f"Line {error.line:,} has characters after a closing quote; they were kept.")
        return _Rows(lambda: parsed(strict=False))


def _plain_lines(text: Characters) -> Iterator[str]:
    """Without their ends; blank ones are left out."""
    return (line.removesuffix("\n").rstrip("\r") for line in text.lines("\n") if line.strip())


class _QuoteError(Exception):
    def __init__(self, line: int, is_open: bool, rows: int):
        super().__init__(line)
        self.line, self.is_open, self.rows = line, is_open, rows  # the line where a row begins; rows before it


def _parsed(lines: Iterable[str], delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    """The rows that have a cell."""
    csv.field_size_limit(2**31 - 1)  # the length of a text is limited later, with a note
    reader = csv.reader((line.replace("\0", "") for line in lines), delimiter=delimiter, strict=strict)
    read = filled = 0
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _QuoteError(line, "end of data" in str(error), filled) from None
        read, line = read + 1, reader.line_num + 1
        if read > LIMITS.rows:
            raise CorpusError("E-TOO-MANY-ROWS", f"The file has more than {LIMITS.rows:,} rows. Split it.")
        if row:
            filled += 1
            yield row


def _squared(rows: Iterator[list[str]], names: list[str], delimiter: str, table: Table) -> pa.Table:
    """Columns of equal length; short rows are filled up, what is too much stays in the last cell."""
    short, long, last = CountedRows(), CountedRows(), len(names) - 1
    numbered = enumerate(rows)
    with spooled(pa.schema([(name, pa.large_string()) for name in names])) as aside:
        while part := list(islice(numbered, SQUARED_ROWS)):
            short.add_all(number for number, row in part if len(row) < len(names))
            long.add_all(number for number, row in part if len(row) > len(names))
            square = [_square(row, last, delimiter) for _, row in part]
            cells = [[without_surrogates(row[place]) for row in square] for place in range(len(names))]
            aside.add(pa.record_batch([pa.array(values, pa.large_string()) for values in cells], schema=aside.schema))
        columns = aside.table()
    if short.total:
        table.say("W-RAGGED", f"{counted_rows(short)} fewer cells than columns; the missing cells are empty.")
    if long.total:
        said = f"more than {len(names)} cells; what is too much was kept in {names[-1]!r}."
        table.say("W-RAGGED", f"{counted_rows(long)} {said} Is a {DELIMITERS[delimiter]} in a text not quoted?")
    return columns


def _square(row: list[str], last: int, delimiter: str) -> list[str]:
    if len(row) > last + 1:
        return [*row[:last], delimiter.join(row[last:])]
    return row + [""] * (last + 1 - len(row))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
