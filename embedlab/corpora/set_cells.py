"""Cells of an evaluation set's table: texts, lists, scores and truths, each checked, faults named by row and value."""

import json
import math

import pyarrow as pa

from embedlab.corpora.notes import Note
from embedlab.errors import CorpusError

ROW = "row of the file"  # a column laid beside the others before any row is left out


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
            raise CorpusError(
                "E-LIST",
                f"{column} of {name!r} must be a list, but row {place_of(table, row):,} has {value[:60]!r}. "
                "Correct it.",
            ) from None
    return [] if value is None or value == "" else value if isinstance(value, list) else [value]


def number_of(value: object) -> float | None:
    """A finite number, or None."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def scores_of(
    table: pa.Table, scale: tuple[float, float], name: str, *, needed: bool, notes: list[Note]
) -> list[float | None]:
    """Numbers on the scale; a column that need not be there is left out where it does not fit, and that is said."""
    if "score" not in table.column_names:
        return [None] * len(table)
    low, high = scale
    found: list[float | None] = []
    for row, value in enumerate(table.column("score").to_pylist()):
        number = number_of(value)
        if value is None or value == "":
            found.append(None)
        elif number is None or not low <= number <= high:
            shown = repr(value) if number is None else f"{number:g}"
            message = (
                f"Scores of {name!r} must be numbers from {low:g} to {high:g}, but row {place_of(table, row):,} "
                f"has {shown}. Correct it, or name the scale (--scale LOW,HIGH)."
            )
            if needed:
                raise CorpusError("E-SCORE", message)
            notes.append(Note(code="W-SCORE", message=f"The column score is not used. {message}"))
            return [None] * len(table)
        else:
            found.append(number)
    return found


def truths_of(table: pa.Table, name: str) -> list[bool | None]:
    """Whether the two texts of each pair say the same; None where people were undecided."""
    words = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}
    found = []
    for row, value in enumerate(table.column("is_paraphrase").to_pylist()):
        said = str(value).strip().casefold()
        if value is None or said in ("", "nan", "none", "null"):
            found.append(None)
        elif said in words:
            found.append(words[said])
        else:
            raise CorpusError(
                "E-PARAPHRASE",
                f"is_paraphrase of {name!r} must be true, false or empty, but row {place_of(table, row):,} has "
                f"{value!r}. Correct it.",
            )
    return found
