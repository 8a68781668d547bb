"""What any encoder must beat: vectors and scores from words alone."""

from typing import Protocol

import numpy as np

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.registry import Registry, classes_in


class Baseline(Protocol):
    """Fitted on texts without labels; turns any texts into rows, or scores documents for queries.

    ``words`` names a file of word vectors; those that need it read it. Key, title and the like come from the list.
    """

    key: str

    def __init__(self, texts: list[str], words: str | None = None):
        """Fitted on all texts, as training is (label-free)."""

    def embed(self, texts: list[str]) -> np.ndarray:
        """Rows, dense float32 or sparse, zero for a text without a known word. -> (texts, dim)"""

    def scores(self, queries: list[str], documents: list[str]) -> np.ndarray:
        """How well each document matches each query, for baselines without vectors. -> (queries, documents) sparse"""

    @property
    def facts(self) -> dict[str, str | float]:
        """Facts printed with its values: dimensions, the unit counted."""


BASELINES: Registry[type[Baseline]] = Registry("baseline", lambda: classes_in(__name__, BASELINE_METHODS))
