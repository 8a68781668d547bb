"""Which sign separates the cells of a text file, and how its quotes are meant; both are found by reading.

A separator must split the lines into equally many cells. Quotes are tried as CSV has them (doubled inside a cell), then
after a backslash (Spark, MySQL), then as single quotes (Weka, SQL), then as ordinary characters (tab-separated files).
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from embedlab.corpora.formats.characters import BEGINNING, TextFile
from embedlab.corpora.names import KNOWN_NAMES
from embedlab.corpora.notes import QUOTINGS, SEPARATORS, ReadOptions, is_number
from embedlab.errors import SettingsError
from embedlab.limits import check_rows

FIRST_ROWS = 200
EQUAL_SHARE = 0.99  # of the lines have as many cells as most: a table
_PROSE = 0.9  # of the separators have a blank behind them
_NO_SEPARATOR = "\x1f"  # one column: quoted cells may hold line breaks, unquoted ones any sign
_SEP_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # how Excel is told the separator
_SINGLE_QUOTED = re.compile(r"\s*'[^']*'\s*")
_BEFORE_QUOTE = re.compile(r'(\\+)"')
_LINES_TRIED = 5_000  # of cells with several lines
# separators that are looked for where none is usual:
_RARE = re.compile(r"([:;,|#@^~\t])\1+|[\^~¦§¬\x01-\x08\x1c-\x1f]")
FASTTEXT = re.compile(r"^(?:__label__\S+[\s,]*)+|(?:\s+__label__\S+)+\s*$")  # labels at either end of a line


@dataclass(frozen=True)
class Dialect:
    """The rule by which lines become cells."""

    separator: str | None  # None: one text a line
    quoting: str  # a key of QUOTINGS
    skipped: int = 0  # lines above the first row
    strict: bool = True  # a quote that does not belong there is refused, not kept
    comments: bool = False  # lines above the first row begin with ``#``, and so do those between the rows
    spaced: bool = False  # a blank may stand between a separator and a quote


class QuoteError(Exception):
    """A quote that the dialect does not allow."""

    def __init__(self, line: int, is_open: bool):
        super().__init__(line)
        self.line, self.is_open = line, is_open  # the line where a row begins


@dataclass
class RowCensus:
    """Counts of one pass over the rows of a file."""

    first: list[list[str]] = field(default_factory=list)
    widths: Counter = field(default_factory=Counter)  # cells in a row -> rows
    open_ended: Counter = field(default_factory=Counter)  # cells in a row -> rows whose last cell is not blank
    lines_inside: int = 0  # lines that are not the last of their row, in cells of several lines
    tried: int = 0  # of them, those that were looked at
    inside: list[list[str]] = field(default_factory=list)  # their cells, where they are as many as usual
    swallowing: tuple[int, int] = (0, 0)  # the first row with such lines: where it begins, how many lines
    error: QuoteError | None = None
    escapes: bool = False  # a backslash stands before a quote somewhere

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.widths.total()

    @property
    def usual(self) -> int:
        """The number of cells that most rows have."""
        return self.widths.most_common(1)[0][0] if self.widths else 0

    @property
    def equal(self) -> float:
        """The share of rows that have as many cells as most."""
        return self.widths[self.usual] / self.rows if self.rows else 0.0

    @property
    def has_swallowed(self) -> bool:
        """Whether cells of several lines hold rows of the table: what a quote makes that closes another row's.

        A line is no prose where a cell of it is a value that its column repeats, or a number among numbers.
        """
        columns = list(zip(*(row for row in self.first if len(row) == self.usual), strict=True))
        repeated = [{cell for cell, count in Counter(column).items() if count > 1 and cell} for column in columns]
        numbers = [all(map(is_number, column)) for column in columns]
        rows = sum(
            any(
                cell in values or (are_numbers and is_number(cell))
                for cell, values, are_numbers in zip(cells, repeated, numbers, strict=False)
            )
            for cells in self.inside
        )
        return rows >= 3 and rows > 0.01 * self.rows and rows > 0.8 * self.tried


def chosen_separator(options: ReadOptions) -> str | None:
    """The user's: a name of one, or the sign itself."""
    if options.separator is None:
        return None
    signs = {name: sign for sign, name in SEPARATORS.items()} | {"space": " ", "\\t": "\t"}
    sign = signs.get(options.separator.casefold(), options.separator)
    if len(sign) != 1 or sign in '"\r\n':
        message = f"The separator must be one character, or {', '.join(signs)}, but found {options.separator!r}."
        raise SettingsError("E-SEPARATOR", message)
    return sign


def find_dialect(text: TextFile, options: ReadOptions) -> tuple[Dialect, RowCensus]:
    """The dialect of a file, and what its rows count by it; a .txt has one text a line unless something says more."""
    skipped, separator = max(0, (options.header_row or 1) - 1), chosen_separator(options)
    sep_line = _SEP_LINE.match(text.beginning)
    if sep_line and separator is None:
        skipped, separator = max(1, skipped), sep_line.group(1)
    comments = 0 if options.header_row is not None else _comment_lines(text.beginning)
    skipped = max(skipped, comments)
    if separator is None:
        separator = _proposed_separator(text.name, "\n".join(text.beginning.split("\n", skipped)[skipped:]))
    quoting = options.quoting or ("none" if separator is not None and len(separator) > 1 else None)
    if quoting is not None and quoting not in QUOTINGS:
        raise SettingsError("E-QUOTING", f"Quoting must be one of {', '.join(QUOTINGS)}, but found {quoting!r}.")
    spaced = separator is not None and text.beginning.count(f'{separator} "') > text.beginning.count("\n") / 2
    dialect = Dialect(separator, quoting or "doubled", skipped, comments=bool(comments), spaced=spaced)
    census = take_census(text, dialect)
    if quoting is not None or separator is None:
        return dialect, census
    is_torn = census.error is not None or census.lines_inside > 0 or census.equal < 1
    if census.escapes and is_torn:
        escaped = replace(dialect, quoting="backslash")
        other = take_census(text, escaped)
        if other.error is None and (census.error is not None or other.equal > census.equal):
            return escaped, other
    if all(map(_SINGLE_QUOTED.fullmatch, next(islice(text.lines(), skipped, None), "").split(separator))):
        single = replace(dialect, quoting="single")
        other = take_census(text, single)
        if other.error is None:
            return single, other
    if separator == "\t" and is_torn and any('"' in line for line in text.lines()):
        plain = replace(dialect, quoting="none")
        other = take_census(text, plain)
        is_equal = other.equal == 1 or other.equal > census.equal or census.has_swallowed
        if census.error is not None or (is_equal and other.equal >= EQUAL_SHARE):
            return plain, other
    return dialect, census


def take_census(text: TextFile, dialect: Dialect) -> RowCensus:
    """One pass over all rows; it ends at a quote that the dialect does not allow."""
    census, lines, begins = RowCensus(), [], 1

    def remembered() -> Iterator[str]:
        for line in text.lines():
            census.escapes = census.escapes or '\\"' in line
            lines.append(line)
            yield line

    try:
        for number, row in enumerate(parsed_rows(remembered(), dialect)):
            check_rows(number + 1, text.name)
            if number < FIRST_ROWS:
                census.first.append(row)
            census.widths[len(row)] += 1
            census.open_ended[len(row)] += bool(row[-1].strip())
            if len(lines) > 1:
                _look_inside(census, lines, dialect, begins)
            begins += len(lines)
            lines.clear()
    except QuoteError as error:
        census.error = error
    return census


def parsed_rows(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    """The rows that have a cell, from the first that is not skipped."""
    rest = iter(lines)
    for _ in range(dialect.skipped):
        next(rest, None)
    if dialect.quoting == "none":
        return _unquoted(rest, dialect.separator)
    if dialect.quoting == "backslash":
        rest = map(_with_doubled_quotes, rest)
    separator, quote = dialect.separator or _NO_SEPARATOR, "'" if dialect.quoting == "single" else '"'
    return _parsed(rest, separator, dialect.strict, dialect.skipped, spaced=dialect.spaced, quote=quote)


def _comment_lines(text: str) -> int:
    """The lines that begin with ``#`` above the first row; none where they name columns."""
    lines = text.split("\n")
    count = next((number for number, line in enumerate(lines) if not line.startswith("#")), 0)
    return 0 if any(_names_columns(lines[0], sign) for sign in SEPARATORS) else count


def _proposed_separator(name: str, text: str) -> str | None:
    """A usual separator, or another one by which the first line names columns; of a .txt only if it is sure."""
    lines = [line for line in text[:BEGINNING].split("\n")[:FIRST_ROWS] if line.strip()]
    if lines and all(map(FASTTEXT.search, lines)):
        return None
    rare = [match.group() for match in _RARE.finditer(lines[0])] if lines else []
    equal = [sign for sign in (*rare, "\t") if len({line.count(sign) for line in lines}) == 1 < len(lines)]
    if sign := next((sign for sign in equal if sign < "\t" or _names_columns(text, sign)), None):
        return sign
    is_text = name.casefold().endswith(".txt") and not text.startswith('"')
    if is_text and not any(_names_columns(text, sign) for sign in SEPARATORS):
        return "\t" if "\t" in equal and "\t" in text and not re.search(" \t|\t ", text) else None
    return sniff_separator(text)


def sniff_separator(text: str) -> str | None:
    """The sign that splits the first lines into the same number of cells, two at least; None if none does."""
    sample = text[:BEGINNING]
    if _is_quoted_by_blanks(sample):
        return " "
    best, best_weight = None, 0.0
    names, _, rows = sample.partition("\n")
    for separator in SEPARATORS:
        widths = Counter(map(len, _parsed(io.StringIO(sample, newline=""), separator, False)))
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        if width < 2 or count < 0.6 * widths.total():
            continue
        in_prose = sample.count(f"{separator} ") / sample.count(separator)  # commas of prose have a blank behind them
        if in_prose > _PROSE and separator not in names and not rows.startswith('"'):
            continue
        weight = count / widths.total() - 0.5 * in_prose + min(width, 20) * 1e-3
        weight += 0.5 * (separator in names) + _names_columns(sample, separator)  # else it joins values in one column
        if weight > best_weight:
            best, best_weight = separator, weight
    if best is None:  # ragged throughout: the names in the first line still tell
        return next((separator for separator in SEPARATORS if _names_columns(sample, separator)), None)
    return best


def _names_columns(text: str, separator: str) -> bool:
    """Whether the first line, split there, holds a usual column name."""
    names = [cell.strip().strip("\"'").casefold() for cell in text.split("\n", 1)[0].split(separator)]
    return len(names) >= 2 and bool(KNOWN_NAMES & set(names))


def _is_quoted_by_blanks(sample: str) -> bool:
    """Whether it is what R's ``write.table`` writes: quoted cells with blanks between them."""
    if not sample.startswith('"') or '" "' not in sample.split("\n", 1)[0]:
        return False
    widths = Counter(map(len, _parsed(io.StringIO(sample, newline=""), " ", False)))
    width, count = widths.most_common(1)[0]
    return width >= 2 and count >= EQUAL_SHARE * (widths.total() - 1)


def _look_inside(census: RowCensus, lines: list[str], dialect: Dialect, begins: int) -> None:
    """Count the lines of a row of several, and which of them would be rows by themselves."""
    census.lines_inside += len(lines) - 1
    usual, separator = census.usual, dialect.separator
    if separator is None or dialect.quoting == "none" or usual < 2 or census.tried >= _LINES_TRIED:
        return
    if all(line.count(separator) == usual - 1 for line in lines):  # also the one that opens the quote
        inside = [line.rstrip("\r\n").split(separator) for line in lines[:-1][:_LINES_TRIED]]  # the last ends a row
    else:  # each line as if no other were there
        alone = [line for line in lines[1:-1] if line.strip()][:_LINES_TRIED]
        inside = [next(_parsed([line], separator, False), []) for line in alone]
    rows = [cells for cells in inside if len(cells) == usual]
    if rows and not census.swallowing[1]:
        census.swallowing = (begins, len(lines))
    census.tried += len(inside)
    census.inside += rows


def _unquoted(lines: Iterator[str], separator: str | None) -> Iterator[list[str]]:
    for line in filter(str.strip, lines):
        line = line.removesuffix("\n").rstrip("\r").replace("\0", "")
        cells = [line] if separator is None else line.split(separator)
        yield cells if separator is None or len(separator) == 1 else [cell.strip() for cell in cells]


def _with_doubled_quotes(line: str) -> str:
    r"""``\"`` is a quote inside a cell, ``\\"`` a backslash before the quote that ends it; others stay."""
    if '\\"' not in line:
        return line
    return _BEFORE_QUOTE.sub(lambda run: "\\" * (len(run[1]) // 2) + ('""' if len(run[1]) % 2 else '"'), line)


def _parsed(
    lines: Iterable[str], separator: str, strict: bool, skipped: int = 0, *, spaced: bool = False, quote: str = '"'
) -> Iterator[list[str]]:
    csv.field_size_limit(2**31 - 1)  # the length of a text is limited later, with a note
    cleaned = (line.replace("\0", "") for line in lines)
    reader = csv.reader(cleaned, delimiter=separator, quotechar=quote, strict=strict, skipinitialspace=spaced)
    line = 1
    try:
        for row in reader:
            line = reader.line_num + 1
            if row:
                yield row
    except csv.Error as error:
        raise QuoteError(line + skipped, "end of data" in str(error)) from None
