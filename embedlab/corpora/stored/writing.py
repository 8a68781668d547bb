"""A draft becomes corpus.parquet, in passes of some rows at once, and what corpus.json says of it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from embedlab.config import Config
from embedlab.copies import copy_digest, numbered_digests
from embedlab.corpora.cleaning import LabelCleaning, TextCleaning, clean_summaries, clean_texts, is_blank
from embedlab.corpora.notes import CountedRows, Note, copy_notes, counted_rows, label_notes
from embedlab.corpora.stored.draft import ROLE_COLUMNS, Draft, storable_column, unique_names
from embedlab.corpora.stored.shelf import StoredInfo

PASS_ROWS = 50_000  # in memory at once, and the rows of a row group
HASHED_ROWS = 10_000  # hashed at once: part of what a fingerprint means
_TYPES = {
    "text": pa.large_string(),
    "label": pa.string(),
    "title": pa.string(),
    "summaries": pa.list_(pa.string()),
    "excluded": pa.bool_(),
}


class ClassSize(Config):
    """One class and how many texts carry its label."""

    label: str
    texts: int


class CorpusInfo(StoredInfo):
    """What corpus.json says about a stored corpus."""

    rows: int = Field(description="Rows of the file, excluded ones included.")
    texts: int = Field(description="Rows with a text.")
    labelled: int = Field(description="Texts with a label.")
    classes: tuple[ClassSize, ...] = Field(description="By size, largest first, then by name.")
    columns: tuple[str, ...] = Field(description="Further columns, kept for hover and colour.")
    roles: dict[str, str | tuple[str, ...] | None] = Field(description="Which column of the source each role was.")
    unlabeled: str | None = Field(description="The label value that meant no label.")
    licence: str | None = None
    versions: dict[str, str] = {}

    @property
    def has_two_classes(self) -> bool:
        """Whether kNN accuracy means something here."""
        return len(self.classes) >= 2


def write_draft(draft: Draft, file: Path) -> CorpusInfo:
    """Clean a draft, flag its rows without text, write it, and say what it is; whatever the rows of a pass."""
    texts, labels = TextCleaning(), LabelCleaning(draft.unlabeled, () if draft.labels is None else draft.labels)
    optional = {"label": draft.labels, "title": draft.titles, "summaries": draft.summaries}
    optional = {role: values for role, values in optional.items() if values is not None}
    clean = {"label": labels.batch, "title": lambda part: clean_texts(part)[0], "summaries": clean_summaries}
    names, arrow = unique_names(list(draft.columns), taken=ROLE_COLUMNS), pa.Array | pa.ChunkedArray
    columns = (each if isinstance(each, arrow) else storable_column(each) for each in draft.columns.values())
    further = dict(zip(names, columns, strict=True))
    schema = pa.schema(
        [
            *((role, kind) for role, kind in _TYPES.items() if role in optional or role in ("text", "excluded")),
            *((name, storable_column(values.slice(0, 0)).type) for name, values in further.items()),
        ]
    )
    counts, digests, empty = Counter(), bytearray(), CountedRows()
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, len(draft.texts), PASS_ROWS):
            part = slice(start, start + PASS_ROWS)
            cleaned = texts.batch(draft.texts[part])
            excluded = [is_blank(text) for text in cleaned]
            empty.add_all(start + place for place, out in enumerate(excluded) if out)
            digests += b"".join(copy_digest(t) for t, out in zip(cleaned, excluded, strict=True) if not out)
            values = {"text": ["" if out else t for t, out in zip(cleaned, excluded, strict=True)]}
            values |= {role: clean[role](given[part]) for role, given in optional.items()} | {"excluded": excluded}
            if "label" in values:
                counts.update(label for label, out in zip(values["label"], excluded, strict=True) if label and not out)
            arrays = [pa.array(each, _TYPES[role]) for role, each in values.items()]
            arrays += [storable_column(each.slice(start, len(cleaned))) for each in further.values()]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=PASS_ROWS)
    sizes = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    notes = [*draft.notes, *texts.notes]
    if empty.total:
        said = f"{counted_rows(empty)} no text and are skipped; they stay flagged in the file."
        notes.append(Note(code="W-EMPTY", message=said))
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


def _stored_parts(file: Path, name: str) -> Iterator[list]:
    """A column of the file, as many rows at once as are hashed, whatever its row groups."""
    with pq.ParquetFile(file, memory_map=True) as parquet:
        batches = parquet.iter_batches(batch_size=HASHED_ROWS, columns=[name])
        values = chain.from_iterable(batch.column(0).to_pylist() for batch in batches)
        while part := list(islice(values, HASHED_ROWS)):
            yield part
