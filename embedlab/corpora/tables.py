"""From a table to a corpus: which column holds the texts, the labels, the titles, the summaries."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from embedlab.config import Config
from embedlab.corpora import names as usual
from embedlab.corpora.formats.json_shapes import parsed
from embedlab.corpora.notes import CountedRows, Note
from embedlab.corpora.reading_report import ReadingReport, ReadOptions
from embedlab.corpora.stored.columns import Column
from embedlab.corpora.stored.draft import Draft, as_text
from embedlab.errors import CorpusError
from embedlab.numbers import percent
from embedlab.vectors.opened import is_string

FAILING_SHARE = 0.01  # of rows that do not parse: more speak against the reading
ACCEPT = "or accept this reading (--accept-reading)"
LOOKED_AT = 2_000  # rows at least that a proposal reads of a larger table
LABEL_CHARACTERS = 60
FEWEST_IDS = 10  # as many different values, one a row, and a column looks like an id, not a label
_JSON_TRIED = 20  # cells that tell whether a column holds JSON
_NUMBER = re.compile(r"[-+]?[\d.,]+([eE][-+]?\d+)?")
_SUFFIX = re.compile(r"(\.(csv|tsv|txt|jsonl?|parquet|xlsx|zip))?(\.gz)?$", re.IGNORECASE)


class Reading(ReadOptions):
    """What the user says about a corpus; what is left out is proposed from names and content."""

    text: str | None = Field(None, description="The column of the texts.")
    label: str | None = Field(None, description="The column of the labels; an empty name means none.")
    title: str | None = Field(None, description="The column of the titles; an empty name means none.")
    summaries: tuple[str, ...] | None = Field(
        None, description="One column of lists or JSON lists, or several text columns: the summaries of each text."
    )
    unlabeled: str | None = Field("unlabeled", description="The label value that means no label.")
    name: str | None = Field(None, description="The name of the corpus.")


@dataclass
class Table:
    """Rows as a reader found them, with what it had to decide."""

    columns: pa.Table
    name: str
    notes: list[Note] = field(default_factory=list)
    report: ReadingReport = ReadingReport(format="table")  # what readers find is put in with ``having``
    places: list[int] | None = None  # where its rows stand in the file, if they are a part of it

    def column(self, name: str) -> Column:
        """One of its columns, of which cells become Python objects as they are read."""
        return Column(self.columns.column(name))

    def some(self, name: str) -> list[str]:
        """Up to 4,000 cells as text, ``""`` where there is none: of each column the same rows, spread over all."""
        return [as_text(cell) or "" for cell in self.column(name)[:: max(1, self.columns.num_rows // LOOKED_AT)]]

    def sound(self, options: ReadOptions) -> "Table":
        """Itself; refused where something speaks against this reading, unless the user accepts it."""
        if self.report.doubts and not options.accept_reading:
            raise CorpusError(self.report.doubts[0].code, self.report.doubts[0].message)
        return self

    def say(self, code: str, message: str) -> None:
        """Something the user should know."""
        self.notes.append(Note(code=code, message=message))

    def doubt(self, code: str, message: str) -> None:
        """Something that speaks against this reading; the message names another one."""
        self.report = self.report.having(doubts=(*self.report.doubts, Note(code=code, message=message)))

    def leave_out(self, rows: CountedRows, reason: str) -> None:
        """Rows that take no part, and why; nothing where there is none."""
        self.report = self.report.without(rows, reason)

    def remark(self, *remarks: str) -> None:
        """Further decisions; an empty one is none."""
        self.report = self.report.having(remarks=(*self.report.remarks, *filter(None, remarks)))

    def fails(self, rows: CountedRows, of: int, what: str, alternative: str) -> None:
        """Rows that do not parse: more than one in a hundred ``of`` all speaks against the reading."""
        if rows.total > FAILING_SHARE * of:
            share = f"{rows.total:,} of {of:,} rows of {self.name!r} ({percent(rows.total / of)}) {what}"
            places = ", ".join(f"{row + 1:,}" for row in rows.first[:5])
            self.doubt("E-ROWS-FAIL", f"{share} (first: {places}). Correct them, {alternative}.")


class ColumnSummary(Config):
    """What a column looks like."""

    name: str
    kind: str  # text, list, number, other
    filled: float
    mean_length: float
    distinct: int
    distinct_share: float
    words: float


class Card(Config):
    """One row as the corpus would have it."""

    text: str
    label: str | None = None
    title: str | None = None
    summaries: tuple[str, ...] = ()


class Proposal(Config):
    """The columns a table's corpus would be made of, to be confirmed."""

    text: str
    label: str | None
    title: str | None
    summaries: tuple[str, ...]
    columns: tuple[ColumnSummary, ...]
    cards: tuple[Card, ...]


def propose_columns(table: Table, reading: Reading) -> Proposal:
    """The user's columns, and for roles the user left out, those that names and content suggest."""
    names = table.columns.column_names
    columns = tuple(_summary(table, name) for name in names)
    require_columns([reading.text, reading.label, reading.title, *(reading.summaries or ())], names, table.name)
    text = reading.text or _best_text(columns, table.name, taken=(reading.label, reading.title))
    _check_type(table, text, "text")
    of_text = next(column for column in columns if column.name == text)
    if reading.text is None and of_text.kind == "other":
        raise CorpusError(
            "E-COLUMN-TYPE",
            f"The text column must contain strings, but {text!r} of {table.name!r} holds JSON. Choose another column "
            "(--text), or save the texts in a column of their own.",
        )
    label = _best_label(columns, taken=(text, reading.title)) if reading.label is None else reading.label or None
    if label is not None:
        _check_type(table, label, "label")
    title, summaries = reading.title or None, reading.summaries and tuple(filter(None, reading.summaries))
    if reading.title is None:
        called = (c for c in columns if c.name.casefold() in usual.TITLE_NAMES and c.name not in (text, label))
        title = next((c.name for c in called if c.kind == "text" and c.mean_length < of_text.mean_length), None)
    if summaries is None:
        free = [each for each in names if each not in (text, label, title)]
        summaries = ("summaries",) if "summaries" in free else tuple(filter(free.__contains__, usual.SUMMARY_NAMES))
    roles = {"text": text, "label": label, "title": title, "summaries": summaries}
    others = {
        role: next((name for name in names if name.casefold() in called), None)
        for role, called in (("id", usual.ID_NAMES), ("split", usual.SPLIT_COLUMNS))
    }
    table.report = table.report.having(columns={role: name for role, name in (roles | others).items() if name})
    return Proposal(**roles, columns=columns, cards=tuple(_cards(table, **roles)))


def draft_of(table: Table, proposal: Proposal, reading: Reading, *, source: str) -> Draft:
    """A draft of the corpus that a table holds; every row stays, in order."""
    label, title, summaries = proposal.label, proposal.title, proposal.summaries
    used, columns = {proposal.text, label, title, *summaries}, table.columns.select(summaries).columns
    several = (
        columns if len(columns) < 2 else [pc.make_struct(*columns, field_names=list(map(str, range(len(columns)))))]
    )
    return Draft(
        name=reading.name or _SUFFIX.sub("", table.name),
        source=source,
        texts=table.column(proposal.text),
        labels=table.column(label) if label else None,
        titles=table.column(title) if title else None,
        summaries=Column(several[0]) if several else None,
        columns={name: table.columns.column(name) for name in table.columns.column_names if name not in used},
        roles={"text": proposal.text, "label": label, "title": title, "summaries": summaries or None},
        unlabeled=reading.unlabeled,
        notes=[*table.notes],
        reading=table.report,
    )


def _summary(table: Table, name: str) -> ColumnSummary:
    cells = table.some(name)
    filled = [cell for cell in cells if cell]
    distinct, count = len(set(filled)), max(1, len(filled))
    return ColumnSummary(
        name=name,
        kind=_kind(table.columns.schema.field(name).type, filled),
        filled=len(filled) / max(1, len(cells)),
        mean_length=sum(map(len, filled)) / count,
        distinct=distinct,
        distinct_share=distinct / count,
        words=sum(cell.count(" ") + 1 for cell in filled) / count,
    )


def _kind(kind: pa.DataType, filled: list[str]) -> str:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "list"
    if is_string(kind):
        if filled and all(cell[0] in "[{" and parsed(cell) is not None for cell in filled[:_JSON_TRIED]):
            return "other"
        return "number" if filled and all(map(_NUMBER.fullmatch, filled)) else "text"
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "number" if is_number else "other"


def _best_text(columns: Sequence[ColumnSummary], name: str, *, taken: Sequence[str | None]) -> str:
    """The string column with the longest, most distinct cells of several words; a known name adds a little."""

    def weight(column: ColumnSummary) -> float:
        plain = min(1.0, column.words / 3)  # ids and addresses are long and distinct, but one word
        known = 1.3 if column in named else 0.1 if column.name.casefold() in usual.NEVER_LABELS else 1.0
        return column.mean_length**0.5 * (0.1 + column.distinct_share) * (0.2 + plain) * known

    free = [c for c in columns if c.name not in taken]
    candidates = [c for c in free if c.kind == "text" and c.filled]
    named = [c for c in free if c.name.casefold() in usual.TEXT_NAMES]
    unfit = [c for c in named if c.kind in ("list", "other") or not c.filled]
    if unfit and not any(c in named or c.words >= 3 for c in candidates):
        return unfit[0].name  # refused with its type or as empty, where a label's column would else become the texts
    if candidates:
        return max(candidates, key=weight).name
    if named:  # a column named "text" is taken at its word, even when all of it is numbers or nothing at all
        return named[0].name
    found = ", ".join(f"{c.name} ({c.kind})" for c in columns) or "no column"
    raise CorpusError("E-COLUMN", f"{name!r} has no column of texts, only {found}. Specify the text column.")


def _best_label(columns: Sequence[ColumnSummary], *, taken: Sequence[str | None]) -> str | None:
    """A column with a label's name and short cells, else strings with few distinct, short, repeated values."""
    free = [c for c in columns if c.name not in taken and c.kind != "list" and c.filled]
    free = [c for c in free if c.mean_length <= LABEL_CHARACTERS]
    named = [c for name in usual.LABEL_NAMES for c in free if c.name.casefold() == name]
    never = {*usual.NEVER_LABELS, *usual.TITLE_NAMES, *usual.SUMMARY_NAMES}
    texts = [c for c in free if c.kind == "text" and c.filled > 0.5 and c.name.casefold() not in never]
    few = [c for c in texts if c.distinct >= 2 and c.distinct_share <= 0.5]
    chosen = [
        *(c for c in named if c.distinct_share < 1 or c.distinct < FEWEST_IDS),
        *sorted(few, key=lambda c: c.distinct_share),
        *(c for c in named if c.name.casefold() in usual.SURE_LABEL_NAMES),
    ]
    return chosen[0].name if chosen else None


def require_columns(wanted: Iterable[str | None], columns: Sequence[str], name: str) -> None:
    """Refuse a column that the user names and the file does not have; None and an empty name ask for none."""
    for each in wanted:
        if each and each not in columns:
            there = ", ".join(columns[:30])
            raise CorpusError("E-COLUMN", f"{name!r} has no column {each!r}. Its columns are: {there}.")


def _check_type(table: Table, name: str, role: str) -> None:
    kind = table.columns.column(name).type
    unfit = pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if unfit or (role == "text" and not is_string(kind) and not pa.types.is_null(kind)):
        expected = "strings" if role == "text" else "strings, numbers, dates or truth values"
        message = f"The {role} column must contain {expected}, but {name!r} holds {kind}."
        raise CorpusError("E-COLUMN-TYPE", f"{message} Choose another column.")


def _cards(table: Table, text: str, label: str | None, title: str | None, summaries: Sequence[str]) -> Iterator[Card]:
    """Five rows with a text, spread over the table."""
    filled = np.flatnonzero(np.fromiter(map(bool, table.column(text)), bool, table.columns.num_rows))
    for row in filled[:: max(1, len(filled) // 5)][:5].tolist():
        cell = {name: as_text(table.column(name)[row]) or "" for name in (text, label, title, *summaries) if name}
        summed = tuple(cell[name] for name in summaries)
        yield Card(text=cell[text][:2_000], label=cell.get(label), title=cell.get(title), summaries=summed)
