"""CSV that a spreadsheet shows and does not run.

Written by ``csv``: pandas makes 1.0 of a whole number that stands above a gap.
"""

import csv
import io
import json
from collections.abc import Iterable

FORMULA_STARTS = tuple("=+-@\t\r\n\0＝＋－＠")  # what a spreadsheet takes for a formula or a command


def defused(value: object) -> object:
    """A cell for CSV: numbers stay numbers, lists become JSON, a formula becomes its own text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else str(value)
    return ("'" if text.startswith(FORMULA_STARTS) else "") + text.replace("\0", "")  # no CSV can hold a NUL


def csv_of_rows(rows: Iterable[Iterable]) -> str:
    """The rows, each cell defused."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return sink.getvalue()


def as_csv_file(text: str) -> bytes:
    """With the mark that tells spreadsheets that it is UTF-8."""
    return ("\ufeff" + text).encode("utf-8", "replace")
