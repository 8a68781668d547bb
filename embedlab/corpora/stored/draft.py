"""What a loader read, and how it becomes corpus.parquet, in passes of some rows at once, and corpus.json."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.augmentations.fit import TwoViews
from embedlab.copies import copy_digest, numbered_digests
from embedlab.corpora.cleaning import LabelCleaning, TextCleaning, clean_summaries, is_blank, without_surrogates
from embedlab.corpora.names import unique_names
from embedlab.corpora.notes import CountedRows, Note, ReadingReport, copy_notes, counted_rows, label_notes
from embedlab.corpora.stored.shelf import ClassSize, CorpusInfo

ROLE_COLUMNS = ("text", "label", "title", "summaries", "excluded")  # their names in corpus.parquet
PASS_ROWS = 50_000  # in memory at once, and the rows of a row group
SAMPLED_TEXTS = 2_000  # a share of so many is known to two points
HASHED_ROWS = 10_000  # hashed at once: part of what a fingerprint means
_TYPES = {
    "text": pa.large_string(),
    "label": pa.string(),
    "title": pa.string(),
    "summaries": pa.list_(pa.string()),
    "excluded": pa.bool_(),
}


@dataclass
class Draft:
    """A corpus as a loader read it, one entry per row in file order, before it is cleaned and stored."""

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


def write_draft(draft: Draft, file: Path) -> CorpusInfo:
    """Clean a draft, flag its rows without text, write it, and say what it is; whatever the rows of a pass."""
    texts, labels = TextCleaning(), LabelCleaning(draft.unlabeled, () if draft.labels is None else draft.labels)
    given: dict[str, Sequence[Any] | None]
    given = {"label": draft.labels, "title": draft.titles, "summaries": draft.summaries}
    optional = {role: values for role, values in given.items() if values is not None}
    clean: dict[str, Callable[[Sequence[object]], list[Any]]]
    clean = {"label": labels.batch, "title": TextCleaning().batch, "summaries": clean_summaries}
    names, arrow = unique_names(list(draft.columns), taken=ROLE_COLUMNS), pa.Array | pa.ChunkedArray
    columns = (each if isinstance(each, arrow) else storable_column(each) for each in draft.columns.values())
    further = dict(zip(names, columns, strict=True))
    schema = pa.schema(
        [
            *((role, kind) for role, kind in _TYPES.items() if role in optional or role in ("text", "excluded")),
            *((name, storable_column(values.slice(0, 0)).type) for name, values in further.items()),
        ]
    )
    counts: Counter[str] = Counter()
    digests, empty = bytearray(), CountedRows()
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, len(draft.texts), PASS_ROWS):
            part = slice(start, start + PASS_ROWS)
            cleaned = texts.batch(draft.texts[part])
            excluded = [is_blank(text) for text in cleaned]
            empty.add_all(start + offset for offset, out in enumerate(excluded) if out)
            digests += b"".join(copy_digest(t) for t, out in zip(cleaned, excluded, strict=True) if not out)
            values: dict[str, list[Any]] = {
                "text": ["" if out else t for t, out in zip(cleaned, excluded, strict=True)]
            }
            values |= {role: clean[role](column[part]) for role, column in optional.items()} | {"excluded": excluded}
            if "label" in values:
                counts.update(label for label, out in zip(values["label"], excluded, strict=True) if label and not out)
            arrays = [pa.array(each, _TYPES[role]) for role, each in values.items()]
            arrays += [storable_column(each.slice(start, len(cleaned))) for each in further.values()]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=PASS_ROWS)
    sizes = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    notes = [*draft.notes, *texts.notes]
    if empty.total:
        message = f"{counted_rows(empty)} no text and are skipped; they stay flagged in the file."
        notes.append(Note(code="W-EMPTY", message=message))
    notes += [*labels.notes, *label_notes(sizes), *copy_notes(numbered_digests(digests))]
    return CorpusInfo(
        name=draft.name,
        fingerprint=_fingerprint(file, schema, further, len(draft.texts)),
        source=draft.source,
        rows=len(draft.texts),
        texts=len(draft.texts) - empty.total,
        labelled=counts.total(),
        classes=tuple(ClassSize(label=label, texts=texts) for label, texts in sizes),
        columns=tuple(further),
        roles={role: draft.roles.get(role) for role in ROLE_COLUMNS[:-1]},
        unlabeled=draft.unlabeled,
        two_views=TwoViews.of(_sample(file, len(draft.texts) - empty.total)),
        notes=tuple(notes),
        reading=draft.reading and draft.reading.without(empty, "no text"),  # such rows take no part
        licence=draft.licence,
        versions=draft.versions,
    )


def _fingerprint(file: Path, schema: pa.Schema, further: dict[str, pa.Array | pa.ChunkedArray], rows: int) -> str:
    """16 hex digits over names, types and values, the same whatever wrote the file."""
    digest = hashlib.sha256()
    for column in schema:
        digest.update(json.dumps([column.name, str(column.type), rows]).encode())
        parts = _stored_parts(file, column.name)
        if column.name in further:  # as it was given: Parquet has fewer types than Arrow
            slices = (further[column.name].slice(start, HASHED_ROWS) for start in range(0, rows, HASHED_ROWS))
            parts = (storable_column(each).to_pylist() for each in slices)
        for part in parts:
            digest.update(json.dumps(part, default=str).encode())
    return digest.hexdigest()[:16]


def _sample(file: Path, texts: int) -> Iterator[str]:
    """Of the file's texts at most 2,000, drawn with a fixed seed."""
    drawn = set(random.Random(0).sample(range(texts), min(texts, SAMPLED_TEXTS)))
    stored = (text for part in _stored_parts(file, "text") for text in part if text)
    return (text for number, text in enumerate(stored) if number in drawn)


def _stored_parts(file: Path, name: str) -> Iterator[list]:
    """A column of the file, as many rows at once as are hashed, whatever its row groups."""
    with pq.ParquetFile(file, memory_map=True) as parquet:
        batches = parquet.iter_batches(batch_size=HASHED_ROWS, columns=[name])
        values = chain.from_iterable(batch.column(0).to_pylist() for batch in batches)
        while part := list(islice(values, HASHED_ROWS)):
            yield part


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
        except MemoryError:
            raise
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
