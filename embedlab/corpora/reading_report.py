"""How a file is to be read, and how it was: format, dialect, columns, scale, rows left out; one line for a person."""

import re

from pydantic import Field

from embedlab.config import Config
from embedlab.corpora.notes import CountedRows, Note
from embedlab.numbers import counted

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
QUOTINGS = {
    "doubled": "cells may be quoted",
    "backslash": 'cells may be quoted, with \\" for a quote',
    "none": "quotes are ordinary characters",
}


class ReadOptions(Config):
    """How a file is parsed; what is left out is found from its content, and the report says it."""

    encoding: str | None = Field(None, description="The character encoding, such as cp1252.")
    separator: str | None = Field(
        None, description="What separates cells: comma, semicolon, tab, bar or another character."
    )
    quoting: str | None = Field(None, description="How cells are quoted: doubled, backslash or none.")
    sheet: str | None = Field(None, description="The sheet of a workbook, by its name.")
    header_row: int | None = Field(None, ge=0, description="The row of column names, counted from 1; 0 for none.")
    accept_reading: bool = Field(False, description="Accept this reading in spite of doubts about it.")


class LeftOut(Config):
    """Rows of the file that take no part, and why."""

    rows: int
    reason: str  # goes on after "2 rows (first: 4, 9)": "are not JSON objects"
    first: tuple[int, ...] = ()  # counted from 1


class ReadingReport(Config):
    """How a file was read. It belongs to the file at hand, not to its content's fingerprint."""

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
        roles = [f"{role} is {_listed(columns)}" for role, columns in self.columns.items() if columns]
        if self.scale is not None:
            roles.append(f"scores from {self.scale[0]:g} to {self.scale[1]:g}")
        left = "; ".join(_left_out(each) for each in self.left_out) or "none left out"
        parts = [f"Read as {self.format}" + (f" ({', '.join(dialect)})" if dialect else "")]
        parts += [", ".join(roles)] if roles else []
        parts += [f"{counted(self.rows, 'row')}, {left}", *self.remarks]
        return "; ".join(parts) + "."

    @property
    def as_json(self) -> dict:
        """What ``--json`` prints: the fields and the sentence."""
        return self.model_dump(mode="json") | {"sentence": self.sentence}

    @property
    def prose(self) -> str:
        """The same for a page or a paragraph: without the options of the command line that it names."""
        return re.sub(r" \(--[^)]*\)", "", self.sentence)

    def having(self, **changes) -> "ReadingReport":
        """A copy with these fields changed."""
        return self.model_copy(update=changes)

    def without(self, rows: CountedRows, reason: str) -> "ReadingReport":
        """A copy that says of these rows, if there are any, that they are left out, and why."""
        left = LeftOut(rows=rows.total, reason=reason, first=tuple(row + 1 for row in rows.first))
        return self.having(left_out=(*self.left_out, left)) if rows.total else self


def _listed(columns: str | tuple[str, ...]) -> str:
    return ", ".join(map(repr, [columns] if isinstance(columns, str) else columns))


def _left_out(each: LeftOut) -> str:
    more = " …" if each.rows > len(each.first) else ""
    first = f" (first: {', '.join(f'{row:,}' for row in each.first[:5])}{more})" if each.first else ""
    return f"{each.rows:,} left out{first}: {each.reason}"
