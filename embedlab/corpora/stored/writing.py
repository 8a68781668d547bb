"""A draft becomes corpus.parquet in passes: a part of its rows is cleaned and written, then the next."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from embedlab.copies import copy_digest, numbered_digests
from embedlab.corpora.cleaning import LabelCleaning, TextCleaning, clean_summaries, clean_texts, is_blank
from embedlab.corpora.notes import CountedRows, Note, copy_notes, counted_rows, label_notes
from embedlab.corpora.stored.draft import ROLE_COLUMNS, Draft, storable_column, unique_names

PASS_ROWS = 50_000  # in memory at once, and the rows of a row group
HASHED_ROWS = 10_000  # hashed at once: part of what a fingerprint means
_TYPES = {
    "text": pa.large_string(),
    "label": pa.string(),
    "title": pa.string(),
    "summaries": pa.list_(pa.string()),
    "excluded": pa.bool_(),
}


@dataclass(frozen=True)
class Written:
    """What was found on the way."""

    fingerprint: str
    rows: int
    texts: int  # rows with a text
    sizes: list[tuple[str, int]]  # of the classes, largest first, then by name
    columns: tuple[str, ...]  # the further ones, as they are called now
    empty: CountedRows  # without a text
    notes: list[Note]


def write_draft(draft: Draft, file: Path) -> Written:
    """Clean a draft, flag its rows without text, and write it.

    What is found is the same whatever the rows of a pass.
    """
    texts, labels, empty = (
        TextCleaning(),
        LabelCleaning(draft.unlabeled, () if draft.labels is None else draft.labels),
        CountedRows(),
    )
    counts, digests, further = Counter(), bytearray(), _further(draft)
    roles = [name for name in ROLE_COLUMNS if _given(draft, name)]
    schema = pa.schema([(name, _TYPES[name]) for name in roles] + [(name, kind) for name, kind, _ in further])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, len(draft.texts), PASS_ROWS):
            part = slice(start, start + PASS_ROWS)
            cleaned = texts.batch(draft.texts[part])
            excluded = [is_blank(text) for text in cleaned]
            empty.add_all(start + place for place, out in enumerate(excluded) if out)
            values = {"text": ["" if out else t for t, out in zip(cleaned, excluded, strict=True)]}
            digests += b"".join(copy_digest(t) for t, out in zip(cleaned, excluded, strict=True) if not out)
            if draft.labels is not None:
                values["label"] = labels.batch(draft.labels[part])
                counts.update(label for label, out in zip(values["label"], excluded, strict=True) if label and not out)
            if draft.titles is not None:
                values["title"] = clean_texts(draft.titles[part])[0]
            if draft.summaries is not None:
                values["summaries"] = clean_summaries(draft.summaries[part])
            values["excluded"] = excluded
            arrays = [pa.array(values[name], _TYPES[name]) for name in roles]
            arrays += [of_rows(start, len(cleaned)) for _, _, of_rows in further]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=PASS_ROWS)
    sizes = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    notes = [*draft.notes, *texts.notes]
    if empty.total:
        places = counted_rows(empty)
        notes.append(Note(code="W-EMPTY", message=f"{places} no text and take no part; they stay flagged in the file."))
    notes += labels.notes if draft.labels is not None else []
    notes += [*label_notes(sizes), *copy_notes(numbered_digests(digests))]
    return Written(
        fingerprint=_fingerprint(file, roles, further, len(draft.texts)),
        rows=len(draft.texts),
        texts=len(draft.texts) - empty.total,
        sizes=sizes,
        columns=tuple(name for name, _, _ in further),
        empty=empty,
        notes=notes,
    )


def _given(draft: Draft, role: str) -> bool:
    there = {"label": draft.labels, "title": draft.titles, "summaries": draft.summaries}
    return role not in there or there[role] is not None


def _further(draft: Draft) -> list[tuple[str, pa.DataType, Callable[[int, int], pa.Array]]]:
    """Name, type and what gives some rows of each further column."""
    found = []
    for name, values in zip(unique_names(list(draft.columns), taken=ROLE_COLUMNS), draft.columns.values(), strict=True):
        whole = values if isinstance(values, pa.Array | pa.ChunkedArray) else storable_column(values)

        def of_rows(start: int, count: int, whole: pa.Array | pa.ChunkedArray = whole) -> pa.Array | pa.ChunkedArray:
            return storable_column(whole.slice(start, count))

        found.append((name, of_rows(0, 0).type, of_rows))
    return found


def _fingerprint(file: Path, roles: list[str], further: list, rows: int) -> str:
    """16 hex digits over names, types and values, the same whatever wrote the file."""
    digest = hashlib.sha256()
    columns = [(name, _TYPES[name], _stored_parts(file, name)) for name in roles]
    # the further ones as they were given: Parquet has fewer types than Arrow
    columns += [(name, kind, _given_parts(of_rows, rows)) for name, kind, of_rows in further]
    for name, kind, parts in columns:
        digest.update(json.dumps([name, str(kind), rows]).encode())
        for part in parts:
            digest.update(json.dumps(part, default=str).encode())
    return digest.hexdigest()[:16]


def _given_parts(of_rows: Callable[[int, int], pa.Array], rows: int) -> Iterator[list]:
    return (of_rows(start, HASHED_ROWS).to_pylist() for start in range(0, rows, HASHED_ROWS))


def _stored_parts(file: Path, name: str) -> Iterator[list]:
    """A column of the file, as many rows at once as are hashed, whatever its row groups."""
    left: list = []
    with pq.ParquetFile(file, memory_map=True) as parquet:
        for batch in parquet.iter_batches(batch_size=HASHED_ROWS, columns=[name]):
            left += batch.column(0).to_pylist()
            while len(left) >= HASHED_ROWS:
                yield left[:HASHED_ROWS]
                del left[:HASHED_ROWS]
    if left:
        yield left
