"""Cleaning at the door: what may stay in a text or a label, and what was changed."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from embedlab.corpora.notes import CountedRows, Note, counted_rows, notes_of
from embedlab.limits import LIMITS
from embedlab.numbers import counted
from embedlab.plain_text import clean_name

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")  # C0 without tab and line feed, and DEL
_BLANKS = "\\s\u00ad\u200b-\u200d\u2060\ufeff"  # with zero-width signs
_EDGES = re.compile(f"^[{_BLANKS}]+|[{_BLANKS}]+$")
_NULL = "\\N"  # how MySQL, PostgreSQL and Hive write a missing cell
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*|,0{1,2})?([eE][-+]?\d+)?")  # not 007, which is a code
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {chr(c) for c in range(0xFE00, 0xFE10)}
DECODER = json.JSONDecoder(parse_constant=lambda constant: None if constant == "NaN" else float(constant))
_CHANGES = {
    "W-REPAIRED": "invalid characters (lone surrogates); each was replaced with U+FFFD.",
    "W-CONTROL": "control characters, which were removed.",
    "W-CUT": f"more than {LIMITS.text_characters:,} characters; the text was truncated there.",
}


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: empty, blanks, zero-width characters and fillers only."""
    return all(unicodedata.category(sign) in _INVISIBLE_CATEGORIES or sign in _INVISIBLE for sign in text)


def without_surrogates(text: str) -> str:
    """Lone halves of UTF-16 pairs, which no file and no tokenizer can hold, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def parsed(text: str) -> object:
    """The JSON value of a text, or None: also for one nested too deep or with a number of thousands of digits.

    ``NaN``, which Python writes for a missing number, is None.
    """
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


class TextCleaning:
    """Makes texts that can be stored and tokenised, batch after batch, and counts what had to be changed for it."""

    def __init__(self) -> None:
        self.rows, self.changed = 0, {code: CountedRows() for code in _CHANGES}

    def batch(self, values: Sequence[object]) -> list[str]:
        """The next rows, cleaned."""
        return [self._cleaned(value) for value in values]

    def _cleaned(self, value: object) -> str:
        row, self.rows = self.rows, self.rows + 1
        text = "" if value is None or value == _NULL else str(value)
        if _SURROGATE.search(text):
            text = without_surrogates(text)
            self.changed["W-REPAIRED"].add(row)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _CONTROL.search(text):
            text = _CONTROL.sub("", text)
            self.changed["W-CONTROL"].add(row)
        if len(text) > LIMITS.text_characters:
            text = text[: LIMITS.text_characters]
            self.changed["W-CUT"].add(row)
        return text

    @property
    def notes(self) -> list[Note]:
        """Notes on the changes so far."""
        changed = {code: rows for code, rows in self.changed.items() if rows.total}
        return notes_of({code: f"{counted_rows(rows)} {_CHANGES[code]}" for code, rows in changed.items()})


class LabelCleaning:
    """Labels as text, batch after batch: only the empty cell, and the value that means so, is *no label*."""

    def __init__(self, unlabeled: str | None, values: Sequence[object] = ()):
        """``values``: all of them, where numbers that are equal are to become one label."""
        self._equal = equal_numbers(values)
        self.unlabeled, self.rows, self.missing, self.meant_none = unlabeled, 0, CountedRows(), 0
        self._spellings: dict[object, str | None] = {}  # each distinct cell is cleaned once

    def batch(self, values: Sequence[object]) -> list[str | None]:
        """The next rows, cleaned."""
        return [self._cleaned(value) for value in values]

    def _cleaned(self, value: object) -> str | None:
        row, self.rows = self.rows, self.rows + 1
        if value is None or value == _NULL or (isinstance(value, float) and value != value):
            value = ""  # NaN is how Parquet writers store the empty cell
        spelling = str(value)  # 7, 1.0 and True keep their own text
        if spelling not in self._spellings:
            self._spellings[spelling] = _EDGES.sub("", clean_name(spelling)) or None
        if (label := self._spellings[spelling]) is None:
            self.missing.add(row)
            return None
        label = self._equal.get(label, label)
        self.meant_none += label == self.unlabeled
        return None if label == self.unlabeled else label

    @property
    def notes(self) -> list[Note]:
        """Notes on the labels so far."""
        messages = {}
        if 0 < self.missing.total < self.rows:
            part = "no label; they are used for training and maps, but not for kNN accuracy."
            messages["W-LABEL-MISSING"] = f"{counted_rows(self.missing)} {part}"
        spellings = Counter(filter(None, self._spellings.values()))
        if merged := [f"{label!r} ({count} spellings)" for label, count in spellings.items() if count > 1]:
            differ = "Labels that differ only in whitespace or accent encoding were merged"
            messages["W-LABEL-MERGED"] = f"{differ}: {', '.join(merged[:5])}."
        if self._equal:
            pairs = ", ".join(f"{number!r} as {whole!r}" for number, whole in list(self._equal.items())[:5])
            more = " …" if len(self._equal) > 5 else ""
            messages["W-LABEL-NUMBERS"] = f"Equal numbers were read as one label: {pairs}{more}."
        if self.meant_none:
            rows = f"{counted(self.meant_none, 'row has', 'rows have')} the label {self.unlabeled!r}"
            messages["W-UNLABELED"] = f"{rows}, which means: no label."
        return notes_of(messages)


def equal_numbers(values: Sequence[object]) -> dict[str, str]:
    """Labels such as ``1.0`` of a column that has ``1`` as well, and the shortest spelling of the same number."""
    written = sorted(filter(_NUMBER.fullmatch, {str(value).strip() for value in values}))
    numbers = {text: float(text.replace(",", ".")) for text in written}
    shortest = {numbers[text]: text for text in reversed(sorted(written, key=len))}
    return {text: shortest[number] for text, number in numbers.items() if text != shortest[number]}


def clean_summaries(values: Sequence[object]) -> list[list[str]]:
    """The summaries of each row: from a list, a cell holding a JSON list, or one text."""
    return [[text for text in TextCleaning().batch(_summary_list(value)) if not is_blank(text)] for value in values]


def _summary_list(value: object) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list | tuple | dict):  # an object where several columns hold the summaries of a row
        return [part for part in (value.values() if isinstance(value, dict) else value) if part is not None]
    text = str(value).strip()
    items = parsed(text) if text.startswith("[") else None  # None of a sentence that happens to begin with a bracket
    return [part for part in items if isinstance(part, str)] if isinstance(items, list) else [text]
