"""What a metric reads and gives: one number in a known range and the units it was made of."""

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics.intervals import LEVEL, Difference
from embedlab.metrics.split import Split, fold_splits


class GraphLike(Protocol):
    """Nearest first, the text itself left out, -1 where there is no neighbor.  indices, distances: (rows, neighbors)"""

    indices: np.ndarray
    distances: np.ndarray
    distance: str


@dataclass(frozen=True)
class Labelled:
    """A corpus with labels.  embeddings: (rows, dim), dense or sparse; labels: (rows,) of str or None

    ``paper`` tests the split's test rows; ``cv10`` all labelled ones among ``rows``, and needs no split.
    ``near_duplicates`` says of each row whether, when tested, it has nearly a copy among its train texts.  (rows,) bool
    """

    embeddings: np.ndarray
    labels: np.ndarray | None
    split: Split | None
    rows: np.ndarray | None = None
    protocol: str = "paper"
    graph: GraphLike | None = None
    near_duplicates: np.ndarray | None = None
    copies: np.ndarray | None = None  # (rows,) int, the same number for copies of a text

    @property
    def splits(self) -> list[Split]:
        """The split, or the ten of ``cv10``; without labels an error says so."""
        if self.protocol == "cv10":
            return fold_splits(self.labels, self.rows, copies=self.copies)
        if self.split is None:
            raise CorpusError("W-NO-LABELS", "This metric needs labels, but found none. Choose a label column.")
        return [self.split]


@dataclass(frozen=True)
class ScoredPairs:
    """Two texts and how similar people found them.  one, other: (pairs, dim), dense or sparse; scores: (pairs,)"""

    one: np.ndarray
    other: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class JudgedPairs:
    """Two texts and whether they say the same.  one, other: (pairs, dim), dense or sparse; same: (pairs,) bool"""

    one: np.ndarray
    other: np.ndarray
    same: np.ndarray


@dataclass(frozen=True)
class Queries:
    """Queries, documents and which are relevant to which: ``gains[q]`` has a gain by the document's row.

    queries: (queries, dim), documents: (documents, dim), dense or sparse; ids: one per document, they decide ties.
    Ready-made ``scores`` (queries, documents), dense or sparse (what is absent is not found), stand in for vectors.
    """

    queries: np.ndarray | None
    documents: np.ndarray | None
    ids: list[str]
    gains: list[dict[int, float]]
    scores: np.ndarray | None = None


@dataclass(frozen=True)
class Candidates:
    """For each query some texts, relevant or not.  candidates: (all, dim), owner: (all,) the query's row

    relevant: (all,) bool.  Ready-made ``scores`` (all,) stand in for vectors; then ``queries`` may be None.
    """

    queries: np.ndarray | None
    candidates: np.ndarray | None
    owner: np.ndarray
    relevant: np.ndarray
    scores: np.ndarray | None = None


@dataclass(frozen=True)
class Partners:
    """Two parts of each text; row i of ``one`` is to find row i of ``other``.  one, other: (texts, dim)"""

    one: np.ndarray
    other: np.ndarray
    distance: str = "euclidean"


@dataclass(frozen=True)
class Measured:
    """``value``, what belongs beside it, and per unit what two measurements are compared by."""

    value: float
    facts: dict = field(default_factory=dict)
    units: dict[str, np.ndarray] = field(default_factory=dict)

    def as_json(self) -> dict:
        """Without the arrays."""
        return {"value": self.value, **self.facts}


class Metric(Protocol):
    """Registered in ``METRICS``; ``reads`` is one of the classes above.

    One that is measured by both distances says so in ``distances``; ``by_distance.py`` tells how it is read.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    higher_is_better: ClassVar[bool]
    paper: ClassVar[str]
    reads: ClassVar[type]

    @staticmethod
    def measure(material) -> Measured:
        """``value``, its facts (``standard_error``, ``test_texts`` or ``queries``, ``protocol`` …) and its units."""

    @staticmethod
    def difference(*, before: dict[str, np.ndarray], after: dict[str, np.ndarray], level: float = LEVEL) -> Difference:
        """After minus before over the units that both have, which are ``Measured.units`` of both."""


def paired(
    before: dict[str, np.ndarray], after: dict[str, np.ndarray], name: str, by: str = "rows"
) -> list[np.ndarray]:
    """The array ``name`` of both sides, over the rows (or queries) that both sides have.  -> 2 x (common,)"""
    _, one, other = np.intersect1d(before[by], after[by], return_indices=True)
    return [before[name][one], after[name][other]]
