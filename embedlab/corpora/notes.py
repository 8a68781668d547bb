"""What is said about a corpus: stable codes, sentences with counts and first rows."""

import unicodedata
from collections.abc import Iterable

import numpy as np

from embedlab.config import Config

_NAMED_ROWS = 10


class Note(Config):
    """Something the user should know; nothing was refused."""

    code: str
    message: str


class CountedRows:
    """How many rows, and the first of them."""

    def __init__(self, rows: Iterable[int] = ()):
        self.total, self.first = 0, []
        self.add_all(rows)

    def add(self, row: int) -> None:
        """One more."""
        self.total += 1
        if len(self.first) < _NAMED_ROWS:
            self.first.append(row)

    def add_all(self, rows: Iterable[int]) -> None:
        """These too."""
        for row in rows:
            self.add(row)


def counted_rows(rows: CountedRows, unit: str = "row") -> str:
    """``3 rows (first: 4, 9, 12) have`` — rows are counted from 1, as a person counts them."""
    first = ", ".join(f"{row + 1:,}" for row in rows.first)
    more = " …" if rows.total > _NAMED_ROWS else ""
    return f"1 {unit} ({first}) has" if rows.total == 1 else f"{rows.total:,} {unit}s (first: {first}{more}) have"


def label_notes(sizes: list[tuple[str, int]]) -> list[Note]:
    """What the labels allow: kNN accuracy needs two classes of two texts."""
    if not sizes:
        message = "There are no labels: training, maps and neighbors work; kNN accuracy is off."
        return [Note(code="W-NO-LABELS", message=message)]
    notes, labelled = [], sum(texts for _, texts in sizes)
    if len(sizes) == 1:
        message = f"All labels are {sizes[0][0]!r}: kNN accuracy needs two classes; training and maps work without it."
        notes.append(Note(code="W-ONE-CLASS", message=message))
    single = [label for label, texts in sizes if texts == 1]
    if len(sizes) > 50 and all(is_number(label) for label, _ in sizes) and any("." in label for label, _ in sizes):
        message = f"The label has {len(sizes):,} values and looks like a number, not a class. Is another column meant?"
        notes.append(Note(code="W-LABEL-CONTINUOUS", message=message))
    elif len(sizes) > labelled / 2 and len(sizes) >= 10:
        message = f"The label has {len(sizes):,} values for {labelled:,} texts: it looks like an id, not a class."
        notes.append(Note(code="W-LABEL-IS-ID", message=message))
    elif single and len(sizes) > 1:
        message = f"{_named(single)} only one text: it trains, but is not tested."
        notes.append(Note(code="W-SINGLETON", message=message))
    alike = _alike([label for label, _ in sizes])
    if alike:
        message = f"Some labels differ only in letter case or width and stay separate classes: {alike}."
        notes.append(Note(code="W-LABEL-ALIKE", message=message))
    return notes


def copy_notes(numbers: np.ndarray) -> list[Note]:
    """How many texts repeat an earlier one.  numbers: (texts,), as ``numbered_copies`` numbers them"""
    total, different = len(numbers), int(numbers.max(initial=-1)) + 1
    if different == 1 and total > 1:
        message = f"All {total:,} texts are the same: there is nothing to tell apart."
        return [Note(code="W-CONSTANT", message=message)]
    if copies := total - different:
        message = (
            f"{copies:,} of {total:,} texts repeat an earlier one; copies never stand on both sides of a test split."
        )
        return [Note(code="W-DUPLICATES", message=message)]
    return []


def _named(labels: list[str]) -> str:
    shown = ", ".join(repr(label) for label in labels[:10])
    if len(labels) == 1:
        return f"Class {shown} has"
    return f"{len(labels):,} classes ({shown}{' …' if len(labels) > 10 else ''}) have"


def is_number(cell: str) -> bool:
    """Whether Python reads it as one."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _alike(labels: list[str]) -> str:
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(" ".join(unicodedata.normalize("NFKC", label).casefold().split()), []).append(label)
    several = [forms for forms in groups.values() if len(forms) > 1]
    return "; ".join(" and ".join(repr(form) for form in forms) for forms in several[:5])
