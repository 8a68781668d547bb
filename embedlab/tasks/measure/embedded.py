"""Embeddings of a corpus on disk, and their kNN accuracy by the paper's protocol."""

from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.encoders.embed import tokenize, tokens_of
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.measurement import ByDistance, Measurement, Note
from embedlab.metrics.knn import knn_by_both
from embedlab.metrics.split import Split, development_split, is_sampled, paper_split, why_no_knn
from embedlab.metrics.votes import KNNResult
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import no_embeddings
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, without_read_labels
from embedlab.scratch import scratch_folder
from embedlab.store_root import atomic_write
from embedlab.tasks.measure.sharing import parts_here, parts_on_ray
from embedlab.vectors.files import ROWS_AT_ONCE, begin, opened, save, taken, write_part

Measured = ByDistance[KNNResult]  # one encoder on one corpus


def measurements(measured: Measured) -> ByDistance[Measurement]:
    """Its numbers without individual texts."""
    return ByDistance.of(lambda distance: measured.by(distance).measurement)


_paper_splits: WeakKeyDictionary = WeakKeyDictionary()  # corpus -> Split: all texts are compared for it, copies aside


def split_of(corpus: Corpus, read: LabelExposure = NO_LABELS) -> tuple[Split | None, Note | None]:
    """The paper's split of a corpus, or why there is none.

    Test texts whose labels were ``read``, by an encoder or what it grew from, are not tested.
    """
    reason = why_no_knn(corpus.labels, corpus.kept)
    if reason is not None:
        return None, reason
    try:
        if corpus not in _paper_splits:
            _paper_splits[corpus] = paper_split(corpus.texts, labels_of(corpus), corpus.kept)
        return without_read_labels(_paper_splits[corpus], corpus, read), None
    except CorpusError as error:  # every test text is a copy, or was read
        return None, Note(code=error.code, message=error.message)


def labels_of(corpus: Corpus) -> np.ndarray:
    """The labels of a corpus that has a split, None where a text has none.  -> (rows,) of str or None"""
    assert corpus.labels is not None, "a split is made of labels"
    return corpus.labels


def fitted_rows(corpus: Corpus) -> np.ndarray | None:
    """The rows whose texts fit baselines, if not all: those of the split.

    A corpus of which only a sample is evaluated or drawn is too large to count all its words in memory.
    """
    if not (is_sampled(len(corpus.labelled)) or len(corpus.kept) > LIMITS.mapped_texts):
        return None
    split, _ = split_of(corpus)
    return None if split is None else split.rows


def development_of(corpus: Corpus, split: Split | None, read: LabelExposure = NO_LABELS) -> Split | None:
    """The texts that choose, without those whose labels were ``read``; None if none are left.

    ``split`` is the corpus's own, with all its test texts.
    """
    if split is None:
        return None
    try:
        development = without_read_labels(development_split(split, corpus.copies), corpus, read)
    except CorpusError:
        return None
    return development if len(development.test) else None


def embed_corpus(
    encoder: Encoder, corpus: Corpus, *, device: str, progress: Progress, name: str, into: Path, on_ray: bool = False
) -> np.ndarray:
    """(rows, dim) float32, one row per corpus row; excluded rows are zero.

    Written to ``into`` part by part, whole or absent, and mapped from there. The processes of a run read a share each;
    ``on_ray``, the machines of a Ray cluster do.
    """
    progress_of_part = partial(_progress_of_part, progress, corpus.kept, name)
    with atomic_write(into) as temporary:
        begin(temporary, corpus.info.rows, encoder.dim)
        embedded = (
            parts_on_ray(encoder, corpus, progress_of_part)
            if on_ray
            else parts_here(encoder, corpus, progress_of_part, device=device)
        )
        for start, vectors in embedded:
            write_part(temporary, start, vectors)
    return opened(into)


def embed_aside(
    encoder: Encoder, corpus: Corpus, *, device: str, progress: Progress, name: str, on_ray: bool = False
) -> np.ndarray:
    """The same without a named file: in memory if small, otherwise mapped from an unlinked file."""
    with scratch_folder() as scratch:
        into = scratch / "vectors.npy"
        vectors = embed_corpus(encoder, corpus, device=device, progress=progress, name=name, into=into, on_ray=on_ray)
        return np.array(vectors) if len(vectors) <= ROWS_AT_ONCE else vectors


def stage_of_embedding(texts: int, name: str) -> str:
    """The stage shown while the texts of a corpus are embedded; ``name`` says by which encoder."""
    return f"Embedding {texts:,} texts, {name}"


def _progress_of_part(progress: Progress, rows: np.ndarray, name: str, start: int, stop: int) -> Progress:
    """A part's progress as a share of all texts; only embedding is counted, because tokens are read before."""
    stage_of_all = stage_of_embedding(len(rows), name)
    first, after = np.searchsorted(rows, [start, stop])

    def tell(stage: str, done: int = 0, total: int = 0) -> None:
        share = done / total if total and stage.startswith("Embedding") else 0
        progress(stage_of_all, int(first + share * (after - first)), len(rows))

    return tell


def texts_cut(encoder: Encoder, corpus: Corpus) -> int:
    """How many texts reach the encoder's maximum length, so that the rest is not read."""
    longest, cut, texts = encoder.max_length, 0, corpus.texts.at(corpus.kept)
    if len(corpus.kept) <= ROWS_AT_ONCE:
        return sum(len(tokens) >= longest for tokens in tokens_of(encoder, corpus, corpus.kept))
    for start in range(0, len(texts), ROWS_AT_ONCE):
        candidates = [text for text in texts[start : start + ROWS_AT_ONCE] if len(text) + 2 >= longest]
        cut += sum(len(tokens) >= longest for tokens in tokenize(encoder, candidates))
    return cut


def save_embeddings(folder: RunFolder, name: str, embeddings: np.ndarray) -> None:
    """Write into the run folder, whole or not at all."""
    with atomic_write(folder.embeddings(name)) as temporary:
        save(temporary, embeddings)


def load_embeddings(folder: RunFolder, name: str) -> np.ndarray:
    """The saved embeddings, mapped from disk."""
    if not folder.embeddings(name).exists():
        raise no_embeddings(folder)
    return opened(folder.embeddings(name))


def embeddings_of(folder: RunFolder, name: str, rows: np.ndarray) -> np.ndarray:
    """The embeddings of these corpus rows, in increasing order; they stay on disk if these are all. rows: (n,) -> (n,
    dim)
    """
    stored = load_embeddings(folder, name)
    return stored if len(stored) == len(rows) else taken(stored, rows)


def measure(embeddings: np.ndarray, corpus: Corpus, split: Split | None) -> Measured | None:
    """kNN accuracy of the split's test texts; other vectors are not read. None if the corpus allows none."""
    return None if split is None else measured_on(embeddings, labels_of(corpus), split)


def measured_on(embeddings: np.ndarray, labels: np.ndarray, split: Split) -> Measured:
    """By both distances. embeddings: (rows, dim), labels: (rows,); the split refers to the same rows"""
    return knn_by_both(embeddings=embeddings, labels=labels, splits=[split])
