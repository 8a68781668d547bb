"""Finished runs on the built-in corpora, packaged without their texts as first examples.

The package has names, labels and hashes of the texts; the texts themselves are those that are gathered here.
"""

import hashlib
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.docs import DocsSource
from embedlab.corpora.stored.columns import Column, stored_column
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of
from embedlab.store_root import store_root

DATA = Path(__file__).parent / "data"
ExampleKind = Literal["mini", "dropout", "left-out", "token"]
MINI: ExampleKind = "mini"  # the demo: text crops
DROPOUT: ExampleKind = "dropout"  # the same with dropout pairs
LEFT_OUT: ExampleKind = "left-out"  # the demo without the test texts; only its settings, state and result are packaged
TOKEN: ExampleKind = "token"  # a token layer on all of docs, which the lessons quote


class ExampleCorpus(Corpus):
    """Texts are matched by name and hash, because installations differ; missing ones are ``""``."""

    @cached_property
    def hashes(self) -> np.ndarray:
        """The hash of each row's text  (rows,) int64."""
        return np.array(stored_column(self._file, "hash")[:], np.int64)

    @property
    def texts(self) -> Column:
        """The texts once the corpus is gathered here, ``""`` where none matches by name and hash."""
        return _texts(gathered(self.info.source), self)

    def texts_found(self) -> int:
        """The number of its texts found on this machine."""
        return sum(text != "" for text in self.texts)


def text_hash(text: str) -> int:
    """Sixty-three bits of a text's SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


@cache
def example_corpora() -> dict[str, ExampleCorpus]:
    """Return the packaged corpora by fingerprint; none if the package came without its data."""
    corpora = [ExampleCorpus(file.parent) for file in sorted(DATA.glob("corpora/*/corpus.json"))]
    return {corpus.fingerprint: corpus for corpus in corpora}


def example_corpus(kind: ExampleKind) -> ExampleCorpus | None:
    """Return the corpus of a packaged run; None if the package came without its data."""
    run = example_run(kind)
    return None if run is None else example_corpora().get(fingerprint_of(run))


def gathered(source: str = DocsSource.key) -> str | None:
    """Return the fingerprint of a built-in corpus as gathered on this machine, or None; the newest of several."""
    stored = store_root() / "corpora"
    return _gathered(source, stored, stored.stat().st_mtime_ns if stored.is_dir() else 0)


@lru_cache(maxsize=4)
def _gathered(source: str, stored: Path, changed: int) -> str | None:
    fingerprints = [info.fingerprint for info in list_corpora() if info.source == source]
    return max(fingerprints, key=lambda each: (stored / each / "corpus.json").stat().st_mtime_ns, default=None)


@lru_cache(maxsize=4)
def _texts(fingerprint: str | None, example: ExampleCorpus) -> Column:
    if fingerprint is None:
        return _column([""] * example.info.rows)
    here = open_corpus(fingerprint)
    texts_by_name = {(title, text_hash(text)): text for title, text in zip(here.titles or [], here.texts, strict=False)}
    names = zip(example.titles or [], example.hashes.tolist(), strict=True)
    return _column([texts_by_name.get(each, "") for each in names])


def _column(texts: list[str]) -> Column:
    return Column([pa.array(texts, pa.large_string())])


def example_run(kind: ExampleKind = MINI) -> RunFolder | None:
    """Return a run folder like any other, but never written to; None if the package came without its data."""
    folder = RunFolder(DATA / kind)
    return folder if folder.result.is_file() else None


def is_example(run: RunFolder) -> bool:
    """Whether this is an example run."""
    return run.path.parent == DATA
