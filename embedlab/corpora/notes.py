"""What is said about a corpus: stable codes, sentences with counts and first rows."""

from collections.abc import Iterable

import numpy as np

from embedlab.config import Config
from embedlab.copies import normalised

_NAMED_ROWS = 10


class Note(Config):
    """Something the user should know; nothing was refused."""

    code: str
    message: str


def notes_of(said: dict[str, str]) -> list[Note]:
    """Sentences by their codes as notes."""
    return [Note(code=code, message=message) for code, message in said.items()]


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
        off = "training, maps and neighbors work; kNN accuracy is off"
        return notes_of({"W-NO-LABELS": f"There are no labels: {off}."})
    said, labelled = {}, sum(texts for _, texts in sizes)
    if len(sizes) == 1:
        needs = "kNN accuracy needs two classes; training and maps work without it"
        said["W-ONE-CLASS"] = f"All labels are {sizes[0][0]!r}: {needs}."
    single = [label for label, texts in sizes if texts == 1]
    values = f"The label has {len(sizes):,} values"
    if len(sizes) > 50 and all(is_number(label) for label, _ in sizes) and any("." in label for label, _ in sizes):
        said["W-LABEL-CONTINUOUS"] = f"{values} and looks like a number, not a class. Did you mean another column?"
    elif len(sizes) > labelled / 2 and len(sizes) >= 10:
        said["W-LABEL-IS-ID"] = f"{values} for {labelled:,} texts: it looks like an id, not a class."
    elif single and len(sizes) > 1:
        said["W-SINGLETON"] = f"{_named(single)} only one text: used for training, but not tested."
    if alike := _alike([label for label, _ in sizes]):
        differ = "Some labels differ only in letter case or width and stay separate classes"
        said["W-LABEL-ALIKE"] = f"{differ}: {alike}."
    return notes_of(said)


def copy_notes(numbers: np.ndarray) -> list[Note]:
    """How many texts repeat an earlier one.  numbers: (texts,), as ``numbered_copies`` numbers them"""
    total, different = len(numbers), int(numbers.max(initial=-1)) + 1
    if different == 1 and total > 1:
        return notes_of({"W-CONSTANT": f"All {total:,} texts are the same, so nothing can be compared."})
    copies = f"{total - different:,} of {total:,} texts repeat an earlier one"
    sides = "copies are never on both sides of a test split"
    return notes_of({"W-DUPLICATES": f"{copies}; {sides}."} if different < total else {})


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
        groups.setdefault(normalised(label), []).append(label)
    several = [forms for forms in groups.values() if len(forms) > 1]
    return "; ".join(" and ".join(repr(form) for form in forms) for forms in several[:5])
