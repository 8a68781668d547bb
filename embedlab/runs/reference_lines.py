"""``references.json`` of a corpus: what TF-IDF and SVD get right of its test texts, measured once and kept there."""

from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from embedlab.distance import COSINE
from embedlab.metrics.votes import KNNResult, share
from embedlab.store_root import read_json, write_json

REFERENCES_FILE = "references.json"


class KeptLine(BaseModel):
    """kNN accuracy of one reference, and the test texts that it gets right.

    Its rows have length one, so cosine orders texts as Euclidean distance does and ``cosine`` is ``value`` again.
    """

    model_config = ConfigDict(frozen=True)

    value: float
    standard_error: float
    test_texts: int
    k: int = 10
    zero_vectors: int = 0
    distance: str = "euclidean"
    protocol: str = "paper"
    counted: str | None = None  # words or characters, as ``counting.unit_of`` tells; None in older files
    cosine: float | None = None  # None in older files
    correct_rows: list[int]
    folds: "KeptLine | None" = None  # on all labelled texts, where that was measured

    @classmethod
    def of(cls, result: KNNResult, counted: str) -> "KeptLine":
        """What is kept of a measurement that ``counted`` words or characters."""
        right = result.test_rows[result.correct].tolist()
        return cls(**result.as_json(), counted=counted, cosine=result.value, correct_rows=right)

    def right(self, rows: np.ndarray) -> np.ndarray:
        """Which of these texts it gets right.  rows: (texts,) of the corpus -> (texts,) bool"""
        return np.isin(rows, self.correct_rows)

    def on(self, rows: np.ndarray) -> dict:
        """The line on these of its test texts alone: what stands beside a run's accuracy.  rows: (texts,)"""
        value, error = share(self.right(rows))
        known = self.model_dump(exclude={"correct_rows", "folds"})
        return known | {"value": value, "standard_error": error, "test_texts": len(rows), COSINE: value}


def read_lines(file: Path) -> dict[str, KeptLine]:
    """By key; empty where nothing was measured."""
    try:
        return {key: KeptLine.model_validate(line) for key, line in read_json(file).items()}
    except (FileNotFoundError, ValueError):
        return {}


def write_lines(file: Path, lines: dict[str, KeptLine]) -> None:
    """All of them, whole."""
    write_json(file, {key: line.model_dump(exclude_none=True) for key, line in lines.items()})


def lines_on(lines: dict[str, KeptLine], rows: np.ndarray) -> dict[str, dict]:
    """Each on these of its test texts alone."""
    return {key: line.on(rows) for key, line in lines.items()}


def right_by(lines: dict[str, KeptLine], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Which of these texts each gets right.  rows: (texts,) -> (texts,) bool each"""
    return {key: line.right(rows) for key, line in lines.items()}
