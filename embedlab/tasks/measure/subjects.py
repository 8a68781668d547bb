"""Whose vectors are measured: a run's before or after, an encoder, a file of vectors, or a baseline."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.baselines import BASELINES
from embedlab.corpora.base import Corpus
from embedlab.device import choose_device
from embedlab.encoders.embed import embed, precision_of_embedding
from embedlab.encoders.encoder import Encoder
from embedlab.errors import SettingsError
from embedlab.progress import Progress
from embedlab.prompts import Role
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import embedding_precision_of
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import embed_aside, fitted_rows, load_embeddings
from embedlab.vectors.dimensions import first_dimensions
from embedlab.vectors.faults import VectorFaults, faults_in

Vectors = Any  # (n, dim): np.ndarray, or scipy's csr_matrix, which has no types; mypy takes either as Any


class TextSubject(ABC):
    """Rows for any texts; ``scores`` only if there are no vectors (BM25)."""

    gives_vectors = True

    @abstractmethod
    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """One row per text, read with the prompt of its role where there are any.  -> (texts, dim), dense or sparse"""

    def scores(self, queries: list[str], documents: list[str]) -> csr_matrix:
        """How well each document matches each query. -> (queries, documents) sparse"""
        raise SettingsError("E-SCORES", "Only a baseline without vectors, such as BM25, scores queries directly.")


class Subject(TextSubject):
    """A subject that also has rows for a corpus."""

    @abstractmethod
    def rows(self, corpus: Corpus) -> Vectors:
        """One row per corpus row, excluded rows zero.  -> (rows, dim), dense or sparse"""


class _OfEncoder(Subject):
    encoder: Encoder
    on_ray = False

    def __init__(self, progress: Progress, precision: str = "auto"):
        self.progress, self.precision, self.on = progress, precision, choose_device("auto")

    def rows(self, corpus: Corpus) -> np.ndarray:
        self._choose_precision(corpus.texts.at(corpus.kept))
        device, progress = self.on.name, self.progress
        return embed_aside(
            self.encoder, corpus, device=device, progress=progress, name="this encoder", on_ray=self.on_ray
        )

    def embed(self, texts: list[str], role: Role = "document") -> np.ndarray:
        self._choose_precision(texts)
        return embed(self.encoder, texts, device=self.on.name, role=role, progress=self.progress)

    def _choose_precision(self, texts: Sequence[str]) -> None:
        """The first texts decide the precision for all later ones."""
        self.precision = precision_of_embedding(self.precision, self.encoder, texts, self.on).name
        self.encoder.embedding_precision = self.precision


class RunState(_OfEncoder):
    """A run's encoder, ``before`` or ``after``; its corpus's vectors are in the run folder."""

    def __init__(self, folder: RunFolder, state: str, progress: Progress):
        super().__init__(progress, embedding_precision_of(folder))
        self.folder, self.state = folder, state

    def rows(self, corpus: Corpus) -> np.ndarray:
        """As saved by the run, mapped from disk."""
        return load_embeddings(self.folder, self.state)

    @cached_property
    def encoder(self) -> Encoder:  # type: ignore[override]  # loaded when it is first read
        """Loaded when a text outside the corpus is embedded."""
        return encoder_of_run(self.folder, self.state).to(self.on.name)


class OneEncoder(_OfEncoder):
    """Any encoder."""

    def __init__(self, encoder: Encoder, progress: Progress, precision: str = "auto", *, on_ray: bool = False):
        """``on_ray``: the rows of a corpus are embedded by the devices of a Ray cluster."""
        super().__init__(progress, precision)
        self.encoder, self.on_ray = encoder.to(self.on.name), on_ray


NO_ROWS = np.empty(0, np.int64)


class GivenVectors(Subject):
    """A file of vectors, one per row of a corpus; metrics that embed further texts are unavailable."""

    def __init__(self, embeddings: np.ndarray, without: np.ndarray = NO_ROWS):
        """``without``: the rows of texts that have no vector in the file."""
        self.embeddings, self.without = embeddings, without

    def rows(self, corpus: Corpus) -> np.ndarray:
        """The given vectors."""
        return self.embeddings

    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """Raises an error: there is no encoder."""
        raise SettingsError(
            "E-NEEDS-ENCODER",
            "This metric embeds more texts (halves, titles, pairs, queries), but a file of vectors has no encoder. "
            "Specify an encoder or a run, or choose knn, linear, clustering, retrieval or reranking on a labeled "
            "corpus.",
        )


class OfTexts(TextSubject):
    """Rows for texts by any function."""

    def __init__(self, embedded: Callable[[list[str], Role], Vectors]):
        self.embedded = embedded

    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """One row per text."""
        return self.embedded(texts, role)


class ReadOnce(Subject):
    """A subject whose vectors, of a corpus and of other texts, are computed once for all metrics."""

    def __init__(self, subject: TextSubject):
        self.subject, self.gives_vectors = subject, subject.gives_vectors
        self._of: dict[str, Vectors] = {}
        self._places: dict[tuple[Role, str], int] = {}
        self._parts: list[Vectors] = []

    def rows(self, corpus: Corpus) -> Vectors:
        """The subject's rows, cached."""
        if corpus.fingerprint not in self._of:
            assert isinstance(self.subject, Subject), "a corpus is read by what has rows for it"
            self._of = {corpus.fingerprint: self.subject.rows(corpus)}
        return self._of[corpus.fingerprint]

    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """One row per text, each embedded once."""
        fresh = [text for text in dict.fromkeys(texts) if (role, text) not in self._places]
        if fresh:
            self._places |= {(role, text): len(self._places) + number for number, text in enumerate(fresh)}
            parts = [*self._parts, self.subject.embed(fresh, role)]
            self._parts = [vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(parts)]
        return self._parts[0][[self._places[role, text] for text in texts]]

    def scores(self, queries: list[str], documents: list[str]) -> csr_matrix:
        """The subject's scores."""
        return self.subject.scores(queries, documents)

    def faults(self, corpus: Corpus) -> VectorFaults | None:
        """Defects of the vectors that were read; None if none were."""
        rows = self._of.get(corpus.fingerprint)
        if rows is None:
            return None
        measured = fitted_rows(corpus)  # of a corpus that is evaluated on some texts the others have no vector
        measured = corpus.kept if measured is None else measured
        return faults_in(rows, np.setdiff1d(measured, getattr(self.subject, "without", [])), corpus.copies)


class FirstDimensions(Subject):
    """Another subject's vectors cut to their first dimensions."""

    def __init__(self, subject: Subject, count: int):
        self.subject, self.count, self.without = subject, count, getattr(subject, "without", NO_ROWS)

    def rows(self, corpus: Corpus) -> Vectors:
        """The subject's rows, cut."""
        return first_dimensions(self.subject.rows(corpus), self.count)

    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """The subject's embeddings, cut."""
        return first_dimensions(self.subject.embed(texts, role), self.count)


class OfBaseline(Subject):
    """A baseline, fitted on the texts of each source."""

    def __init__(self, key: str, texts: Sequence[str], words: str | None = None):
        self.fitted = BASELINES[key](list(texts), words)
        self.gives_vectors = BASELINE_METHODS[key].gives_vectors

    def rows(self, corpus: Corpus) -> Vectors:
        """One row per corpus row; zero for rows that are not evaluated."""
        rows = fitted_rows(corpus)
        if rows is None:
            return self.fitted.embed(list(corpus.texts))
        fitted, count = self.fitted.embed(list(corpus.texts.at(rows))), corpus.info.rows
        if issparse(fitted):
            spread = csr_matrix((np.ones(len(rows), fitted.dtype), (rows, range(len(rows)))), (count, len(rows)))
            return (spread @ fitted).tocsr()
        every = np.zeros((count, fitted.shape[1]), fitted.dtype)
        every[rows] = fitted
        return every

    def embed(self, texts: list[str], role: Role = "document") -> Vectors:
        """One row per text."""
        return self.fitted.embed(texts)

    def scores(self, queries: list[str], documents: list[str]) -> csr_matrix:
        """The scores of BM25."""
        return self.fitted.scores(queries, documents)
