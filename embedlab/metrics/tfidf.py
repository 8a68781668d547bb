"""The reference lines TF-IDF and TF-IDF -> SVD-100: on ICLR no self-supervised model of the crops paper beats them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from embedlab.copies import numbered_copies
from embedlab.counting import units
from embedlab.measurement import PAPER_SPLIT, TEN_FOLDS
from embedlab.metrics.knn import cv10_knn, knn_accuracy
from embedlab.metrics.split import Split, untested_rows
from embedlab.metrics.votes import KNNResult
from embedlab.vectors.directions import truncated_svd
from embedlab.vectors.exact import Matrix

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

COMPONENTS = 100


def reference_vectors(texts: Sequence[str]) -> dict[str, Matrix]:
    """The vectors of both, fitted on these texts."""
    sparse = tfidf_embeddings(texts)
    return {"tfidf": sparse, "svd": svd_embeddings(sparse)}


def reference_lines(
    texts: Sequence[str],
    labels: np.ndarray,
    split: Split,
    *,
    protocol: str = PAPER_SPLIT,
    vectors: Mapping[str, Matrix] | None = None,
) -> dict[str, KNNResult]:
    """kNN accuracy of both, fitted on all texts: ``tfidf`` and ``svd``.  texts, labels: one per corpus row

    ``protocol="cv10"`` tests every labelled row of the split by ten folds, ``"folds"`` by ten shuffled ones, in which
    development texts are not tested.
    ``vectors``: ``reference_vectors`` of these texts, where they are at hand.
    """
    copies = None if protocol == PAPER_SPLIT else numbered_copies(texts)
    untested = untested_rows(split, copies) if protocol == TEN_FOLDS and copies is not None else None
    lines = {}
    for name, embeddings in (reference_vectors(texts) if vectors is None else vectors).items():
        if protocol == PAPER_SPLIT:
            lines[name] = knn_accuracy(embeddings=embeddings, labels=labels, split=split)
        else:
            every = np.concatenate([split.train, split.test, split.dropped])
            lines[name] = cv10_knn(
                embeddings=embeddings,
                labels=labels,
                rows=every,
                shuffled=protocol == TEN_FOLDS,
                copies=copies,
                untested=untested,
            )
    return lines


def tfidf_embeddings(texts: Sequence[str]) -> Matrix:
    """Unit rows, zero for a text without a word.  -> (texts, words) sparse, float64"""
    from scipy.sparse import csr_matrix

    filled = [row for row, text in enumerate(texts) if text.strip()]
    try:
        weights = new_vectorizer().fit_transform(text for text in texts if text.strip())
    except ValueError:  # not one word of two letters in all the texts
        return csr_matrix((len(texts), 1))
    row_of = csr_matrix((np.ones(len(filled)), (filled, range(len(filled)))), (len(texts), len(filled)))
    return (row_of @ weights).tocsr()


def svd_embeddings(tfidf: Matrix) -> np.ndarray:
    """The first 100 (or as many as there are) singular directions, rows of length one.  -> (texts, 100) float32

    Zero for a text without a word, and for one that has nothing in common with these directions.
    """
    dense = projected(tfidf, truncated_svd(tfidf, COMPONENTS)[0])
    norms = np.linalg.norm(dense, axis=1, keepdims=True)
    return (dense / np.where(norms > 0, norms, 1)).astype(np.float32)


def projected(tfidf: Matrix, directions: np.ndarray) -> np.ndarray:
    """Return coordinates along these directions, zero for rows that have none of them but rounding.

    tfidf: (texts, words) sparse, rows of length one or zero, directions: (words, directions) -> (texts, directions or
    1) float64
    """
    if directions.shape[1] == 0:
        return np.zeros((tfidf.shape[0], 1))
    dense = tfidf @ directions
    dense[np.linalg.norm(dense, axis=1) <= np.finfo(np.float32).eps] = 0
    return dense


def new_vectorizer() -> TfidfVectorizer:
    """Words (for scripts without spaces characters and bigrams), 1 + log of their counts, rows of length one."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=units, sublinear_tf=True)  # in float64: words in proportion are so to 1e-16
