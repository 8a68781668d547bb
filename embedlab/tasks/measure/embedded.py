"""Embeddings of a corpus on disk, and their kNN accuracy by the paper's protocol."""

from dataclasses import dataclass

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN, Distance
from embedlab.encoders.embed import embed, tokenize
from embedlab.errors import CorpusError
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import Split, development_split, paper_split, why_no_knn
from embedlab.metrics.votes import KNNResult
from embedlab.progress import in_words
from embedlab.runs.brought import no_embeddings
from embedlab.runs.folder import RunFolder
from embedlab.runs.labels_read import NO_LABELS, LabelsRead, without_read_labels
from embedlab.store_root import whole_file


@dataclass(frozen=True)
class Measured:
    """One encoder on one corpus: Euclidean is the paper's number, cosine stands beside it."""

    euclidean: KNNResult
    cosine: KNNResult

    def by(self, distance: Distance) -> KNNResult:
        """The one by this distance."""
        return self.cosine if distance == COSINE else self.euclidean


def split_of(corpus, read: LabelsRead = NO_LABELS) -> tuple[Split | None, tuple[str, str] | None]:
    """The paper's split of a corpus, or why there is none (a code and a sentence).

    Test texts whose labels were ``read``, by an encoder or what it grew from, are not tested.
    """
    reason = why_no_knn(corpus.labels, corpus.kept)
    if reason is not None:
        return None, reason
    try:
        return without_read_labels(paper_split(corpus.texts, corpus.labels, corpus.kept), corpus, read), None
    except CorpusError as error:  # every test text is a copy, or was read
        return None, (error.code, error.message)


def development_of(corpus, split: Split | None, read: LabelsRead = NO_LABELS) -> Split | None:
    """The texts that choose, without those whose labels were ``read``; None where there are none.

    ``split`` is the corpus's own, with all its test texts.
    """
    if split is None:
        return None
    try:
        found = without_read_labels(development_split(split, corpus.copies), corpus, read)
    except CorpusError:
        return None
    return found if len(found.test) else None


def embed_corpus(encoder, corpus, *, device: str, progress, name: str) -> np.ndarray:
    """(rows, dim) float32, one row per corpus row; excluded rows are zero."""
    embeddings = np.zeros((corpus.info.rows, encoder.dim), np.float32)
    texts = [corpus.texts[row] for row in corpus.kept]
    of_side = in_words(progress, lambda stage: f"Embedding {len(texts):,} texts, {name}")
    embeddings[corpus.kept] = embed(encoder, texts, device=device, progress=of_side)
    return embeddings


def texts_cut(encoder, corpus) -> int:
    """How many texts reach the encoder's length, so that what follows is not read."""
    longest = encoder.max_length
    candidates = [corpus.texts[row] for row in corpus.kept if len(corpus.texts[row]) + 2 >= longest]
    return sum(len(tokens) >= longest for tokens in tokenize(encoder, candidates))


def save_embeddings(folder: RunFolder, name: str, embeddings: np.ndarray) -> None:
    """Into the run folder, whole or absent."""
    with whole_file(folder.embeddings(name)) as beside, open(beside, "wb") as file:
        np.save(file, embeddings, allow_pickle=False)


def load_embeddings(folder: RunFolder, name: str) -> np.ndarray:
    """As saved, mapped from the disk."""
    if not folder.embeddings(name).exists():
        raise no_embeddings(folder)
    return np.load(folder.embeddings(name), mmap_mode="r", allow_pickle=False)


def measure(embeddings: np.ndarray, corpus, split: Split | None) -> Measured | None:
    """kNN accuracy of the split's test texts; None where the corpus allows none."""
    if split is None:
        return None
    both = (
        knn_accuracy(embeddings=embeddings, labels=corpus.labels, split=split, distance=d) for d in (EUCLIDEAN, COSINE)
    )
    return Measured(*both)
