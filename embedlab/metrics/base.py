"""What a metric reads and returns: one number in a known range and the units behind it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from embedlab.baseline_methods import BaselineMethod
from embedlab.errors import CorpusError
from embedlab.measurement import ByDistance, Difference, Measurement, of_each
from embedlab.metrics.split import Split, fold_splits
from embedlab.statistics.intervals import LEVEL, paired_means, paired_shares
from embedlab.vectors.exact import Matrix

Units = Mapping[str, np.ndarray]  # of a measurement, by name: (units,) each


class Material:
    """What a metric reads; the classes below state what a corpus must have."""

    needs: ClassVar[frozenset[str]] = frozenset({"labels"})
    takes_scores: ClassVar[bool] = False  # whether ready-made scores stand in for vectors
    embeds_parts: ClassVar[bool] = False  # parts of texts are embedded; the others use the texts' vectors


def _no_labels() -> CorpusError:
    return CorpusError("W-NO-LABELS", "This metric needs labels, but there are none. Choose a label column.")


@dataclass(frozen=True)
class Labelled(Material):
    """A corpus with labels.  embeddings: (rows, dim), dense or sparse; labels: (rows,) of str or None

    ``paper`` tests the split's test rows; ``cv10`` all labelled ones among ``rows``, and needs no split.
    ``near_duplicates`` says of each row whether, when tested, it has nearly a copy among its train texts.  (rows,) bool
    """

    embeddings: Matrix
    labels: np.ndarray | None
    split: Split | None
    rows: np.ndarray | None = None
    protocol: str = "paper"
    near_duplicates: np.ndarray | None = None
    copies: np.ndarray | None = None  # (rows,) int, the same number for copies of a text

    @property
    def splits(self) -> list[Split]:
        """The split, or the ten of ``cv10``; raises an error without labels."""
        if self.protocol == "cv10":
            return fold_splits(self.labels, self.rows, copies=self.copies)
        if self.split is None:
            raise _no_labels()
        return [self.split]

    @property
    def known_labels(self) -> np.ndarray:
        """The labels of labelled texts; raises an error without any."""
        if self.labels is None:
            raise _no_labels()
        return self.labels


@dataclass(frozen=True)
class ScoredPairs(Material):
    """Two texts and the similarity that people scored. one, other: (pairs, dim), dense or sparse; scores: (pairs,)"""

    needs: ClassVar[frozenset[str]] = frozenset({"scores"})

    one: Matrix
    other: Matrix
    scores: np.ndarray


@dataclass(frozen=True)
class JudgedPairs(Material):
    """Two texts and whether they are paraphrases. one, other: (pairs, dim), dense or sparse; same: (pairs,) bool"""

    one: Matrix
    other: Matrix
    same: np.ndarray


@dataclass(frozen=True)
class Queries(Material):
    """Queries, documents and relevance: ``gains[q]`` maps a document's row to its gain.

    queries: (queries, dim), documents: (documents, dim), dense or sparse; ids: one per document, they decide ties.
    Ready-made ``scores`` (queries, documents), dense or sparse (what is absent is not found), stand in for vectors.
    ``own_documents``: rows of the documents that a query is itself, which it does not find.
    """

    takes_scores: ClassVar[bool] = True

    queries: Matrix | None
    documents: Matrix | None
    ids: list[str]
    gains: list[dict[int, float]]
    scores: Matrix | None = None
    own_documents: list[list[int]] | None = None


@dataclass(frozen=True)
class Candidates(Material):
    """Candidate texts for each query, relevant or not. candidates: (all, dim), owner: (all,) the query's row

    relevant: (all,) bool.  Ready-made ``scores`` (all,) stand in for vectors; then ``queries`` may be None.
    """

    takes_scores: ClassVar[bool] = True

    queries: Matrix | None
    candidates: Matrix | None
    owner: np.ndarray
    relevant: np.ndarray
    scores: np.ndarray | None = None


@dataclass(frozen=True)
class Partners(Material):
    """Two parts of each text; row i of ``one`` should find row i of ``other``. one, other: (texts, dim)

    ``drawn_from``: how many texts have both parts, where these are only some of them.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    embeds_parts: ClassVar[bool] = True

    one: Matrix
    other: Matrix
    drawn_from: int | None = None


class MetricResult(Measurement):
    """One measurement by a metric, its facts, and the per-unit values by which two measurements are compared.

    ``counts`` says what ``n`` are, ``spread`` what ``error`` is.
    """

    counts: str = "test_texts"
    spread: str = "standard_error"
    facts: dict = {}
    units: dict = Field({}, exclude=True, repr=False)  # name -> (units,)

    def as_json(self) -> dict[str, Any]:
        """Under the keys that the command line prints: ``{value, standard_error, test_texts, …}``."""
        numbers = {"value": self.value, self.spread: self.error, self.counts: self.n}
        return {name: number for name, number in numbers.items() if number is not None} | self.facts


_MENDS = {"titles": "Choose a title column.", "summaries": "Choose such a column, or make some."}


class Metric(ABC):
    """Registered in ``METRICS``; ``reads`` is one of the classes above, which states what a corpus must have."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True
    paper: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()  # keys of report/works.bib
    reads: ClassVar[type[Material]]
    needs: ClassVar[frozenset[str]] = frozenset()  # ``titles``, ``summaries``: besides what its material needs
    by_both: ClassVar[bool] = False  # whether both distances measure it; others do not depend on one
    wants_dense: ClassVar[bool] = False  # not on a dimension a word

    @staticmethod
    @abstractmethod
    def measure(material: Any) -> MetricResult | ByDistance[MetricResult]:
        """The value of the material with its error, its number of units, its facts (``protocol`` …), and the units."""

    @staticmethod
    @abstractmethod
    def difference(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
        """After minus before over the units common to both, which are ``Measured.units`` of both."""


def change_of_right(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
    """The change of the share of right texts (Bonett–Price)."""
    one, other = paired(before, after, "correct")
    return paired_shares(before=one, after=other, level=level)


def change_of_mean(unit: str, *, before: Units, after: Units, level: float = LEVEL, by: str = "rows") -> Difference:
    """The change of the mean of a unit's values, paired over the texts or the queries (Student's t)."""
    one, other = paired(before, after, unit, by)
    return paired_means(before=one, after=other, level=level)


def mean_of(values: np.ndarray) -> Measurement:
    """The mean over units with its standard error. values: (units,)"""
    n = len(values)
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
    return Measurement(value=float(values.mean()), error=error, n=n)


def changes(
    metric: type[Metric],
    *,
    before: MetricResult | ByDistance[MetricResult],
    after: MetricResult | ByDistance[MetricResult],
) -> Difference | ByDistance[Difference]:
    """After minus before over the common units, by each distance where both measure it."""
    return of_each(lambda one, other: metric.difference(before=one.units, after=other.units), before, after)


def needs_of(metric: type[Metric]) -> frozenset[str]:
    """What a corpus must have: ``labels``, ``titles``, ``summaries``; only a file has ``scores``."""
    return metric.reads.needs | metric.needs


def why_not_served(metric: type[Metric], *, name: str, no_labels: str | None, has: Collection[str]) -> str | None:
    """Why a corpus cannot serve a metric, as a sentence, or None; ``no_labels`` says why labels do not suffice."""
    needs = needs_of(metric)
    if "scores" in needs:
        return f"{metric.title} needs a file of scored pairs; a labeled corpus has none. Give one."
    if "labels" in needs and no_labels is not None:
        return no_labels
    missing = [need for need in _MENDS if need in needs - set(has)]
    return f"{metric.title} needs {missing[0]}, but {name!r} has none. {_MENDS[missing[0]]}" if missing else None


def why_no_baseline(metric: type[Metric], baseline: BaselineMethod) -> str | None:
    """Why a baseline cannot be measured by a metric, as a sentence, or None."""
    if not baseline.gives_vectors and not metric.reads.takes_scores:
        return f"{baseline.title} only scores documents for queries: retrieval and reranking."
    if baseline.is_sparse and metric.wants_dense:
        return f"{metric.title} needs a few dense dimensions, not one for every word."
    return None


def paired(before: Units, after: Units, name: str, by: str = "rows") -> list[np.ndarray]:
    """The array ``name`` of both sides, over the rows (or queries) that both sides have.  -> 2 x (common,)"""
    _, one, other = np.intersect1d(before[by], after[by], return_indices=True)
    return [before[name][one], after[name][other]]
