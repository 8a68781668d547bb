"""Random projection: what 768 numbers hold of TF-IDF when nothing chose them (Johnson and Lindenstrauss 1984)."""

import warnings

import numpy as np

from embedlab.baselines.tfidf import TfIdf

DIM = 768  # as wide as the encoders it stands beside
SEED = 42


class RandomProjection:
    """TF-IDF times a fixed sparse random matrix (Li, Hastie and Church 2006)."""

    def __init__(self, texts: list[str], words: str | None = None):
        from sklearn.random_projection import SparseRandomProjection

        self.tfidf = TfIdf(texts)
        self.projection = SparseRandomProjection(DIM, dense_output=True, random_state=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that few words are fewer than the directions
            self.projection.fit(self.tfidf.embed(texts[:1] or [""]))  # only its width is read

    def embed(self, texts: list[str]) -> np.ndarray:
        """(texts, 768)"""
        return np.asarray(self.projection.transform(self.tfidf.embed(texts)), np.float32)

    @property
    def facts(self) -> dict:
        """Its width and seed."""
        return {"dim": DIM, "seed": SEED}
