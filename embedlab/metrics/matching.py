"""SemCSE's matching: at which rank a part of a text finds its other part among all (sections 5.1 and 5.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import Measured, Partners, paired
from embedlab.metrics.exact import usable
from embedlab.metrics.partner_ranks import ranks_by
from embedlab.sentences import sentences
from embedlab.statistics.intervals import LEVEL, paired_means

OTHER = {"euclidean": "cosine", "cosine": "euclidean"}


@dataclass(frozen=True)
class Matching:
    """One of the matching tasks; they differ in the parts of a text, not in the number.

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
        other = OTHER[material.distance]
        by = ranks_by(queries=material.one, partners=material.other, distances=(material.distance, other))
        ranks = by[material.distance]
        facts = {
            "median_rank": float(np.median(ranks)),
            "first_share": float((ranks == 1).mean()),
            "mrr": float((1 / ranks).mean()),
            **({} if material.drawn_from is None else {"drawn_from": material.drawn_from}),
            "distance": material.distance,
            other: float(by[other].mean()),
            "zero_vectors": int((~(usable(material.one) & usable(material.other))).sum()),
        }
        value, error = float(ranks.mean()), float(ranks.std(ddof=1) / np.sqrt(n))
        units = {"rows": np.arange(n), "ranks": ranks, "candidates": np.full(n, n)}
        return Measured(value=value, error=error, n=n, counts="candidates", facts=facts, units=units)

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of the mean rank, paired over the texts (Student's t); below zero is better.

        Ranks among different numbers of texts do not compare and are left out.
        """
        one, other = paired(before, after, "ranks")
        alike = np.equal(*paired(before, after, "candidates"))
        return paired_means(before=one[alike], after=other[alike], level=level)


def _first_summary(corpus, row: int) -> str:
    return corpus.summaries[row][0] if corpus.summaries[row] else ""


def _summary_and_text(corpus, row: int) -> tuple[str, str]:
    title = corpus.titles[row] if corpus.titles is not None else ""
    return _first_summary(corpus, row), f"{title or ''} {corpus.texts[row]}".strip()


MATCH_TITLE = Matching(
    "match-title",
    "Title matching",
    "The rank at which a title retrieves its own text among all.",
    parts=lambda corpus, row: (corpus.titles[row], corpus.texts[row]),
    needs=frozenset({"titles"}),
)
MATCH_HALVES = Matching(
    "match-halves", "Halves matching", "The rank at which the first half of a text retrieves the second."
)
MATCH_QUERY = Matching(
    "match-query",
    "Query matching",
    "The rank at which a summary or query retrieves its text among all.",
    parts=_summary_and_text,
    needs=frozenset({"summaries"}),
)
MATCH_QUERY_TITLE = Matching(
    "match-query-title",
    "Query to title",
    "The rank at which a summary or query retrieves its text from the title alone.",
    parts=lambda corpus, row: (_first_summary(corpus, row), corpus.titles[row]),
    needs=frozenset({"summaries", "titles"}),
)
MATCH_QUERY_TEXT = Matching(
    "match-query-text",
    "Query to text without title",
    "The rank at which a summary or query retrieves its text without the title.",
    parts=lambda corpus, row: (_first_summary(corpus, row), corpus.texts[row]),
    needs=frozenset({"summaries", "titles"}),
)


def halves(text: str) -> tuple[str, str] | None:
    """The first ⌈s/2⌉ of the s sentences of a text, and the rest; None with fewer than two."""
    parts = [sentence for sentence in sentences(text) if sentence.strip()]
    if len(parts) < 2:
        return None
    middle = (len(parts) + 1) // 2
    return "".join(parts[:middle]).strip(), "".join(parts[middle:]).strip()
