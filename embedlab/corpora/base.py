"""Corpus: texts in file order with labels, titles, summaries and further columns, immutable under its fingerprint."""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from embedlab.copies import numbered_copies
from embedlab.corpora.made_summaries import MadeSummaries, read_facts, read_made
from embedlab.corpora.proposal import Reading
from embedlab.corpora.stored.columns import Column, coded, column_names, flags, stored_column
from embedlab.corpora.stored.draft import Draft, write_draft
from embedlab.corpora.stored.shelf import CORPORA, CorpusInfo, StoredContent
from embedlab.corpora.tables import require
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.progress import Progress, silent
from embedlab.scratch import scratch_folder
from embedlab.store_root import read_json, write_json
from embedlab.vectors.ids import IdColumns


class Corpus(StoredContent):
    """A stored corpus; its columns are read from corpus.parquet on first use."""

    shelf = CORPORA

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {self.info.texts} texts, {len(self.info.classes)} classes, {self.fingerprint})"

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
        """The labels as numbers (rows,), -1 without a label, and the labels by number, None at the end."""
        return coded(self._file, "label") if "label" in self._stored else None

    @cached_property
    def class_numbers(self) -> np.ndarray:
        """The index in ``info.classes`` of each row's class (rows,), -1 for none."""
        if self.label_codes is None:
            return _read_only(np.full(self.info.rows, -1))
        codes, names = self.label_codes
        places = {each.label: number for number, each in enumerate(self.info.classes)}
        return _read_only(np.array([places.get(name, -1) for name in names])[codes])

    @cached_property
    def titles(self) -> Column | None:
        """One title per row (``""`` for none), or None without such a column."""
        return stored_column(self._file, "title") if "title" in self._stored else None

    @cached_property
    def summaries(self) -> Sequence[list[str]] | None:
        """The summaries of each row: those of the file, otherwise those made in the app; None without both."""
        if "summaries" in self._stored:
            return stored_column(self._file, "summaries")
        return None if self.made_summaries is None else read_made(self.folder, self.made_summaries)

    @property
    def has_summaries(self) -> bool:
        """Whether there are summaries, known without reading them."""
        return "summaries" in self._stored or self.made_summaries is not None

    @property
    def offers(self) -> frozenset[str]:
        """What it offers to recipes: ``labels title summaries``, as far as it has them."""
        has = {"labels": self.labels is not None, "title": self.titles is not None, "summaries": self.has_summaries}
        return frozenset(need for need, is_there in has.items() if is_there)

    @cached_property
    def made_summaries(self) -> MadeSummaries | None:
        """What made the summaries in the app, and how; None if they came with the file or there are none."""
        return None if "summaries" in self._stored else read_facts(self.folder)

    def title(self, row: int) -> str:
        """The title of a row, or an empty string."""
        return (self.titles[row] or "") if self.titles is not None else ""

    def label(self, row: int) -> str | None:
        """Its label, if it has one."""
        return self.labels[row] if self.labels is not None else None

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
        return _read_only(np.flatnonzero((self.class_numbers >= 0) & ~self.excluded))

    @cached_property
    def copies(self) -> np.ndarray:
        """One number per distinct text, equal for copies (rows,)."""
        return _read_only(numbered_copies(self.texts))

    def column(self, name: str) -> list:
        """A further column, one value per row."""
        require(name, self.info.columns, "column", self.name)
        return self.values("corpus", name)

    @property
    def id_columns(self) -> IdColumns:
        """The further columns, any of which may identify the text of each row, and the texts."""
        text = self.info.roles.get("text")
        text = text if isinstance(text, str) and text not in self.info.columns else "text"
        return IdColumns(self.name, self.info.rows, self.info.columns, partial(self._ids, text), text)

    def _ids(self, text: str, name: str) -> list:
        return self.values("corpus", "text") if name == text else self.column(name)

    @cached_property
    def _stored(self) -> frozenset[str]:
        return column_names(self._file)

    @property
    def _file(self) -> Path:
        return self.folder / "corpus.parquet"


def store_corpus(draft: Draft) -> Corpus:
    """Clean a draft, flag its rows without text, and store it.

    The same content again is the stored corpus, called and described as it was read this time.
    """
    with scratch_folder() as aside:
        file = aside / "corpus.parquet"
        info = write_draft(draft, file)
        if not info.texts:
            content = f"{info.rows:,} rows, all without text" if info.rows else "no rows"
            message = f"A corpus needs texts, but {draft.name!r} has {content}. Choose another file or text column."
            raise CorpusError("E-NO-TEXTS", message)
        return Corpus(CORPORA.keep(info, lambda folder: os.replace(file, folder / file.name)))


open_corpus = Corpus.opened


def info_if_stored(fingerprint: str) -> CorpusInfo | None:
    """What a corpus is called and holds; None where it is deleted or cannot be read."""
    with suppress(EmbedlabError, FileNotFoundError):
        return open_corpus(fingerprint).info
    return None


class CorpusSource(ABC):
    """Where corpora come from."""

    key: str
    connects = True

    @abstractmethod
    def matches(self, reference: str) -> bool:
        """Whether this source handles the reference."""

    def is_stored(self, reference: str, reading: Reading) -> bool:
        """Whether it opens from the store; a file may have changed since it was read."""
        return False

    @abstractmethod
    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """The stored corpus, otherwise one read now."""


class FetchedSource(CorpusSource):
    """Downloaded once for each reading, then opened from the store."""

    @abstractmethod
    def describe(self, reference: str, reading: Reading) -> str:
        """Everything that determines the content: the reference, versions, a pinned commit, the reading."""

    @abstractmethod
    def fetch(self, reference: str, reading: Reading, progress: Progress) -> Draft:
        """The current texts and labels, to be stored."""

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return remembered(self.describe(reference, reading)) is not None

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Downloads again if the corpus was deleted."""
        key = self.describe(reference, reading)
        return remembered(key) or remember(key, store_corpus(self.fetch(reference, reading, progress)))


def remember(key: str, corpus: Corpus) -> Corpus:
    """Record that what ``key`` describes (versions, a pinned commit …) was stored as this corpus."""
    write_json(_pointer(key), {"key": key, "fingerprint": corpus.fingerprint})
    return corpus


def remembered(key: str) -> Corpus | None:
    """The corpus stored for ``key``, if it still exists and can be read."""
    with suppress(EmbedlabError, FileNotFoundError):
        return open_corpus(str(read_json(_pointer(key)).get("fingerprint")))
    return None


def _pointer(key: str) -> Path:
    return CORPORA.root / "sources" / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def _read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values
