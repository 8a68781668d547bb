"""Which row of a table names its columns, and what the columns are called; for CSV, workbooks and lists of JSON."""

from collections.abc import Sequence

from embedlab.corpora.names import KNOWN_NAMES
from embedlab.corpora.notes import is_number
from embedlab.corpora.stored.draft import unique_names

_PREAMBLE_ROWS = 10  # that may stand above the names: a title, a comment


def header_rows(rows: Sequence[Sequence[str]], header_row: int | None = None) -> int:
    """How many rows end with the names of the columns: 1 where the first one names them, 0 where none does.

    More where a later row of known names stands below rows of fewer cells, such as a title. ``header_row``: the user's,
    which is the first of these rows, or 0 for none.
    """
    if header_row is not None:
        return min(header_row, 1)
    width = max(map(_filled, rows))
    widest = next((place for place, row in enumerate(rows[:_PREAMBLE_ROWS]) if _filled(row) == width), 0)
    if widest and len(_known(rows[widest])) >= 2:
        return widest + 1
    return int(has_header(rows))


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: known names, or short distinct words unlike what is below."""
    first = [cell.strip() for cell in rows[0]]
    if _known(first):
        return True
    named = [cell for cell in first if cell]
    if len(rows) < 2 or len(first) < 2 or not named or len(set(named)) < len(named):
        return False
    if any(len(cell) > 40 or cell.count(" ") > 3 or is_number(cell) for cell in named):
        return False
    below = rows[1:200]
    columns = [[row[place] for row in below if place < len(row)] for place in range(len(first))]
    if any(cell and cell in column for cell, column in zip(first, columns, strict=True)):
        return False  # a name would not come back as a value
    return any(
        column and (all(map(is_number, column)) or sum(map(len, column)) / len(column) > 2 * len(cell) + 10)
        for cell, column in zip(first, columns, strict=True)
    )


def column_names(written: Sequence[str], width: int) -> list[str]:
    """One distinct name for each of ``width`` columns."""
    return unique_names([*written, *[""] * (width - len(written))])


def _known(row: Sequence[str]) -> set[str]:
    return {cell.strip().casefold() for cell in row} & KNOWN_NAMES


def _filled(row: Sequence[str]) -> int:
    """Cells up to the last one that holds something."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1].strip()), 0)
