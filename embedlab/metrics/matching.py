"""SemCSE's matching: at which rank a part of a text finds its other part among all (sections 5.1 and 5.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics.base import Measured, Partners, paired
from embedlab.metrics.exact import is_sparse, products, squared_lengths, transposed, usable
from embedlab.sentences import sentences
from embedlab.statistics.intervals import LEVEL, Difference, paired_means

CHUNK_NUMBERS = 2**22
MOST_OPEN = 0.005  # of all pairs: each takes far longer than a number of the product
SAME = 1e-12  # squared distances this close, by the squared lengths, are the same: rounding errors of the product
OTHER = {"euclidean": "cosine", "cosine": "euclidean"}


@dataclass(frozen=True)
class Matching:
    """One of the three matching tasks; they differ in the parts of a text, not in the number.

    ``parts`` of a row of a corpus: the one that searches and the one that is to be found, None where it has none.
    """

    key: str
    title: str
    sentence: str
    range: tuple[float, float] = (1.0, np.inf)
    higher_is_better: bool = False
    paper: str = "semcse"
    reads: type = Partners
    parts: Callable[[Any, int], tuple[str, str] | None] = lambda corpus, row: halves(corpus.texts[row])
    needs: frozenset[str] = frozenset()

    @staticmethod
    def measure(material: Partners) -> Measured:
        """The mean rank: 1 when each finds its partner first, (n + 1) / 2 for constant vectors, n for zero vectors."""
        n = material.one.shape[0]
        if n < 2:
            raise CorpusError(
                "E-FEW-TEXTS", f"Matching needs at least two texts with both parts, but found {n}. Add such texts."
            )
        both = partner_ranks(queries=material.one, partners=material.other)
        ranks, other = both[material.distance], OTHER[material.distance]
        facts = {
            "standard_error": float(ranks.std(ddof=1) / np.sqrt(n)),
            "median_rank": float(np.median(ranks)),
            "first_share": float((ranks == 1).mean()),
            "mrr": float((1 / ranks).mean()),
            "candidates": n,
            "distance": material.distance,
            other: float(both[other].mean()),
            "zero_vectors": int((~(usable(material.one) & usable(material.other))).sum()),
        }
        return Measured(float(ranks.mean()), facts, {"rows": np.arange(n), "ranks": ranks})

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of the mean rank, paired over the texts (Student's t); below zero is better."""
        one, other = paired(before, after, "ranks")
        return paired_means(before=one, after=other, level=level)


def _summary_and_text(corpus, row: int) -> tuple[str, str]:
    title = corpus.titles[row] if corpus.titles is not None else ""
    return corpus.summaries[row][0] if corpus.summaries[row] else "", f"{title} {corpus.texts[row]}".strip()


MATCH_TITLE = Matching(
    "match-title",
    "Title matching",
    "At which rank a title finds its own text among all.",
    parts=lambda corpus, row: (corpus.titles[row], corpus.texts[row]),
    needs=frozenset({"titles"}),
)
MATCH_HALVES = Matching("match-halves", "Halves matching", "At which rank the first half of a text finds the second.")
MATCH_QUERY = Matching(
    "match-query",
    "Query matching",
    "At which rank a summary or query finds its text among all.",
    parts=_summary_and_text,
    needs=frozenset({"summaries"}),
)


def partner_ranks(*, queries: np.ndarray, partners: np.ndarray) -> dict[str, np.ndarray]:
    """By each distance the rank of row i of ``partners`` for row i of ``queries``, from 1.

    Candidates equally near get their mean rank; where one of the two is zero or not finite the rank is n.
    queries, partners: (n, dim), dense or sparse -> (n,) each
    """
    n = queries.shape[0]
    good_partner = usable(partners)
    rows = np.flatnonzero(usable(queries) & good_partner)
    ranks = {distance: np.full(n, float(n)) for distance in OTHER}
    if len(rows) == 0:
        return ranks
    place = (np.cumsum(good_partner) - 1)[rows]  # of each one's own among the usable partners
    among = _Candidates(partners[np.flatnonzero(good_partner)])
    for start in range(0, len(rows), step := max(1, CHUNK_NUMBERS // len(among.squares))):
        chunk = slice(start, start + step)
        for distance, values in among.ranks(queries[rows[chunk]], place[chunk]).items():
            ranks[distance][rows[chunk]] = values
    return ranks


class _Candidates:
    """Those among which partners are found: one product of float32 tells nearly every pair apart, by both distances."""

    def __init__(self, partners: np.ndarray):
        points = partners.astype(np.float64)
        self.scale = np.sqrt(squared_lengths(points).max())
        self.points = points / self.scale
        self.squares = squared_lengths(self.points)
        self.lengths = np.sqrt(self.squares)
        self.columns = transposed(self.points)
        self.quick = None if is_sparse(points) or self.lengths.min() < 1e-3 else self.columns.astype(np.float32)

    def ranks(self, queries: np.ndarray, place: np.ndarray) -> dict[str, np.ndarray]:
        """(chunk, dim), (chunk,): which candidate is each one's own -> (chunk,) by each distance"""
        q = queries.astype(np.float64) / self.scale
        squares = squared_lengths(q)
        own = (
            q.multiply(self.points[place]).sum(axis=1) if is_sparse(q) else np.einsum("ij,ij->i", q, self.points[place])
        )
        asked = _Asked(q, squares, np.sqrt(squares), place, np.asarray(own).ravel())
        found = None
        if self.quick is not None and 1e-3 < asked.lengths.min() and asked.lengths.max() < 1e3:
            found = self._by_float32(asked)
        return found if found is not None else self._by_float64(asked)

    def _by_float64(self, asked: "_Asked") -> dict[str, np.ndarray]:
        dots, found = products(asked.q, self.columns), {}  # (chunk, candidates)
        for distance in OTHER:
            near = self._near(distance, dots, asked.lengths[:, None], slice(None))
            own, error = self._own(distance, asked)
            ahead = (near < (own - error)[:, None]).sum(axis=1)
            found[distance] = 1 + ahead + ((np.abs(near - own[:, None]) <= error[:, None]).sum(axis=1) - 1) / 2
        return found

    def _by_float32(self, asked: "_Asked") -> dict[str, np.ndarray] | None:
        """None where more pairs are left open than would be worth it: vectors that hardly differ, or all of them."""
        dots, found = asked.q.astype(np.float32) @ self.quick, {}  # (chunk, candidates)
        bound = 2 * (self.points.shape[1] + 8) * 2.0**-24  # of the error of such a product, times both lengths
        for distance in OTHER:
            near = self._near(distance, dots, asked.lengths.astype(np.float32)[:, None], slice(None), np.float32)
            own, error = self._own(distance, asked)
            doubt = error + bound * ((asked.lengths + 1) * (1 if distance == "euclidean" else 1 / asked.lengths))
            low, high = ((own + side * doubt).astype(np.float32)[:, None] for side in (-1, 1))
            is_open = (near >= low) & (near <= high)
            if np.count_nonzero(is_open) > MOST_OPEN * is_open.size:
                return None
            at, among = np.nonzero(is_open)
            exact = np.einsum("ij,ij->i", asked.q[at], self.points[among])
            exact = self._near(distance, exact, asked.lengths[at], among)
            ahead = np.count_nonzero(near < low, axis=1) + np.bincount(at, exact < (own - error)[at], len(own))
            same = np.bincount(at, np.abs(exact - own[at]) <= error[at], len(own))
            found[distance] = 1 + ahead + (same - 1) / 2
        return found

    def _near(self, distance: str, dots: np.ndarray, lengths: np.ndarray, among, dtype=np.float64) -> np.ndarray:
        """What grows with the distance; up to a constant per query."""
        if distance == "euclidean":
            return self.squares[among].astype(dtype) - 2 * dots
        return dots / -(lengths * self.lengths[among].astype(dtype))

    def _own(self, distance: str, asked: "_Asked") -> tuple[np.ndarray, np.ndarray]:
        """The same of each one's own partner, and how much is a rounding error.  -> (chunk,), (chunk,)"""
        own = self._near(distance, asked.own, asked.lengths, asked.place)
        return own, SAME * (asked.squares + 1 if distance == "euclidean" else np.full(len(own), 2.0))


@dataclass(frozen=True)
class _Asked:
    q: np.ndarray  # (chunk, dim)
    squares: np.ndarray  # (chunk,)
    lengths: np.ndarray  # (chunk,)
    place: np.ndarray  # (chunk,)
    own: np.ndarray  # (chunk,): products with one's own partner


def halves(text: str) -> tuple[str, str] | None:
    """The first ⌈s/2⌉ of the s sentences of a text, and the rest; None with fewer than two."""
    found = [sentence for sentence in sentences(text) if sentence.strip()]
    if len(found) < 2:
        return None
    middle = (len(found) + 1) // 2
    return "".join(found[:middle]).strip(), "".join(found[middle:]).strip()
