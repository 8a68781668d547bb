"""What a post-processing step is: finished embeddings in, embeddings of the same shape out, fitted without labels."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from embedlab.config import Config
from embedlab.errors import CorpusError
from embedlab.progress import Progress, silent
from embedlab.vectors.exact import usable


@dataclass(frozen=True)
class Processed:
    """Embeddings after a step: (rows, dim) float32, zero in every row that was left out."""

    embeddings: np.ndarray
    used: dict  # plain values: texts, left_out, remarks (sentences), and what else the step found


class PostProcessing(ABC):
    """One step; a fit without labels uses all texts, as training does."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    config_class: ClassVar[type[Config]]

    @staticmethod
    @abstractmethod
    def fit_transform(embeddings: np.ndarray, rows: np.ndarray, config: Any, progress: Progress = silent) -> Processed:
        """Fit on the usable vectors among ``rows`` and change them, by its settings.  embeddings: (corpus rows, dim)"""


@dataclass(frozen=True)
class UsableVectors:
    """The texts that are processed: those with a finite, non-zero vector."""

    rows: np.ndarray
    vectors: np.ndarray  # (texts, dim) float64, a copy
    shape: tuple[int, int]  # of all embeddings
    left_out: int

    def processed(self, vectors: np.ndarray, *, remarks: list[str] | None = None, **facts: Any) -> Processed:
        """The changed vectors (texts, dim) placed among all rows, with the number of texts left out."""
        everywhere = np.zeros(self.shape, np.float32)
        everywhere[self.rows] = vectors
        return Processed(
            everywhere, {"texts": len(self.rows), "left_out": self.left_out, "remarks": remarks or [], **facts}
        )


def usable_vectors(embeddings: np.ndarray, rows: np.ndarray, *, title: str, normalise_first: bool) -> UsableVectors:
    """The usable vectors among ``rows``; raises an error if nothing can be fitted to them."""
    rows = np.asarray(rows)
    good = rows[usable(embeddings[rows])]
    if len(good) < 2:
        raise CorpusError(
            "E-FEW-TEXTS",
            f"{title} needs at least 2 texts with a non-zero vector, but found {len(good)} among {len(rows):,}."
            " Add texts, or choose an encoder that knows their words.",
        )
    vectors = np.asarray(embeddings[good], np.float64)
    if (vectors == vectors[0]).all():
        raise CorpusError(
            "E-CONSTANT",
            f"{title} needs texts that differ, but all {len(good):,} have the same vector. Choose another encoder.",
        )
    if normalise_first:
        vectors = unit_length(vectors)
    return UsableVectors(good, vectors, embeddings.shape, len(rows) - len(good))


def unit_length(vectors: np.ndarray) -> np.ndarray:
    """Each vector divided by its norm, without overflow or underflow. (texts, dim) -> (texts, dim)"""
    vectors = vectors / np.abs(vectors).max(axis=1, keepdims=True)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rounding(vectors: np.ndarray) -> float:
    """The standard deviation below which a direction contains only float32 rounding. (texts, dim) -> ()"""
    return 4 * float(np.finfo(np.float32).eps) * float(np.median(np.abs(vectors).max(axis=1)))
