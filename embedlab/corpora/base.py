"""Corpus: texts in file order with labels, titles, summaries and further columns, immutable under its fingerprint."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from embedlab.config import Config, validated
from embedlab.copies import normalised, numbered_copies
from embedlab.corpora.cleaning import (
    clean_labels,
    clean_summaries,
    clean_texts,
    is_blank,
    without_surrogates,
)
from embedlab.corpora.made_summaries import read_facts, read_made
from embedlab.corpora.notes import Note, copy_notes, counted_rows, label_notes
from embedlab.corpora.stored.columns import Column, coded, flags, stored_column
from embedlab.errors import CorpusError
from embedlab.store_root import read_json, store_root, whole_folder, write_json

ROLE_COLUMNS = ("text", "label", "title", "summaries", "excluded")  # their names in corpus.parquet
FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class ClassSize(Config):
    """One class and how many texts carry its label."""

    label: str
    texts: int


class CorpusInfo(Config):
    """What corpus.json says about a stored corpus."""

    format: int = 1
    name: str
    fingerprint: str
    source: str = Field(description="Where it came from: a path, docs, a catalog key or hf:owner/name@commit.")
    rows: int = Field(description="Rows of the file, excluded ones included.")
    texts: int = Field(description="Rows with a text.")
    labelled: int = Field(description="Texts with a label.")
    classes: tuple[ClassSize, ...] = Field(description="By size, largest first, then by name.")
    columns: tuple[str, ...] = Field(description="Further columns, kept for hover and colour.")
    roles: dict[str, str | tuple[str, ...] | None] = Field(description="Which column of the source each role was.")
    unlabeled: str | None = Field(description="The label value that meant: no label.")
    notes: tuple[Note, ...] = ()
    licence: str | None = None
    versions: dict[str, str] = {}

    @property
    def has_two_classes(self) -> bool:
        """Whether kNN accuracy means something here."""
        return len(self.classes) >= 2


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
    licence: str | None = None
    versions: dict[str, str] = field(default_factory=dict)


class Corpus:
    """A stored corpus; its columns are read from corpus.parquet when they are first asked for."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.info = validated(CorpusInfo, read_json(folder / "corpus.json"), where="corpus.json")

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {self.info.texts} texts, {len(self.info.classes)} classes, {self.fingerprint})"

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def fingerprint(self) -> str:
        return self.info.fingerprint

    @cached_property
    def texts(self) -> Column:
        """One text per row, in file order; excluded rows are ``""``."""
        return stored_column(self._file, "text")

    @cached_property
    def labels(self) -> np.ndarray | None:
        """One label (str) or None per row  (rows,), or None when the corpus has no labels at all."""
        if self.label_codes is None:
            return None
        codes, names = self.label_codes
        return _read_only(names[codes])

    @cached_property
    def label_codes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The same as numbers  (rows,), -1 without a label, and the labels they stand for, None as the last."""
        return coded(self._file, "label") if "label" in self._stored else None

    @cached_property
    def class_numbers(self) -> np.ndarray:
        """Which of ``info.classes`` each row is of  (rows,), -1 for none."""
        if self.label_codes is None:
            return _read_only(np.full(self.info.rows, -1))
        codes, names = self.label_codes
        places = {each.label: place for place, each in enumerate(self.info.classes)}
        return _read_only(np.array([places.get(name, -1) for name in names])[codes])

    @cached_property
    def titles(self) -> Column | None:
        """One title per row (``""`` where there is none), or None without such a column."""
        return stored_column(self._file, "title") if "title" in self._stored else None

    @cached_property
    def summaries(self) -> Sequence[list[str]] | None:
        """The summaries of each row: those that came with the texts, else those made in the app; None without both."""
        if "summaries" in self._stored:
            return stored_column(self._file, "summaries")
        return None if self.made_summaries is None else read_made(self.folder, self.made_summaries)

    @property
    def has_summaries(self) -> bool:
        """Whether there are any, known without reading them."""
        return "summaries" in self._stored or self.made_summaries is not None

    @cached_property
    def made_summaries(self) -> dict | None:
        """Who made the summaries in the app, and how; None where they came with the texts or there are none."""
        return None if "summaries" in self._stored else read_facts(self.folder)

    @cached_property
    def excluded(self) -> np.ndarray:
        """True where a row has no text  (rows,)."""
        return _read_only(flags(self._file, "excluded"))

    @cached_property
    def kept(self) -> np.ndarray:
        """The numbers of the rows that have a text  (texts,)."""
        return _read_only(np.flatnonzero(~self.excluded))

    @cached_property
    def labelled(self) -> np.ndarray:
        """The numbers of the rows that have a text and a label  (labelled texts,)."""
        if self.label_codes is None:
            return _read_only(np.empty(0, dtype=np.int64))
        return _read_only(np.flatnonzero((self.label_codes[0] >= 0) & ~self.excluded))

    @cached_property
    def copies(self) -> np.ndarray:
        """One number for each different text, so that copies of a text have the same  (rows,)."""
        return _read_only(numbered_copies(self.texts))

    def column(self, name: str) -> list:
        """A further column, one value per row."""
        if name not in self.info.columns:
            names = ", ".join(self.info.columns) or "none"
            raise CorpusError("E-COLUMN", f"Corpus {self.name!r} has no further column {name!r}. Choose from: {names}.")
        with pq.ParquetFile(self._file, memory_map=True) as file:
            return file.read(columns=[name]).column(0).to_pylist()

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(pq.read_schema(self._file).names)

    @property
    def _file(self) -> Path:
        return self.folder / "corpus.parquet"


def store_corpus(draft: Draft) -> Corpus:
    """Clean a draft, flag its rows without text, and store it; the same content again is the stored corpus."""
    texts, notes = clean_texts(draft.texts)
    notes = [*draft.notes, *notes]
    excluded = [is_blank(text) for text in texts]
    if excluded.count(True) == len(texts):
        found = f"{len(texts):,} rows, all without text" if texts else "no row at all"
        raise CorpusError(
            "E-NO-TEXTS", f"A corpus needs texts, but {draft.name!r} has {found}. Choose another file or text column."
        )
    if any(excluded):
        places = counted_rows([row for row, out in enumerate(excluded) if out])
        notes.append(Note(code="W-EMPTY", message=f"{places} no text and take no part; they stay flagged in the file."))
    stored = {"text": ["" if out else text for text, out in zip(texts, excluded, strict=True)]}
    labels, sizes = None, []
    if draft.labels is not None:
        labels, cleaning_notes = clean_labels(draft.labels, unlabeled=draft.unlabeled)
        sizes = _class_sizes(labels, excluded)
        notes += cleaning_notes
        stored["label"] = labels
    notes += label_notes(labels, excluded, sizes=[(size.label, size.texts) for size in sizes])
    notes += copy_notes([normalised(text) for text, out in zip(texts, excluded, strict=True) if not out])
    if draft.titles is not None:
        stored["title"] = clean_texts(draft.titles)[0]
    if draft.summaries is not None:
        stored["summaries"] = clean_summaries(draft.summaries)
    table = _table(stored, excluded, draft.columns)
    info = CorpusInfo(
        name=draft.name,
        fingerprint=_fingerprint(table),
        source=draft.source,
        rows=len(texts),
        texts=excluded.count(False),
        labelled=sum(size.texts for size in sizes),
        classes=tuple(sizes),
        columns=tuple(name for name in table.column_names if name not in ROLE_COLUMNS),
        roles={role: draft.roles.get(role) for role in ("text", "label", "title", "summaries")},
        unlabeled=draft.unlabeled,
        notes=tuple(notes),
        licence=draft.licence,
        versions=draft.versions,
    )
    return _written(table, info)


def open_corpus(fingerprint: str) -> Corpus:
    """The stored corpus of that fingerprint."""
    if not FINGERPRINT.fullmatch(fingerprint) or not (_corpora() / fingerprint / "corpus.json").is_file():
        stored = ", ".join(f"{info.fingerprint} ({info.name})" for info in list_corpora()[:10]) or "none yet"
        raise CorpusError("E-CORPUS", f"No stored corpus has the fingerprint {fingerprint!r}. Stored: {stored}.")
    return Corpus(_corpora() / fingerprint)


def list_corpora() -> list[CorpusInfo]:
    """Every stored corpus, by name."""
    files = (file for file in _corpora().glob("*/corpus.json") if FINGERPRINT.fullmatch(file.parent.name))
    found = [validated(CorpusInfo, read_json(file), where=str(file)) for file in files]
    return sorted(found, key=lambda info: (info.name.casefold(), info.fingerprint))


def remember(key: str, corpus: Corpus) -> Corpus:
    """Note that what ``key`` describes (versions, a pinned commit …) was stored as this corpus."""
    write_json(_pointer(key), {"key": key, "fingerprint": corpus.fingerprint})
    return corpus


def remembered(key: str) -> Corpus | None:
    """The corpus that ``key`` was stored as, if it is still there."""
    if not _pointer(key).is_file():
        return None
    fingerprint = str(read_json(_pointer(key)).get("fingerprint"))
    known = FINGERPRINT.fullmatch(fingerprint) and (_corpora() / fingerprint / "corpus.json").is_file()
    return Corpus(_corpora() / fingerprint) if known else None


def unique_names(names: Sequence[str], *, taken: Sequence[str] = ()) -> list[str]:
    """Column names made distinct: a blank one becomes ``column 3``, a second ``year`` becomes ``year (2)``."""
    found, used = [], set(taken)
    for place, name in enumerate(names, start=1):
        stem = without_surrogates(str(name)).strip() or f"column {place}"
        unique, copy = stem, 1
        while unique in used:
            copy += 1
            unique = f"{stem} ({copy})"
        used.add(unique)
        found.append(unique)
    return found


def _corpora() -> Path:
    return store_root() / "corpora"


def _pointer(key: str) -> Path:
    return _corpora() / "sources" / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def _read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def _class_sizes(labels: list[str | None], excluded: list[bool]) -> list[ClassSize]:
    counts: dict[str, int] = {}
    for label, out in zip(labels, excluded, strict=True):
        if label is not None and not out:
            counts[label] = counts.get(label, 0) + 1
    return [ClassSize(label=key, texts=n) for key, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _table(stored: dict[str, list], excluded: list[bool], columns: dict) -> pa.Table:
    types = {"text": pa.large_string(), "label": pa.string(), "title": pa.string(), "summaries": pa.list_(pa.string())}
    arrays = {name: pa.array(values, types[name]) for name, values in stored.items()}
    arrays["excluded"] = pa.array(excluded, pa.bool_())
    for name, values in zip(unique_names(list(columns), taken=ROLE_COLUMNS), columns.values(), strict=True):
        arrays[name] = storable_column(values)
    return pa.table(arrays)


def storable_column(values: Sequence | pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """An Arrow column of scalars: nested values become their JSON, columns of mixed types become text."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        whole = [without_surrogates(value) if isinstance(value, str) else value for value in values]
        try:
            values = pa.array(whole)
        except (pa.ArrowException, UnicodeEncodeError, OverflowError):
            return pa.array([_as_text(value) for value in whole], pa.string())
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        return values.cast(pa.string())
    if pa.types.is_nested(values.type) or pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        return pa.array([_as_text(value) for value in values.to_pylist()], pa.string())
    return values


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict | tuple):
        return without_surrogates(json.dumps(value, ensure_ascii=False, default=str))
    return str(value)


def _fingerprint(table: pa.Table) -> str:
    """16 hex digits over names, types and values, the same whatever wrote the file."""
    digest = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(json.dumps([name, str(column.type), len(column)]).encode())
        for start in range(0, len(column), 10_000):
            digest.update(json.dumps(column.slice(start, 10_000).to_pylist(), default=str).encode())
    return digest.hexdigest()[:16]


def _written(table: pa.Table, info: CorpusInfo) -> Corpus:
    folder = _corpora() / info.fingerprint
    if not (folder / "corpus.json").is_file():
        with whole_folder(folder) as beside:
            pq.write_table(table, beside / "corpus.parquet", compression="zstd", row_group_size=50_000)
            write_json(beside / "corpus.json", info.model_dump(mode="json"))
    return Corpus(folder)
