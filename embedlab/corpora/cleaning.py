"""Cleaning at the door: what may stay in a text or a label, and what was changed."""

import json
import re
import unicodedata
from collections.abc import Sequence

from embedlab.corpora.notes import Note, counted_rows
from embedlab.limits import LIMITS

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")  # C0 without tab and line feed, and DEL
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {chr(c) for c in range(0xFE00, 0xFE10)}


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: empty, blanks, zero-width characters and fillers only."""
    return all(
        unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _INVISIBLE for character in text
    )


def without_surrogates(text: str) -> str:
    """Lone halves of UTF-16 pairs, which no file and no tokenizer can hold, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def clean_texts(values: Sequence[object]) -> tuple[list[str], list[Note]]:
    """Texts that can be stored and tokenised, and what had to be changed for it."""
    texts, repaired, stripped, cut = [], [], [], []
    for row, value in enumerate(values):
        text = "" if value is None else str(value)
        if _SURROGATE.search(text):
            text = without_surrogates(text)
            repaired.append(row)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _CONTROL.search(text):
            text = _CONTROL.sub("", text)
            stripped.append(row)
        if len(text) > LIMITS.text_characters:
            text = text[: LIMITS.text_characters]
            cut.append(row)
        texts.append(text)
    limit = f"{LIMITS.text_characters:,}"
    messages = [
        ("W-REPAIRED", repaired, "characters that do not exist (lone surrogates); each was replaced by U+FFFD."),
        ("W-CONTROL", stripped, "control characters; they were removed."),
        ("W-CUT", cut, f"more than {limit} characters; the text was cut there."),
    ]
    return texts, [Note(code=c, message=f"{counted_rows(rows)} {rest}") for c, rows, rest in messages if rows]


def clean_labels(values: Sequence[object], *, unlabeled: str | None) -> tuple[list[str | None], list[Note]]:
    """Labels as text: only the empty cell, and the value that means so, is *no label*."""
    spellings: dict[object, str | None] = {}  # each distinct cell is cleaned once
    labels = [_label(value, spellings) for value in values]
    notes = []
    missing = [row for row, label in enumerate(labels) if label is None]
    if missing and len(missing) < len(labels):
        message = f"{counted_rows(missing)} no label; they train and are drawn, but take no part in kNN accuracy."
        notes.append(Note(code="W-LABEL-MISSING", message=message))
    merged = _merged(spellings)
    if merged:
        message = f"Labels that differ only in blanks or in how accents are written were made one: {merged}."
        notes.append(Note(code="W-LABEL-MERGED", message=message))
    if unlabeled is not None and unlabeled in labels:
        count = labels.count(unlabeled)
        message = f"{count:,} rows have the label {unlabeled!r}, which is read as: no label."
        notes.append(Note(code="W-UNLABELED", message=message))
        labels = [None if label == unlabeled else label for label in labels]
    return labels, notes


def clean_summaries(values: Sequence[object]) -> list[list[str]]:
    """The summaries of each row: from a list, a cell holding a JSON list, or one text."""
    return [[text for text in clean_texts(_summary_list(value))[0] if not is_blank(text)] for value in values]


def _summary_list(value: object) -> list:
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [part for part in value if part is not None]
    text = str(value).strip()
    if text.startswith("["):
        try:
            parts = json.loads(text)
        except (ValueError, RecursionError):
            return [text]  # a sentence that happens to begin with a bracket
        return [part for part in parts if isinstance(part, str)]
    return [text]


def _label(value: object, spellings: dict[object, str | None]) -> str | None:
    if value is None or (
        isinstance(value, float) and value != value
    ):  # NaN is how Parquet writers store the empty cell
        return None
    spelling = str(value)  # 7, 1.0 and True keep their own text
    if spelling not in spellings:
        label = _CONTROL.sub("", without_surrogates(spelling).replace("\t", " ").replace("\n", " "))
        label = _BIDI.sub(lambda mark: f"⟨U+{ord(mark.group()):04X}⟩", label)
        spellings[spelling] = unicodedata.normalize("NFC", label).strip() or None
    return spellings[spelling]


def _merged(spellings: dict[object, str | None]) -> str:
    written: dict[str, list] = {}
    for spelling, label in spellings.items():
        if label is not None:
            written.setdefault(label, []).append(spelling)
    several = {label: len(forms) for label, forms in written.items() if len(forms) > 1}
    return ", ".join(f"{label!r} ({count} spellings)" for label, count in list(several.items())[:5])
