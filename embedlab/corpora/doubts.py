"""What speaks against a proposed reading: labels that are ids, texts that begin with their label, other separators."""

import numpy as np

from embedlab.corpora.names import TEXT_NAMES
from embedlab.corpora.reading_report import SEPARATORS
from embedlab.corpora.stored.draft import Draft
from embedlab.corpora.tables import ACCEPT, Proposal, Reading, Table, draft_of, propose_columns
from embedlab.numbers import percent

_FEWEST_ROWS = 10  # that tell anything
_WORDS_OF_A_TEXT = 4


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
        _doubt_leak(table, proposal)
    is_delimited = table.report.header_row is not None and table.report.sheet is None
    if is_delimited and reading.separator is None:
        _doubt_separator(table, proposal)
    return proposal


def checked_draft(table: Table, reading: Reading, *, source: str) -> Draft:
    """The corpus that a table holds; refused at the first doubt, unless the user accepts this reading."""
    proposal = doubted_proposal(table, reading)
    return draft_of(table.sound(reading), proposal, reading, source=source)


def _doubt_leak(table: Table, proposal: Proposal) -> None:
    """Texts that begin with their own label tell every encoder the answer."""
    texts, labels = (table.some(name) for name in (proposal.text, proposal.label))
    pairs = [(text.casefold(), label.casefold()) for text, label in zip(texts, labels, strict=True) if text and label]
    leaking = sum(_begins_with(text, label) for text, label in pairs)
    if len(pairs) >= _FEWEST_ROWS and leaking > len(pairs) / 2 and len({label for _, label in pairs}) > 1:
        table.doubt(
            "E-TEXT-HAS-LABEL",
            f"{percent(leaking / len(pairs), 0)} of the texts in column {proposal.text!r} of {table.name!r} begin with "
            f"their label from column {proposal.label!r}, so any encoder could read the answer. Specify the columns "
            f"(--text, --label) or the separator (--separator), {ACCEPT}.",
        )


def _doubt_nested(table: Table, proposal: Proposal) -> None:
    """A short name is no text where another column holds much longer nested values."""
    text = next(column for column in proposal.columns if column.name == proposal.text)
    nested = [each for each in proposal.columns if each.kind == "other" and each.mean_length > 2 * text.mean_length]
    if nested and text.words < _WORDS_OF_A_TEXT and text.name.casefold() not in TEXT_NAMES:
        table.doubt(
            "E-NESTED",
            f"The texts of {table.name!r} seem to be inside column {nested[0].name!r}, whose values are nested, and "
            f"{text.name!r} holds {text.words:.1f} words per row. Save one text per row, specify the text column "
            f"(--text), {ACCEPT}.",
        )


def _begins_with(text: str, label: str) -> bool:
    rest = text.lstrip("\"'[(").removeprefix("__label__")
    return rest.startswith(label) and not rest[len(label) : len(label) + 1].isalnum()


def _doubt_separator(table: Table, proposal: Proposal) -> None:
    """A column whose name and cells hold another separator equally often is several columns."""
    for sign, name in SEPARATORS.items():
        count = proposal.text.count(sign)
        if not count or table.report.separator == sign:
            continue
        cells = [text.count(sign) for text in table.some(proposal.text) if text]
        if len(cells) >= 2 and np.mean(np.array(cells) == count) > 0.9:
            table.doubt(
                "E-SEPARATOR",
                f"Column {proposal.text!r} of {table.name!r} looks like {count + 1} columns separated by a {name}. "
                f"Specify the separator (--separator {name}), {ACCEPT}.",
            )
