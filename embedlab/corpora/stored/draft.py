"""What a loader read, before it is cleaned and stored: sequences that may lie on the disk, and further columns."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.notes import Note
from embedlab.corpora.reading_report import ReadingReport

ROLE_COLUMNS = ("text", "label", "title", "summaries", "excluded")  # their names in corpus.parquet


@dataclass
class Draft:
    """What a loader read, one entry per row in file order, before it is cleaned and stored."""

    name: str
    source: str
    texts: Sequence[str | None]
    labels: Sequence[object] | None = None
    titles: Sequence[str | None] | None = None
    summaries: Sequence[object] | None = None
    columns: dict[str, Sequence | pa.Array | pa.ChunkedArray] = field(default_factory=dict)
    roles: dict[str, str | tuple[str, ...] | None] = field(default_factory=dict)
    unlabeled: str | None = "unlabeled"
    notes: list[Note] = field(default_factory=list)
    reading: ReadingReport | None = None  # how the file was read, where there was one
    licence: str | None = None
    versions: dict[str, str] = field(default_factory=dict)


def unique_names(names: Sequence[str], *, taken: Sequence[str] = ()) -> list[str]:
    """Column names made distinct: a blank one becomes ``column 3``, a second ``year`` becomes ``year (2)``."""
    used = dict.fromkeys(taken)
    for place, name in enumerate(names, start=1):
        stem = without_surrogates(str(name)).strip() or f"column {place}"
        unique, copy = stem, 1
        while unique in used:
            copy += 1
            unique = f"{stem} ({copy})"
        used[unique] = None
    return [name for name in used if name not in taken]


def storable_column(values: Sequence | pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """An Arrow column of scalars: nested values become their JSON, columns of mixed types become text.

    Parts of an Arrow column become parts of what it becomes.
    """
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        whole = [without_surrogates(value) if isinstance(value, str) else value for value in values]
        kinds = {type(value) for value in whole if value is not None}
        if {float, int} <= kinds or (bool in kinds and len(kinds) > 1):  # Arrow would make 7 a 7.0, and True a 1
            return pa.array(map(as_text, whole), pa.string())
        try:
            values = pa.array(whole)
        except (pa.ArrowException, UnicodeEncodeError, OverflowError):
            return pa.array(map(as_text, whole), pa.string())
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        return values.cast(pa.string())
    if pa.types.is_nested(values.type) or pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        return pa.array(map(as_text, values.to_pylist()), pa.string())
    return values


def as_text(value: object) -> str | None:
    """A cell of any type as text; lists and objects as JSON, nothing as None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict | tuple):
        return without_surrogates(json.dumps(value, ensure_ascii=False, default=str))
    return str(value)
