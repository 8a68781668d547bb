"""TF-IDF, its SVD-100 (the crops paper's own comparison, its repository's tables), and its random projection."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from embedlab.counting import unit_of
from embedlab.later import Later
from embedlab.metrics.tfidf import COMPONENTS, new_vectorizer, projected
from embedlab.vectors.directions import truncated_svd
from embedlab.vectors.exact import unit_rows

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = Later("scipy.sparse")
DIM = 768  # as wide as the encoders it stands beside
SEED = 42


class TfIdf:
    """Sublinear counts times inverse document frequency, rows of length one."""

    def __init__(self, texts: list[str], words: str | None = None):
        self.vectorizer, self.unit = new_vectorizer(), unit_of(texts)
        try:
            self.vectorizer.fit([text for text in texts if text.strip()])
        except ValueError:  # not one word of two letters in all the texts
            self.vectorizer = None

    def embed(self, texts: list[str]) -> sparse.csr_matrix:
        """(texts, words) sparse"""
        return self.weights(texts).astype(np.float32)

    def weights(self, texts: list[str]) -> sparse.csr_matrix:
        """Return the same with all digits. -> (texts, words) sparse, float64"""
        if self.vectorizer is None:
            return sparse.csr_matrix((len(texts), 1))
        return self.vectorizer.transform(texts).tocsr()

    @property
    def facts(self) -> dict[str, str | float]:
        """The unit counted, and the number of distinct ones."""
        return {"counted": self.unit, "words": 0 if self.vectorizer is None else len(self.vectorizer.vocabulary_)}


class UnscaledSVD:
    """The first 100 singular directions of TF-IDF, not normalised."""

    def __init__(self, texts: list[str], words: str | None = None):
        self.tfidf = TfIdf(texts)
        counted = self.tfidf.weights([text for text in texts if text.strip()])
        self.directions = truncated_svd(counted, COMPONENTS)[0] if counted.nnz else np.zeros((counted.shape[1], 0))

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, 100 or as many as there are)"""
        return projected(self.tfidf.weights(texts), self.directions).astype(np.float32)

    @property
    def facts(self) -> dict[str, str | float]:
        """The unit counted, and the number of directions."""
        return {"counted": self.tfidf.unit, "dim": max(1, self.directions.shape[1])}


class SVD(UnscaledSVD):
    """SVD-100 with rows of length one: the stronger of the two."""

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, 100 or as many as there are), unit rows"""
        return unit_rows(super().embed(texts)).astype(np.float32)


class RandomProjection:
    """TF-IDF times a fixed sparse random matrix (Li, Hastie and Church 2006): what 768 arbitrary directions retain."""

    def __init__(self, texts: list[str], words: str | None = None):
        from sklearn.random_projection import SparseRandomProjection

        self.tfidf = TfIdf(texts)
        self.projection = SparseRandomProjection(DIM, dense_output=True, random_state=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that few words are fewer than the directions
            self.projection.fit(self.tfidf.embed([""]))  # only its width is read

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, 768)"""
        return np.asarray(self.projection.transform(self.tfidf.embed(texts)), np.float32)

    @property
    def facts(self) -> dict[str, str | float]:
        """Its width and seed."""
        return {"dim": DIM, "seed": SEED}
