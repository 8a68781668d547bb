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

    vectors: (n, dim), one for each of ``rows`` (n,), which are in file order; of every corpus row if ``rows`` is None
    """

    vectors: np.ndarray
    rows: np.ndarray | None = None

    def has(self, rows: np.ndarray) -> bool:
        """Whether all of these corpus rows have a vector here."""
        return self.rows is None or bool(np.isin(rows, self.rows).all())

    def at(self, rows: np.ndarray) -> np.ndarray:
        """Return the vectors of these corpus rows.  rows: (n,) -> (n, dim)"""
        return taken(self.vectors, rows if self.rows is None else np.searchsorted(self.rows, rows))

    def everywhere(self, count: int) -> np.ndarray:
        """Return an array with one vector per corpus row, zeros where there is none.  -> (count, dim)"""
        if self.rows is None:
            return self.vectors
        every = np.zeros((count, self.vectors.shape[1]), self.vectors.dtype)
        every[self.rows] = self.vectors
        return every


class StepVectors:
    """The vectors after each of a few steps: the first step, the newest live point and the best step."""

    def __init__(self) -> None:
        self._by_step: dict[int, TextVectors] = {}

    def keep(self, step: int, vectors: TextVectors) -> None:
        """Store the vectors that the encoder gives after this step."""
        self._by_step[step] = vectors

    def of(self, step: int, rows: np.ndarray) -> TextVectors | None:
        """Return the vectors after this step; None if some of these corpus rows have none."""
        vectors = self._by_step.get(step)
        return vectors if vectors is not None and vectors.has(rows) else None

    def forget_others(self, steps: Collection[int | None]) -> None:
        """Keep the vectors after these steps only."""
        self._by_step = {step: vectors for step, vectors in self._by_step.items() if step in steps}
