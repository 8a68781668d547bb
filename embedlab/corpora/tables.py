"""From a table to a corpus: which column holds the texts, the labels, the titles, the summaries."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from pydantic import Field

from embedlab.config import Config
from embedlab.corpora.names import (
    ID_NAMES,
    LABEL_NAMES,
    NEVER_LABELS,
    SPLIT_COLUMNS,
    SUMMARY_NAMES,
    SURE_LABEL_NAMES,
    TEXT_NAMES,
    TITLE_NAMES,
)
from embedlab.corpora.notes import CountedRows, Note
from embedlab.corpora.reading_report import ReadingReport, ReadOptions
from embedlab.corpora.stored.columns import Column, Together
from embedlab.corpora.stored.draft import Draft
from embedlab.errors import CorpusError

FAILING_SHARE = 0.01  # of rows that do not parse: more speak against the reading
ACCEPT = "or accept this reading (--accept-reading)"
LOOKED_AT = 2_000  # rows that a proposal reads, spread over the table
LABEL_CHARACTERS = 60
FEWEST_IDS = 10  # as many different values, one a row, and a column looks like an id, not a label
_JSON_TRIED = 20  # cells that tell whether a column holds JSON
_SUFFIX = re.compile(r"(\.(csv|tsv|txt|jsonl?|parquet|xlsx|zip))?(\.gz)?$", re.IGNORECASE)


class Reading(ReadOptions):
    """What the user says about a corpus; what is left out is proposed from names and content."""

    text: str | None = Field(None, description="The column of the texts.")
    label: str | None = Field(None, description="The column of the labels; an empty name means none.")
    title: str | None = Field(None, description="The column of the titles; an empty name means none.")
    summaries: tuple[str, ...] | None = Field(
        None, description="One column of lists or JSON lists, or several text columns: the summaries of each text."
    )
    unlabeled: str | None = Field("unlabeled", description="The label value that means: no label.")
    name: str | None = Field(None, description="What the corpus is called.")


@dataclass
class Table:
    """Rows as a reader found them, with what it had to decide."""

    columns: pa.Table
    name: str
    notes: list[Note] = field(default_factory=list)
    report: ReadingReport = ReadingReport(format="table")  # what readers find is put in with ``having``

    def say(self, code: str, message: str) -> None:
        """Something the user should know."""
        self.notes.append(Note(code=code, message=message))

    def doubt(self, code: str, message: str) -> None:
        """Something that speaks against this reading; the message names another one."""
        self.report = self.report.having(doubts=(*self.report.doubts, Note(code=code, message=message)))

    def fails(self, rows: CountedRows, of: int, what: str, alternative: str) -> None:
        """Rows that do not parse: more than one in a hundred ``of`` all speaks against the reading."""
        if rows.total > FAILING_SHARE * of:
            share = f"{rows.total:,} of {of:,} rows of {self.name!r} ({100 * rows.total / of:.1f} %) {what}"
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
    examples: tuple[str, ...]


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
    proposed: tuple[str, ...]  # the roles that the user did not name


def propose_columns(table: Table, reading: Reading) -> Proposal:
    """The user's columns, and for roles the user left out, those that names and content suggest."""
    columns = tuple(_summary(table.columns, name) for name in table.columns.column_names)
    named = {"text": reading.text, "label": reading.label, "title": reading.title}
    require_columns([*named.values(), *(reading.summaries or ())], table.columns.column_names, table.name)
    text = reading.text or _best_text(columns, table, taken=[name for name in named.values() if name])
    _check_type(table, text, "text")
    if reading.text is None and next(column.kind for column in columns if column.name == text) == "other":
        raise CorpusError(
            "E-COLUMN-TYPE",
            f"The text column must hold strings, but {text!r} of {table.name!r} holds JSON. Choose another column "
            "(--text), or save the texts in a column of their own.",
        )
    label = _best_label(columns, taken=(text, reading.title)) if reading.label is None else reading.label or None
    if label is not None:
        _check_type(table, label, "label")
    title = _best_title(columns, text=text, taken=(text, label)) if reading.title is None else reading.title or None
    summaries = reading.summaries
    if summaries is None:
        summaries = _best_summaries(table, taken=(text, label, title))
    chosen = {**named, "summaries": reading.summaries}
    proposal = Proposal(
        text=text,
        label=label,
        title=title,
        summaries=summaries,
        columns=columns,
        cards=tuple(_cards(table, text, label, title, summaries)),
        proposed=tuple(role for role, name in chosen.items() if name is None),
    )
    others = {"id": _first_named(table, ID_NAMES), "split": _first_named(table, SPLIT_COLUMNS)}
    roles = {"text": text, "label": label or "", "title": title or "", "summaries": summaries, **others}
    table.report = table.report.having(columns={role: name for role, name in roles.items() if name})
    return proposal


def _first_named(table: Table, names: Sequence[str]) -> str:
    """The first column with one of these names; empty where there is none."""
    return next((name for name in table.columns.column_names if name.casefold() in names), "")


def draft_of(table: Table, proposal: Proposal, reading: Reading, *, source: str) -> Draft:
    """A draft of the corpus that a table holds; every row stays, in order."""
    roles = {"text": proposal.text, "label": proposal.label, "title": proposal.title, "summaries": proposal.summaries}
    used = {proposal.text, proposal.label, proposal.title, *proposal.summaries}
    return Draft(
        name=reading.name or _SUFFIX.sub("", table.name),
        source=source,
        texts=_values(table, proposal.text),
        labels=_values(table, proposal.label) if proposal.label else None,
        titles=_values(table, proposal.title) if proposal.title else None,
        summaries=_summary_values(table, proposal.summaries) if proposal.summaries else None,
        columns={name: table.columns.column(name) for name in table.columns.column_names if name not in used},
        roles={role: name or None for role, name in roles.items()},
        unlabeled=reading.unlabeled,
        notes=[*table.notes],
        reading=table.report,
    )


def is_string(kind: pa.DataType) -> bool:
    """Whether cells of this Arrow type are strings, however stored."""
    if pa.types.is_dictionary(kind):
        return is_string(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _summary(columns: pa.Table, name: str) -> ColumnSummary:
    column = columns.column(name)
    step = max(1, len(column) // LOOKED_AT)
    cells = [_shown(value) for value in Column(column.chunks)[::step]]
    filled = [cell for cell in cells if cell]
    distinct = set(filled)
    return ColumnSummary(
        name=name,
        kind=_kind(column.type, filled),
        filled=len(filled) / max(1, len(cells)),
        mean_length=sum(map(len, filled)) / max(1, len(filled)),
        distinct=len(distinct),
        distinct_share=len(distinct) / max(1, len(filled)),
        words=sum(cell.count(" ") + 1 for cell in filled) / max(1, len(filled)),
        examples=tuple(cell[:80] for cell in list(dict.fromkeys(filled))[:3]),
    )


def _kind(kind: pa.DataType, filled: list[str]) -> str:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "list"
    if is_string(kind):
        if filled and all(cell[0] in "[{" and _is_json(cell) for cell in filled[:_JSON_TRIED]):
            return "other"
        is_number = filled and all(re.fullmatch(r"[-+]?[\d.,]+([eE][-+]?\d+)?", cell) for cell in filled)
        return "number" if is_number else "text"
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "number" if is_number else "other"


def _is_json(cell: str) -> bool:
    try:
        json.loads(cell)
    except (ValueError, RecursionError):
        return False
    return True


def _shown(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def _best_text(columns: Sequence[ColumnSummary], table: Table, *, taken: list[str]) -> str:
    """The string column with the longest, most distinct cells of several words; a known name adds a little."""

    def weight(column: ColumnSummary) -> float:
        plain = min(1.0, column.words / 3)  # ids and addresses are long and distinct, but one word
        known = 1.3 if column.name.casefold() in TEXT_NAMES else 0.1 if column.name.casefold() in NEVER_LABELS else 1.0
        return column.mean_length**0.5 * (0.1 + column.distinct_share) * (0.2 + plain) * known

    candidates = [c for c in columns if c.kind == "text" and c.name not in taken and c.filled]
    named = [c for c in columns if c.name.casefold() in TEXT_NAMES and c.name not in taken]
    unfit = [c for c in named if c.kind in ("list", "other") or not c.filled]
    if unfit and not any(c.name.casefold() in TEXT_NAMES or c.words >= 3 for c in candidates):
        return unfit[0].name  # refused with its type or as empty, where a label's column would else become the texts
    if not candidates:
        # A column named "text" is taken at its word, even when all of it is numbers or nothing at all.
        if named:
            return named[0].name
        found = ", ".join(f"{c.name} ({c.kind})" for c in columns) or "no column"
        raise CorpusError(
            "E-COLUMN", f"{table.name!r} has no column of texts, only {found}. Name one as the text column."
        )
    return max(candidates, key=weight).name


def _best_label(columns: Sequence[ColumnSummary], *, taken: tuple[str | None, ...]) -> str | None:
    """A column with a label's name and short cells, else strings with few distinct, short, repeated values."""
    free = [c for c in columns if c.name not in taken and c.kind != "list" and c.filled]
    named = [c for name in LABEL_NAMES for c in free if c.name.casefold() == name]
    short = [c for c in named if c.mean_length <= LABEL_CHARACTERS]
    for column in short:
        if column.distinct_share < 1 or column.distinct < FEWEST_IDS:
            return column.name
    few = [
        column
        for column in free
        if column.kind == "text"
        and column.name.casefold() not in (*NEVER_LABELS, *TITLE_NAMES, *SUMMARY_NAMES)
        and column.distinct >= 2
        and column.distinct_share <= 0.5
        and column.mean_length <= LABEL_CHARACTERS
        and column.filled > 0.5
    ]
    if few:
        return min(few, key=lambda column: column.distinct_share).name
    return next((c.name for c in short if c.name.casefold() in SURE_LABEL_NAMES), None)


def _best_title(columns: Sequence[ColumnSummary], *, text: str, taken: tuple[str | None, ...]) -> str | None:
    length = next(column.mean_length for column in columns if column.name == text)
    for column in columns:
        is_title = column.name.casefold() in TITLE_NAMES and column.kind == "text" and column.name not in taken
        if is_title and column.mean_length < length:
            return column.name
    return None


def _best_summaries(table: Table, *, taken: tuple[str | None, ...]) -> tuple[str, ...]:
    free = [name for name in table.columns.column_names if name not in taken]
    if "summaries" in free:
        return ("summaries",)
    return tuple(name for name in SUMMARY_NAMES if name in free)


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
        raise CorpusError(
            "E-COLUMN-TYPE",
            f"The {role} column must hold {expected}, but {name!r} holds {kind}. Choose another column.",
        )


def _values(table: Table, name: str) -> Column:
    return Column(table.columns.column(name).chunks)


def _summary_values(table: Table, names: tuple[str, ...]) -> Sequence:
    if len(names) == 1:
        return _values(table, names[0])
    return Together([_values(table, name) for name in names])


def _cards(table: Table, text: str, label: str | None, title: str | None, summaries: tuple[str, ...]) -> list[Card]:
    """Five rows with a text, spread over the table."""
    filled = np.flatnonzero(np.fromiter(map(bool, _values(table, text)), bool, table.columns.num_rows))
    step = max(1, len(filled) // 5)
    cards = []
    for row in filled[::step][:5].tolist():
        cell = {name: _values(table, name)[row] for name in (text, label, title, *summaries) if name}
        cards.append(
            Card(
                text=_shown(cell[text])[:2_000],
                label=_shown(cell[label]) if label else None,
                title=_shown(cell[title]) if title else None,
                summaries=tuple(_shown_summary(cell[name]) for name in summaries),
            )
        )
    return cards


def _shown_summary(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else _shown(value)
