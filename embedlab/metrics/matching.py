"""SemCSE's matching: the rank at which one part of a text finds its other part among all (sections 5.1 and 5.2)."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import Metric, MetricResult, Partners, Units, mean_of, paired
from embedlab.sentences import sentences
from embedlab.statistics.intervals import LEVEL, paired_means
from embedlab.vectors.exact import is_sparse, products, squared_lengths, transposed, unit_rows, usable


class CorpusColumns(Protocol):
    """The columns that parts of texts are taken from."""

    texts: Sequence[str]
    titles: Sequence[str] | None
    summaries: Sequence[Sequence[str]] | None


class Matching(Metric):
    """A matching task; tasks differ only in the parts of a text that they match."""

    range = (1.0, np.inf)
    higher_is_better = False
    paper = "semcse"
    reads = Partners

    @staticmethod
    @abstractmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str] | None:
        """The querying part and the target part of a corpus row, or None if it lacks one."""

    @staticmethod
    def measure(material: Partners) -> MetricResult:
        """The mean rank by Euclidean distance, and by cosine beside it: 1 if each finds its partner first, (n + 1) / 2
        for constant vectors, n for zero vectors.
        """
        n = material.one.shape[0]
        if n < 2:
            raise CorpusError(
                "E-FEW-TEXTS", f"Matching needs at least two texts with both parts, but found {n}. Add such texts."
            )
        by = ranks_by(queries=material.one, partners=material.other, distances=(EUCLIDEAN, COSINE))
        ranks = by[EUCLIDEAN]
        facts = {
            "median_rank": float(np.median(ranks)),
            "first_share": float((ranks == 1).mean()),
            "mrr": float((1 / ranks).mean()),
            **({} if material.drawn_from is None else {"drawn_from": material.drawn_from}),
            "distance": EUCLIDEAN,
            COSINE: float(by[COSINE].mean()),
            "zero_vectors": int((~(usable(material.one) & usable(material.other))).sum()),
        }
        units = {"rows": np.arange(n), "ranks": ranks, "candidates": np.full(n, n)}
        return MetricResult(**dict(mean_of(ranks)), counts="candidates", facts=facts, units=units)

    @staticmethod
    def difference(*, before: Units, after: Units, level: float = LEVEL) -> Difference:
        """The change of the mean rank, paired over the texts (Student's t); below zero is better.

        Ranks among different numbers of texts do not compare and are left out.
        """
        one, other = paired(before, after, "ranks")
        alike = np.equal(*paired(before, after, "candidates"))
        return paired_means(before=one[alike], after=other[alike], level=level)


def _title(corpus: CorpusColumns, row: int) -> str:
    return corpus.titles[row] if corpus.titles is not None else ""


def _first_summary(corpus: CorpusColumns, row: int) -> str:
    assert corpus.summaries is not None, "a corpus without summaries was let through"
    return corpus.summaries[row][0] if corpus.summaries[row] else ""


class TitleMatching(Matching):
    """A title queries its text."""

    key = "match-title"
    title = "Title matching"
    sentence = "The rank at which a title retrieves its own text among all."
    needs = frozenset({"titles"})

    @staticmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str]:
        return _title(corpus, row), corpus.texts[row]


class HalvesMatching(Matching):
    """The first half of a text queries the second."""

    key = "match-halves"
    title = "Halves matching"
    sentence = "The rank at which the first half of a text retrieves the second."

    @staticmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str] | None:
        return halves(corpus.texts[row])


class QueryMatching(Matching):
    """A summary queries the title with the text."""

    key = "match-query"
    title = "Query matching"
    sentence = "The rank at which a summary or query retrieves its text among all."
    needs = frozenset({"summaries"})

    @staticmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str]:
        return _first_summary(corpus, row), f"{_title(corpus, row) or ''} {corpus.texts[row]}".strip()


class QueryToTitle(Matching):
    """A summary queries the title."""

    key = "match-query-title"
    title = "Query to title"
    sentence = "The rank at which a summary or query retrieves its text from the title alone."
    needs = frozenset({"summaries", "titles"})

    @staticmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str]:
        return _first_summary(corpus, row), _title(corpus, row)


class QueryToText(Matching):
    """A summary queries the text."""

    key = "match-query-text"
    title = "Query to text without title"
    sentence = "The rank at which a summary or query retrieves its text without the title."
    needs = frozenset({"summaries", "titles"})

    @staticmethod
    def parts(corpus: CorpusColumns, row: int) -> tuple[str, str]:
        return _first_summary(corpus, row), corpus.texts[row]


def halves(text: str) -> tuple[str, str] | None:
    """The first ⌈s/2⌉ of the s sentences of a text, and the rest; None with fewer than two."""
    parts = [sentence for sentence in sentences(text) if sentence.strip()]
    if len(parts) < 2:
        return None
    middle = (len(parts) + 1) // 2
    return "".join(parts[:middle]).strip(), "".join(parts[middle:]).strip()


CHUNK_NUMBERS = 2**22
SAME = 1e-12  # squared distances this close, by the squared lengths, are the same: rounding errors of the product
HALF_UNIT = 2.0**-24  # by how much float32 rounds a number, relative to it
MOST_OPEN = 1 / 200  # of a chunk's candidates; with more left open the whole chunk in float64 is faster


def ranks_by(*, queries: np.ndarray, partners: np.ndarray, distances: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The rank, from 1, of row i of ``partners`` for row i of ``queries``, by each distance; ties get their mean rank.

    queries, partners: (n, dim), dense or sparse -> (n,); where one of the two is zero or not finite the rank is n.
    """
    n = queries.shape[0]
    good_partner = usable(partners)
    rows = np.flatnonzero(usable(queries) & good_partner)
    ranks = {distance: np.full(n, float(n)) for distance in distances}
    if len(rows) == 0:
        return ranks
    candidate_of = np.cumsum(good_partner) - 1  # of each row among the usable partners
    candidates = partners[np.flatnonzero(good_partner)]
    exact = {distance: _Exact(candidates, distance) for distance in distances}
    rounded = None if is_sparse(candidates) else _Rounded(candidates)
    step = max(1, CHUNK_NUMBERS // candidates.shape[0])
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        partner = candidate_of[chunk]
        rounded_ranks = {} if rounded is None else rounded.ranks(queries[chunk], partner, exact)
        for distance in distances:
            chunk_ranks = rounded_ranks.get(distance)
            ranks[distance][chunk] = (
                exact[distance].ranks(queries[chunk], partner) if chunk_ranks is None else chunk_ranks
            )
    return ranks


class _Exact:
    """Squared distances to all candidates in float64, up to a constant per query."""

    def __init__(self, candidates: np.ndarray, distance: str):
        self.candidates, self.distance = candidates, distance
        self.squares = squared_lengths(self.measured(candidates))
        self.longest = self.squares.max()

    def ranks(self, queries: np.ndarray, partner: np.ndarray) -> np.ndarray:
        """(queries, dim), (queries,) -> (queries,)"""
        q = self.measured(queries)
        near = self.squares - 2 * products(q, self._columns)  # (queries, candidates)
        at_own, error = near[np.arange(len(partner)), partner][:, None], self.error(q)[:, None]
        ahead, same = (near < at_own - error).sum(axis=1), (np.abs(near - at_own) <= error).sum(axis=1)
        return 1 + ahead + (same - 1) / 2

    def of_pairs(self, queries: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Of row i of ``queries`` to the candidate at ``places[i]``.  (pairs, dim), (pairs,) -> (pairs,)"""
        q, candidates = self.measured(queries), self.measured(self.candidates[places])
        return self.squares[places] - 2 * np.einsum("ij,ij->i", q, candidates)

    def error(self, q: np.ndarray) -> np.ndarray:
        """The difference below which two squared distances count as equal. (queries, dim) -> (queries,)"""
        return SAME * (squared_lengths(q) + self.longest)

    @cached_property
    def _columns(self) -> np.ndarray:
        return transposed(self.measured(self.candidates))

    def measured(self, embeddings: np.ndarray) -> np.ndarray:
        """The vectors as this distance compares them, in float64."""
        return unit_rows(embeddings) if self.distance == "cosine" else embeddings.astype(np.float64)


@dataclass(frozen=True)
class _Seen:
    """A chunk's products by one distance: (queries, candidates), those of the partners (queries,), and their error."""

    values: np.ndarray
    partner: np.ndarray
    error: np.ndarray


class _Rounded:
    """Unit rows of the candidates in float32, used for ranks that float64 need not settle.

    Both distances are read off one product of unit rows. It is rounded by at most (dim + 2) / 2²⁴, so that all but the
    few candidates within this of its partner surely lie before or behind it; those few are compared in float64.
    """

    def __init__(self, candidates: np.ndarray):
        self.columns = unit_rows(candidates).astype(np.float32).T  # (dim, candidates)
        self.lengths = _lengths(candidates)
        self.error = (candidates.shape[1] + 8) * HALF_UNIT  # of the product, and of what is done with it

    def ranks(self, queries: np.ndarray, partner: np.ndarray, exact: dict[str, _Exact]) -> dict[str, np.ndarray | None]:
        """By each distance; None if too much remains undecided. (queries, dim), (queries,) -> (queries,)"""
        cosines = unit_rows(queries).astype(np.float32) @ self.columns  # (queries, candidates)
        by_distance = {}
        for distance, judge in exact.items():
            at_own = judge.of_pairs(queries, partner)
            if distance == "cosine":
                seen = _Seen(-cosines, (at_own - 1) / 2, np.full(len(at_own), self.error))
            else:
                seen = self._by_length(cosines, queries, at_own)
            by_distance[distance] = _decided(seen, queries, at_own, judge)
        return by_distance

    def _by_length(self, cosines: np.ndarray, queries: np.ndarray, at_own: np.ndarray) -> _Seen:
        """|p|² − 2 |q| |p| cosine, divided by 2 |q| and the length of the longest candidate."""
        q, longest = _lengths(queries), self.lengths.max()
        share = (self.lengths / longest).astype(np.float32)
        values = (self.lengths / 2).astype(np.float32) / q[:, None].astype(np.float32)
        values -= cosines
        values *= share
        error = self.error + 8 * HALF_UNIT * longest / (2 * q) + SAME * (q / longest + longest / q)
        return _Seen(values, at_own / (2 * q * longest), error)


def _decided(seen: _Seen, queries: np.ndarray, at_own: np.ndarray, judge: _Exact) -> np.ndarray | None:
    ahead = seen.values < (seen.partner - seen.error).astype(np.float32)[:, None]
    behind = seen.values > (seen.partner + seen.error).astype(np.float32)[:, None]
    left_open = np.flatnonzero(ahead == behind)  # neither: what is not a number, too
    if len(left_open) > MOST_OPEN * ahead.size + len(queries):
        return None
    query, candidate = np.divmod(left_open, ahead.shape[1])
    apart = judge.of_pairs(queries[query], candidate) - at_own[query]
    error = judge.error(judge.measured(queries))[query]
    counted = np.where(apart < -error, 1.0, np.where(apart <= error, 0.5, 0.0))
    return 0.5 + np.count_nonzero(ahead, axis=1) + np.bincount(query, counted, minlength=len(queries))


def _lengths(embeddings: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.asarray(embeddings, np.float64), axis=1)
