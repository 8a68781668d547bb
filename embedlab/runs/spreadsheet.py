"""A cell that a spreadsheet shows and does not run."""

import json

FORMULA_STARTS = tuple("=+-@\t\r\n\0＝＋－＠")  # what a spreadsheet takes for a formula or a command


def defused(value: object) -> object:
    """A cell for CSV: numbers stay numbers, lists become JSON, a formula becomes its own text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (list, dict)) else str(value)
    return ("'" if text.startswith(FORMULA_STARTS) else "") + text.replace("\0", "")  # no CSV can hold a NUL
