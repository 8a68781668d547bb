"""``references-3.json`` of a corpus: which test texts TF-IDF and SVD get right, measured once and stored."""

from pathlib import Path
from typing import Self

import numpy as np

from embedlab.damage import read_model_if_whole
from embedlab.measurement import ByDistance, Measurement, ResultPart
from embedlab.metrics.votes import KNNResult, share
from embedlab.store_root import write_json
from embedlab.update import update

REFERENCES_FILE = "references-3.json"  # the number changes whenever the same texts give other values


class ReferenceLine(ResultPart):
    """kNN accuracy of TF-IDF or SVD. Rows have length one, so both distances rank texts alike."""

    measured: ByDistance[Measurement]
    counted: str  # words or characters, as ``counting.unit_of`` tells
    k: int
    zero_vectors: int
    protocol: str


class KeptLine(ReferenceLine):
    """The same with the test texts it gets right; ``folds``: over ten folds, if measured."""

    correct_rows: list[int]
    folds: Self | None = None

    @classmethod
    def of(cls, result: KNNResult, counted: str) -> "KeptLine":
        """What to store of a measurement that ``counted`` words or characters."""
        facts = {name: getattr(result, name) for name in ("k", "zero_vectors", "protocol")}
        measured = ByDistance.of(lambda _: result.measurement)
        return cls(measured=measured, counted=counted, correct_rows=result.test_rows[result.correct].tolist(), **facts)

    def right(self, rows: np.ndarray) -> np.ndarray:
        """Which of these texts it gets right.  rows: (texts,) of the corpus -> (texts,) bool"""
        return np.isin(rows, self.correct_rows)

    def on(self, rows: np.ndarray) -> ReferenceLine:
        """The line on a subset of its test texts, for comparison with a run's accuracy. rows: (texts,)"""
        value, error = share(self.right(rows))
        measured = ByDistance.of(lambda _: Measurement(value=value, error=error, n=len(rows)))
        facts = {name: getattr(self, name) for name in ("counted", "k", "zero_vectors", "protocol")}
        return ReferenceLine(measured=measured, **facts)


def read_lines(file: Path) -> dict[str, KeptLine]:
    """By key; empty if nothing was measured, or the file is damaged."""
    return read_model_if_whole(file, dict[str, KeptLine]) or {}


def write_lines(file: Path, lines: dict[str, KeptLine]) -> None:
    """Write all of them."""
    write_json(file, {key: line.model_dump(mode="json", exclude_none=True) for key, line in lines.items()})


def keep_lines(file: Path, lines: dict[str, KeptLine]) -> None:
    """Store lines. The folds that another process measured meanwhile stay, unless these lines have folds."""

    def changed(stored: dict[str, KeptLine]) -> dict[str, KeptLine]:
        folds = {key: line.folds for key, line in stored.items()}
        merged = {key: line.model_copy(update={"folds": line.folds or folds.get(key)}) for key, line in lines.items()}
        return stored | merged

    update(file, changed, read=read_lines, write=write_lines)


def lines_on(lines: dict[str, KeptLine], rows: np.ndarray) -> dict[str, ReferenceLine]:
    """Each on this subset of its test texts."""
    return {key: line.on(rows) for key, line in lines.items()}


def right_by(lines: dict[str, KeptLine], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Which of these texts each gets right.  rows: (texts,) -> (texts,) bool each"""
    return {key: line.right(rows) for key, line in lines.items()}
