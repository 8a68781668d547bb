"""From a table to a corpus: which columns hold texts, labels, titles, summaries; and what speaks against a reading."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from embedlab.config import Config
from embedlab.corpora import names as usual
from embedlab.corpora.cleaning import parsed
from embedlab.corpora.notes import ReadOptions
from embedlab.corpora.stored.columns import Column
from embedlab.corpora.stored.draft import Draft, as_text, storable_column
from embedlab.corpora.tables import ACCEPT, Table
from embedlab.errors import CorpusError
from embedlab.numbers import percent
from embedlab.table_files import is_list, is_string

LABEL_CHARACTERS = 60
FEWEST_IDS = 10  # as many different values, one a row, and a column looks like an id, not a label
_JSON_TRIED = 20  # cells that tell whether a column holds JSON
_NUMBER = re.compile(r"[-+]?[\d.,]+([eE][-+]?\d+)?")
_LIST = re.compile(r"""\[\s*(['"\d\[{].*)?\]""", re.DOTALL)  # of JSON, or as Python writes it
_SUFFIX = re.compile(r"(\.(csv|tsv|txt|jsonl?|parquet|xlsx|zip))?(\.gz)?$", re.IGNORECASE)
_FEWEST_ROWS = 10  # that tell anything
_WORDS_OF_A_TEXT = 4


class Reading(ReadOptions):
    """The user's choices for a corpus; those left out are proposed from names and content."""

    text: str | None = Field(None, description="The column of the texts.")
    label: str | None = Field(None, description="The column of the labels; an empty name means none.")
    title: str | None = Field(None, description="The column of the titles; an empty name means none.")
    summaries: tuple[str, ...] | None = Field(
        None, description="One column of lists or JSON lists, or several text columns: the summaries of each text."
    )
    unlabeled: str | None = Field("unlabeled", description="The label value that means no label.")
    name: str | None = Field(None, description="The name of the corpus.")


class ColumnSummary(Config):
    """Statistics of one column, by which its role is proposed."""

    name: str
    kind: str  # text, list, number, other
    filled: float
    mean_length: float
    distinct: int
    distinct_share: float
    words: float


class CorpusCard(Config):
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
    cards: tuple[CorpusCard, ...]


def doubted_proposal(table: Table, reading: Reading) -> Proposal:
    """The columns of a table's corpus; its report says what speaks against those that the user did not name."""
    proposal = propose_columns(table, reading)
    label = next((column for column in proposal.columns if column.name == proposal.label), None)
    if reading.label is None and label is not None and label.distinct_share == 1 and label.distinct >= _FEWEST_ROWS:
        table.doubt(
            "E-LABEL-IS-ID",
            f"Column {label.name!r} of {table.name!r} would be the label, but every row has a different value: it "
            f"looks like an id. Specify the label column (--label), or none (--label ''), {ACCEPT}.",
        )
    if reading.text is None:
        _doubt_nested(table, proposal)
    if proposal.label and (reading.text is None or reading.label is None):
        _doubt_leak(table, proposal, proposal.label)
    if reading.separator is None and table.report.sheet is None:
        _doubt_separator(table, proposal)
    return proposal


def checked_draft(table: Table, reading: Reading, *, source: str) -> Draft:
    """The corpus that a table holds; refused at the first doubt, unless the user accepts this reading."""
    proposal = doubted_proposal(table, reading)
    return draft_of(table.sound(reading), proposal, reading, source=source)


def propose_columns(table: Table, reading: Reading) -> Proposal:
    """The user's columns, and for roles the user left out, those that names and content suggest."""
    _take_from_lists(table)
    names = table.columns.column_names
    columns = tuple(_summary(table, name) for name in names)
    table.require_columns([reading.text, reading.label, reading.title, *(reading.summaries or ())])
    text = reading.text or _best_text(columns, table.name, taken=(reading.label, reading.title))
    _check_type(table, text, "text")
    of_text = next(column for column in columns if column.name == text)
    if reading.text is None and of_text.kind in ("list", "other"):
        raise CorpusError(
            "E-COLUMN-TYPE",
            f"The text column must contain strings, but {text!r} of {table.name!r} holds JSON. Choose another column "
            "(--text), or save the texts in a column of their own.",
        )
    label = reading.label or None
    if reading.label is None:
        label = _best_label(columns, taken=(text, reading.title), is_nameless=table.report.header_row == 0)
    if label is not None:
        _check_type(table, label, "label")
    title, summaries = reading.title or None, reading.summaries and tuple(filter(None, reading.summaries))
    if reading.title is None:
        called = (c for c in columns if c.name.casefold() in usual.TITLE_NAMES and c.name not in (text, label))
        title = next((c.name for c in called if c.kind == "text" and c.mean_length < of_text.mean_length), None)
    if summaries is None:
        free = [each for each in names if each not in (text, label, title)]
        summaries = ("summaries",) if "summaries" in free else tuple(filter(free.__contains__, usual.SUMMARY_NAMES))
    chosen: dict[str, Any] = {"text": text, "label": label, "title": title, "summaries": summaries}
    others = {"id": table.column_called(usual.ID_NAMES), "split": table.column_called(usual.SPLIT_COLUMNS)}
    table.report = table.report.having(columns={role: name for role, name in (chosen | others).items() if name})
    return Proposal(**chosen, columns=columns, cards=tuple(_cards(table, **chosen)))


def _take_from_lists(table: Table) -> None:
    """Labels that stand alone in lists are those values; where a list holds several, no class can be told."""
    for position, name in enumerate(table.columns.column_names):
        some = [cell for cell in table.some(name) if cell] if name.casefold() in usual.LABEL_NAMES else []
        if not some or not all(map(_LIST.fullmatch, some)):
            continue
        cells = [parsed(cell) if isinstance(cell, str) else cell for cell in table.column(name)]
        alone = [
            cell[0] if cell else None for cell in cells if cell is None or (isinstance(cell, list) and len(cell) < 2)
        ]
        if len(alone) == len(cells) and not any(isinstance(value, list | dict) for value in alone):
            table.columns = table.columns.set_column(position, name, storable_column(alone))
        else:
            table.remark(f"{name!r} holds lists of several values, so it is no label")


def draft_of(table: Table, proposal: Proposal, reading: Reading, *, source: str) -> Draft:
    """A draft of the corpus that a table holds; every row stays, in order."""
    label, title, summaries = proposal.label, proposal.title, proposal.summaries
    used, columns = {proposal.text, label, title, *summaries}, table.columns.select(summaries).columns
    columns = [pc.make_struct(*columns, field_names=summaries)] if len(columns) > 1 else columns
    return Draft(
        name=reading.name or _SUFFIX.sub("", table.name),
        source=source,
        texts=table.column(proposal.text),
        labels=table.column(label) if label else None,
        titles=table.column(title) if title else None,
        summaries=Column(columns[0]) if columns else None,
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
    if is_list(kind):
        return "list"
    if is_string(kind):
        if filled and all(map(_LIST.fullmatch, filled[:_JSON_TRIED])):
            return "list"
        if filled and all(cell[0] in "[{" and parsed(cell) is not None for cell in filled[:_JSON_TRIED]):
            return "other"
        return "number" if filled and all(map(_NUMBER.fullmatch, filled)) else "text"
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "number" if is_number else "other"


def _best_text(columns: Sequence[ColumnSummary], name: str, *, taken: Sequence[str | None]) -> str:
    """The string column with the longest, most distinct cells of several words; a known name adds a little."""

    def weight(column: ColumnSummary) -> float:
        plain = min(1.0, column.words / 3)  # ids and addresses are long and distinct, but one word
        bonus = 1.3 if column in named else 0.1 if column.name.casefold() in usual.NEVER_LABELS else 1.0
        return column.mean_length**0.5 * (0.1 + column.distinct_share) * (0.2 + plain) * bonus

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
    kinds = ", ".join(f"{c.name} ({c.kind})" for c in columns) or "no column"
    raise CorpusError("E-COLUMN", f"{name!r} has no column of texts, only {kinds}. Specify the text column.")


def _best_label(columns: Sequence[ColumnSummary], *, taken: Sequence[str | None], is_nameless: bool) -> str | None:
    """A column with a label's name and short cells, else strings with few distinct, short, repeated values.

    ``is_nameless``: of a table without names, where the classes may be numbers, too.
    """
    free = [c for c in columns if c.name not in taken and c.kind != "list" and c.filled]
    free = [c for c in free if c.mean_length <= LABEL_CHARACTERS]
    named = [c for name in usual.LABEL_NAMES for c in free if c.name.casefold() == name]
    never = {*usual.NEVER_LABELS, *usual.TITLE_NAMES, *usual.SUMMARY_NAMES}
    texts = [c for c in free if c.kind == "text" and c.filled > 0.5 and c.name.casefold() not in never]
    few = [c for c in texts if c.distinct >= 2 and c.distinct_share <= 0.5]
    numbers = [c for c in free if is_nameless and c.kind == "number" and 2 <= c.distinct and c.distinct_share <= 0.1]
    chosen = [
        *(c for c in named if c.distinct_share < 1 or c.distinct < FEWEST_IDS),
        *sorted(few, key=lambda c: c.distinct_share),
        *(c for c in named if c.name.casefold() in usual.SURE_LABEL_NAMES),
        *numbers,
    ]
    return chosen[0].name if chosen else None


def _check_type(table: Table, name: str, role: str) -> None:
    kind = table.columns.column(name).type
    unfit = pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if unfit or (role == "text" and not is_string(kind) and not pa.types.is_null(kind)):
        expected = "strings" if role == "text" else "strings, numbers, dates or truth values"
        message = f"The {role} column must contain {expected}, but {name!r} holds {kind}."
        raise CorpusError("E-COLUMN-TYPE", f"{message} Choose another column.")


def _cards(
    table: Table, text: str, label: str | None, title: str | None, summaries: Sequence[str]
) -> Iterator[CorpusCard]:
    """Five rows with a text, spread over the table."""
    filled = np.flatnonzero(np.fromiter(map(bool, table.column(text)), bool, table.columns.num_rows))
    for row in filled[:: max(1, len(filled) // 5)][:5].tolist():
        named = filter(None, (text, label, title, *summaries))
        cell: dict[str | None, str] = {name: as_text(table.column(name)[row]) or "" for name in named}
        summed = tuple(cell[name] for name in summaries)
        yield CorpusCard(text=cell[text][:2_000], label=cell.get(label), title=cell.get(title), summaries=summed)


def _doubt_leak(table: Table, proposal: Proposal, label: str) -> None:
    """Texts that begin with their own label tell every encoder the answer."""
    texts, labels = table.some(proposal.text), table.some(label)
    pairs = [(text.casefold(), name.casefold()) for text, name in zip(texts, labels, strict=True) if text and name]
    leaking = 0
    for text, name in pairs:
        rest = text.lstrip("\"'[(").removeprefix("__label__")
        leaking += rest.startswith(name) and not rest[len(name) : len(name) + 1].isalnum()
    if len(pairs) >= _FEWEST_ROWS and leaking > len(pairs) / 2 and len({name for _, name in pairs}) > 1:
        table.doubt(
            "E-TEXT-HAS-LABEL",
            f"{percent(leaking / len(pairs), 0)} of the texts in column {proposal.text!r} of {table.name!r} begin with "
            f"their label from column {label!r}, so any encoder could read the answer. Specify the columns "
            f"(--text, --label) or the separator (--separator), {ACCEPT}.",
        )


def _doubt_nested(table: Table, proposal: Proposal) -> None:
    """A short name is no text where another column holds much longer nested values."""
    text = next(column for column in proposal.columns if column.name == proposal.text)
    longer = [each for each in proposal.columns if each.mean_length > 2 * text.mean_length]
    nested = [each for each in longer if each.kind in ("other", "list") and each.name not in proposal.summaries]
    if nested and text.words < _WORDS_OF_A_TEXT and text.name.casefold() not in usual.TEXT_NAMES:
        table.doubt(
            "E-NESTED",
            f"The texts of {table.name!r} seem to be inside column {nested[0].name!r}, whose values are nested, and "
            f"{text.name!r} holds {text.words:.1f} words per row. Save one text per row, specify the text column "
            f"(--text), {ACCEPT}.",
        )


def _doubt_separator(table: Table, proposal: Proposal) -> None:
    """A single column that begins with usual names of columns is several."""
    first = next(iter(table.some(proposal.text)), "")
    names = set(re.split(r"[\s,;|]+", first.strip().casefold()))
    is_one = table.columns.num_columns == 1 and table.report.header_row == 0
    if is_one and len(names) > 1 and names <= usual.KNOWN_NAMES:
        table.doubt(
            "E-SEPARATOR",
            f"The first line of {table.name!r} ({first[:60]!r}) looks like column names, but no separator splits the "
            f"lines into columns. Save the table again as CSV, specify the separator (--separator), {ACCEPT}.",
        )
