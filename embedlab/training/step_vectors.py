"""The vectors that a run has of its corpus after certain steps, so that no text is embedded twice by the same weights.

Vectors come from the batches of whoever embedded them first. Other batches would give the same numbers but for
rounding: at most about 1e-6 of a vector's length.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from embedlab.vectors.files import taken


@dataclass(frozen=True)
class TextVectors:
    """Vectors of some corpus rows.

    embeddings: (n, dim), one for each of ``rows`` (n,), in file order; of every corpus row if ``rows`` is None
    """

    embeddings: np.ndarray
    rows: np.ndarray | None = None

    def has(self, rows: np.ndarray) -> bool:
        """Whether all of these corpus rows have a vector here."""
        return self.rows is None or bool(np.isin(rows, self.rows).all())

    def at(self, rows: np.ndarray) -> np.ndarray:
        """Return the vectors of these corpus rows.  rows: (n,) -> (n, dim)"""
        return taken(self.embeddings, rows if self.rows is None else np.searchsorted(self.rows, rows))

    def everywhere(self, count: int) -> np.ndarray:
        """Return an array with one vector per corpus row, zeros where there is none.  -> (count, dim)"""
        if self.rows is None:
            return self.embeddings
        every = np.zeros((count, self.embeddings.shape[1]), self.embeddings.dtype)
        every[self.rows] = self.embeddings
        return every


class StepVectors:
    """The vectors after each of a few steps: the first step, the newest live point and the best step."""

    def __init__(self) -> None:
        self._by_step: dict[int, TextVectors] = {}

    def keep(self, step: int, texts: TextVectors) -> None:
        """Store the vectors that the encoder gives after this step."""
        self._by_step[step] = texts

    def of(self, step: int, rows: np.ndarray) -> TextVectors | None:
        """Return the vectors after this step; None if some of these corpus rows have none."""
        texts = self._by_step.get(step)
        return texts if texts is not None and texts.has(rows) else None

    def forget_others(self, steps: Collection[int | None]) -> None:
        """Keep the vectors after these steps only."""
        self._by_step = {step: texts for step, texts in self._by_step.items() if step in steps}
