"""CSV and its kin: rows by the dialect that was found, under their header; ragged rows are named; cells stay text.

``csv`` reads, but its ``Sniffer`` splits one column of quoted prose at the commas in it. pandas refuses a row that is
too long, or takes its first cells for an index without a word.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pyarrow as pa

from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.formats.characters import TextFile
from embedlab.corpora.formats.dialect import (
    EQUAL_SHARE,
    FASTTEXT,
    Dialect,
    RowCensus,
    find_dialect,
    parsed_rows,
    take_census,
)
from embedlab.corpora.names import ROW_NAMES, header_rows, unique_names
from embedlab.corpora.notes import SEPARATORS, CountedRows, ReadOptions, counted_rows
from embedlab.corpora.tables import ACCEPT, Table
from embedlab.errors import CorpusError
from embedlab.limits import check_columns
from embedlab.table_files import spooled

_NO_ROW = re.compile(r"\s*(:?-{2,}:?|\(.*\)|\[.*\])?\s*")  # a rule of Markdown, or units in brackets
_LABEL = re.compile(r"__label__(\S+)")
SQUARED_ROWS = 10_000  # that are lists of cells at once


def read_delimited(text: TextFile, options: ReadOptions) -> Table:
    """The table of a delimited file; a file without any separator is one text a line.

    It is read twice, row by row: to know its widths and quotes, and to put its cells aside.
    """
    name, table = text.name, Table(pa.table({}), text.name)
    dialect, census = _readable(text, *find_dialect(text, options), table)
    rows = islice(parsed_rows(text.lines(), dialect), census.rows)
    if dialect.separator is None and census.first and all(FASTTEXT.search(row[0]) for row in census.first):
        return _fasttext(rows, table)
    if not census.first:
        raise CorpusError("E-NO-TEXTS", f"{name!r} is empty. A corpus needs at least one text.")
    check_columns(len(census.first[0]), name)
    above = header_rows(census.first, options.header_row)
    written = census.first[above - 1] if above else []
    names, width = _names(census, above, written, table)
    table.columns, left = _squared(islice(rows, above, None), names, written, dialect, table)
    table.columns = table.columns.select(names[:width])
    if census.has_swallowed and options.quoting is None:
        line, lines = census.swallowing
        table.doubt(
            "E-CSV-SWALLOWED",
            f"{table.name!r} has multi-line cells, most of which look like rows: line {line:,} opens a quote "
            f"that closes {lines - 1:,} lines below. Fix that quote, read quotes as ordinary characters "
            f"(--quoting none), {ACCEPT}.",
        )
    table.report = table.report.having(
        format="text, one per line" if dialect.separator is None else "TSV" if dialect.separator == "\t" else "CSV",
        separator=dialect.separator,
        quoting=None if dialect.separator is None else dialect.quoting,
        header_row=dialect.skipped + above if above else 0,
        rows=table.columns.num_rows + sum(rows.total for rows in left.values()),
    )
    for reason, numbers in left.items():
        table.leave_out(numbers, reason)
    return table


def _fasttext(rows: Iterator[list[str]], table: Table) -> Table:
    """fastText's lines, whose labels stand before or after the text; the first of several is taken."""
    labels, texts, several = [], [], CountedRows()
    for number, row in enumerate(rows):
        of_text = _LABEL.findall(" ".join(FASTTEXT.findall(row[0])))
        labels.append(of_text[0] if of_text else None)
        texts.append(without_surrogates(FASTTEXT.sub("", row[0])))
        if len(of_text) > 1:
            several.add(number)
    if several.total:
        table.say("W-LABELS", f"{counted_rows(several)} several labels; the first was used.")
    table.columns = pa.table({"label": pa.array(labels, pa.large_string()), "text": pa.array(texts, pa.large_string())})
    table.report = table.report.having(format="fastText lines", rows=len(texts))
    return table


def _names(census: RowCensus, above: int, written: list[str], table: Table) -> tuple[list[str], int]:
    """Distinct column names, and how many of them are columns: one less where each row ends in a separator."""
    if not above:
        names = unique_names([], max(census.widths))
        table.say("W-NO-HEADER", f"No header row was found; the columns are named {', '.join(names[:5])}.")
        return names, len(names)
    width, below = len(written), census.rows - above
    if below and census.widths[width + 1] >= EQUAL_SHARE * below:  # R leaves the name of its row names out
        if not census.open_ended[width + 1]:  # each row ends in a separator
            return unique_names(written, width + 1), width
        rows = census.first[above:]
        heads = [row[0] for row in rows]
        are_short = sum(head.count(" ") + 1 for head in heads) <= 2 * len(heads)
        if len(set(heads)) < len(heads) or not are_short or all(row[1].startswith(" ") for row in rows):
            return unique_names(written, width), width  # prose that is not quoted has separators of its own
        names = unique_names([ROW_NAMES, *written], width + 1)
        table.say("I-ROW-NAMES", f"The header has one name fewer than the rows have cells: {names[0]!r} was put first.")
        table.remark(f"the first column, {names[0]!r}, has no name in the header")
        return names, width + 1
    names = unique_names(written, width)
    if names != [cell.strip() for cell in written]:
        table.say("W-COLUMN-NAMES", f"Blank or repeated column names were made unique: {', '.join(names[:20])}.")
    return names, width


def _readable(text: TextFile, dialect: Dialect, census: RowCensus, table: Table) -> tuple[Dialect, RowCensus]:
    """A dialect that reads every row, and its census; of a file's beginning all rows but one with an open quote."""
    error = census.error
    if error is None:
        if dialect.quoting == "none" and dialect.separator == "\t":
            table.say("W-CSV-QUOTES", "Quotes do not enclose cells here; they were read as ordinary characters.")
        return dialect, census
    if text.is_cut and error.is_open and census.rows > 1:  # a header at least, and a row
        return dialect, census
    if dialect.separator is None:
        dialect = replace(dialect, quoting="none")
    elif error.is_open:
        raise CorpusError(
            "E-CSV-QUOTE",
            f"{table.name!r}: line {error.line:,} opens a quote that never closes. Close or remove it, or read quotes "
            "as ordinary characters (--quoting none).",
        ) from None
    else:
        table.say("W-CSV-QUOTES", f"Line {error.line:,} has characters after a closing quote; they were kept.")
        dialect = replace(dialect, strict=False)
    return dialect, take_census(text, dialect)


def _squared(
    rows: Iterator[list[str]], names: list[str], written: list[str], dialect: Dialect, table: Table
) -> tuple[pa.Table, dict[str, CountedRows]]:
    """Columns of equal length, and the rows that were left out by the reason for it; ``written``: the header.

    Short rows are filled up, what is too much stays in the last cell.
    """
    short, long, last, left = CountedRows(), CountedRows(), len(names) - 1, defaultdict[str, CountedRows](CountedRows)
    sign = dialect.separator or ","

    def is_kept(number: int, row: list[str]) -> bool:
        reason = ""
        if len(written) > 1 and row == written:
            reason = "repeat the header"
        elif number == 0 and len(written) > 1 and any(row) and all(map(_NO_ROW.fullmatch, row)):
            reason = "a rule or units below the header"
        elif dialect.comments and row[0].startswith("#") and len(row) != len(names):
            reason = "comments"
        if reason:
            left[reason].add(number)
        return not reason

    numbered = ((number, row) for number, row in enumerate(rows) if is_kept(number, row))
    with spooled(pa.schema([(name, pa.large_string()) for name in names])) as aside:
        while part := list(islice(numbered, SQUARED_ROWS)):
            short.add_all(number for number, row in part if len(row) < len(names))
            long.add_all(number for number, row in part if len(row) > len(names))
            square = [[*row[:last], sign.join(row[last:]), *[""] * (last - len(row))] for _, row in part]
            cells = [[without_surrogates(row[column]) for row in square] for column in range(len(names))]
            aside.add(pa.record_batch([pa.array(values, pa.large_string()) for values in cells], schema=aside.schema))
        columns = aside.table()
    total = columns.num_rows + sum(numbers.total for numbers in left.values())
    if short.total:
        table.say("W-RAGGED", f"{counted_rows(short)} fewer cells than columns; the missing cells are empty.")
    if long.total:
        called = SEPARATORS.get(sign, repr(sign))
        message = f"more than {len(names)} cells; the extra cells were kept in {names[-1]!r}."
        table.say("W-RAGGED", f"{counted_rows(long)} {message} Is there an unquoted {called} in a text?")
        another = f"specify another separator (--separator), {ACCEPT}"
        table.fails(long, total, f"have more than {len(names)} cells", another)
    return columns, left
