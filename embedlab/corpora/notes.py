"""What is said about a corpus and how its file was read: stable codes, counts, first rows, one line for a person."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field

from embedlab.config import Config
from embedlab.copies import normalised
from embedlab.measurement import Note

if TYPE_CHECKING:
    import numpy as np

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
QUOTINGS = {
    "doubled": "cells may be quoted",
    "backslash": 'cells may be quoted, with \\" for a quote',
    "single": "cells may be in single quotes",
    "none": "quotes are ordinary characters",
}
MISSING = frozenset({"-", "nan", "none", "null", "n/a", "na", "#n/a"})  # how programs write a missing value
_NAMED_ROWS = 10


def notes_of(messages: dict[str, str]) -> list[Note]:
    """Sentences by their codes as notes."""
    return [Note(code=code, message=message) for code, message in messages.items()]


class CountedRows:
    """A count of rows, and the first of them."""

    def __init__(self, rows: Iterable[int] = ()):
        self.total = 0
        self.first: list[int] = []
        self.add_all(rows)

    def add(self, row: int) -> None:
        """Count one row."""
        self.total += 1
        if len(self.first) < _NAMED_ROWS:
            self.first.append(row)

    def add_all(self, rows: Iterable[int]) -> None:
        """Count these rows."""
        for row in rows:
            self.add(row)


def counted_rows(rows: CountedRows, unit: str = "row") -> str:
    """``3 rows (first: 4, 9, 12) have`` — rows are counted from 1, as a person counts them."""
    first = ", ".join(f"{row + 1:,}" for row in rows.first)
    more = " …" if rows.total > _NAMED_ROWS else ""
    return f"1 {unit} ({first}) has" if rows.total == 1 else f"{rows.total:,} {unit}s (first: {first}{more}) have"


class ReadOptions(Config):
    """The options by which a file is parsed; those left out are found from its content and reported."""

    encoding: str | None = Field(None, description="The character encoding, such as cp1252.")
    separator: str | None = Field(
        None, description="What separates cells: comma, semicolon, tab, bar or another character."
    )
    quoting: str | None = Field(None, description="How cells are quoted: doubled, backslash, single or none.")
    sheet: str | None = Field(None, description="The sheet of a workbook, by its name.")
    header_row: int | None = Field(None, ge=0, description="The row of column names, counted from 1; 0 for none.")
    accept_reading: bool = Field(False, description="Accept this reading in spite of doubts about it.")


class LeftOut(Config):
    """Rows of the file that take no part, and why."""

    rows: int
    reason: str  # goes on after "2 rows (first: 4, 9)": "are not JSON objects"
    first: tuple[int, ...] = ()  # counted from 1


class ReadingReport(Config):
    """A report on how a file was read. It belongs to the file at hand, not to its content's fingerprint."""

    format: str  # CSV, JSON Lines, Parquet, Excel workbook, BEIR folder …
    encoding: str | None = None
    separator: str | None = None  # a key of SEPARATORS, or another sign
    quoting: str | None = None  # a key of QUOTINGS
    sheet: str | None = None
    sheets: tuple[str, ...] = ()  # all of the workbook
    header_row: int | None = None  # counted from 1, 0 for none; None where a format has no such row
    columns: dict[str, str | tuple[str, ...]] = {}  # role (text, label, title, id, split, score …) -> column
    scale: tuple[float, float] | None = None  # lowest and highest score
    rows: int = 0  # that were read, before any was left out
    left_out: tuple[LeftOut, ...] = ()
    doubts: tuple[Note, ...] = ()  # what speaks against this reading, each with the alternative
    remarks: tuple[str, ...] = ()  # further decisions: "labels 0, 1, 2 are entailment, neutral, contradiction"

    @property
    def sentence(self) -> str:
        """One line: ``Read as TSV (tab-separated, cells may be quoted, utf-8, header in row 1); text is …``."""
        header = f"header in row {self.header_row}" if self.header_row else "no header"
        dialect = [
            *([f"{SEPARATORS.get(self.separator, repr(self.separator))}-separated"] if self.separator else []),
            *([QUOTINGS.get(self.quoting, self.quoting)] if self.quoting else []),
            *([self.encoding] if self.encoding else []),
            *([f"sheet {self.sheet!r}"] if self.sheet else []),
            *([header] if self.header_row is not None else []),
        ]  # fmt: skip
        of_role = {role: [name] if isinstance(name, str) else name for role, name in self.columns.items() if name}
        roles = [f"{role} is {', '.join(map(repr, names))}" for role, names in of_role.items()]
        if self.scale is not None:
            roles.append(f"scores from {self.scale[0]:g} to {self.scale[1]:g}")
        left = "; ".join(_left_out(each) for each in self.left_out) or "none left out"
        parts = [f"Read as {self.format}" + (f" ({', '.join(dialect)})" if dialect else "")]
        parts += [", ".join(roles)] if roles else []
        parts += [f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}, {left}", *self.remarks]
        return "; ".join(parts) + "."

    @property
    def as_json(self) -> dict[str, Any]:
        """The fields and the sentence, as ``--json`` prints them."""
        return self.model_dump(mode="json") | {"sentence": self.sentence}

    @property
    def prose(self) -> str:
        """The sentence for a page or a paragraph, without options of the command line."""
        return re.sub(r" \(--[^)]*\)", "", self.sentence)

    def having(self, **changes: Any) -> Self:
        """A copy with these fields changed."""
        return self.model_copy(update=changes)

    def without(self, rows: CountedRows, reason: str) -> Self:
        """A copy that says of these rows, if there are any, that they are left out, and why."""
        left = LeftOut(rows=rows.total, reason=reason, first=tuple(row + 1 for row in rows.first))
        return self.having(left_out=(*self.left_out, left)) if rows.total else self


def _left_out(each: LeftOut) -> str:
    more = " …" if each.rows > len(each.first) else ""
    first = f" (first: {', '.join(f'{row:,}' for row in each.first[:5])}{more})" if each.first else ""
    return f"{each.rows:,} left out{first}: {each.reason}"


def label_notes(sizes: list[tuple[str, int]]) -> list[Note]:
    """Notes on what the labels allow: kNN accuracy needs two classes of two texts."""
    if not sizes:
        off = "training, maps and neighbors work; kNN accuracy is off"
        return notes_of({"W-NO-LABELS": f"There are no labels: {off}."})
    messages, labelled, labels = {}, sum(texts for _, texts in sizes), [label for label, _ in sizes]
    if len(sizes) == 1:
        needs = "kNN accuracy needs two classes; training and maps work without it"
        messages["W-ONE-CLASS"] = f"All labels are {sizes[0][0]!r}: {needs}."
    single = [label for label, texts in sizes if texts == 1]
    values = f"The label has {len(sizes):,} values"
    if len(sizes) > 50 and all(map(is_number, labels)) and any("." in label for label in labels):
        messages["W-LABEL-CONTINUOUS"] = f"{values} and looks like a number, not a class. Did you mean another column?"
    elif len(sizes) > labelled / 2 and len(sizes) >= 10:
        messages["W-LABEL-IS-ID"] = f"{values} for {labelled:,} texts: it looks like an id, not a class."
    elif single and len(sizes) > 1:
        examples = ", ".join(map(repr, single[:10])) + (" …" if len(single) > 10 else "")
        have = f"Class {examples} has" if len(single) == 1 else f"{len(single):,} classes ({examples}) have"
        messages["W-SINGLETON"] = f"{have} only one text: used for training, but not tested."
    forms_of: dict[str, list[str]] = {}
    for label in labels:
        forms_of.setdefault(normalised(label), []).append(label)
    if alike := [" and ".join(map(repr, forms)) for forms in forms_of.values() if len(forms) > 1]:
        differ = "Some labels differ only in letter case or width and stay separate classes"
        messages["W-LABEL-ALIKE"] = f"{differ}: {'; '.join(alike[:5])}."
    if missing := [label for label in labels if label.casefold() in MISSING]:
        advice = "If that means no label, leave these cells empty, or specify the value (--unlabeled)"
        messages["W-LABEL-EMPTY-WORD"] = f"Used as a class: {', '.join(map(repr, missing))}. {advice}."
    different = set(labels)
    if several := [label for label in labels if _is_several(label, different)]:
        each = "each combination is a class of its own"
        messages["W-LABEL-SEVERAL"] = f"Some labels are several, such as {several[0]!r}: {each}."
    return notes_of(messages)


def _is_several(label: str, labels: set[str]) -> bool:
    """Whether a label is two or more others with a separator between them."""
    parts = next((parts for sign in ";|," if len(parts := re.split(rf"\s*[{sign}]\s*", label)) > 1), [])
    return len(parts) > 1 and labels.issuperset(parts)


def copy_notes(numbers: "np.ndarray") -> list[Note]:
    """A note on texts that repeat an earlier one.  numbers: (texts,), as ``numbered_copies`` numbers them"""
    total, different = len(numbers), int(numbers.max(initial=-1)) + 1
    if different == 1 and total > 1:
        return notes_of({"W-CONSTANT": f"All {total:,} texts are the same, so nothing can be compared."})
    repeated = total - different
    copies = f"{repeated:,} of {total:,} texts {'repeats' if repeated == 1 else 'repeat'} an earlier one"
    sides = "copies are never on both sides of a test split"
    return notes_of({"W-DUPLICATES": f"{copies}; {sides}."} if repeated else {})


def is_number(cell: str) -> bool:
    """Whether Python reads it as one."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
