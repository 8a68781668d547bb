"""Retrieval: how high the relevant documents of a query stand, as nDCG@10 (BEIR's number, LA(SER)³ Table 3).

scikit-learn's ``ndcg_score`` averages over equal scores, where trec_eval has an order, and wants a dense score of every
document.
"""

import numpy as np

from embedlab.errors import CorpusError
from embedlab.measurement import Difference
from embedlab.metrics.base import Measured, Queries, paired
from embedlab.metrics.ranking import DEPTH, Ranking, rank
from embedlab.statistics.intervals import LEVEL, paired_means


class Retrieval:
    """Exact search by cosine; the numbers are trec_eval's."""

    key = "retrieval"
    title = "Retrieval nDCG@10"
    sentence = "How high the relevant texts stand among the ten found for a query."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = "laser3"
    reads = Queries

    @staticmethod
    def measure(material: Queries) -> Measured:
        """1 when each query finds its relevant documents first, in the order of their gains; 0 when it finds none.

        Beside it recall, MAP and MRR. Queries without a relevant document are dropped and counted.
        """
        judged = np.array([q for q, gains in enumerate(material.gains) if _relevant(gains)], int)
        if len(judged) == 0:
            raise CorpusError(
                "E-NO-RELEVANT",
                f"Retrieval needs queries with a relevant text, but none of the {len(material.gains):,} queries names"
                " one. Give each query the ids of its relevant texts.",
            )
        units = quality(rank(material), material.gains, judged)
        facts = {name: float(values.mean()) for name, values in units.items() if name != "ndcg@10"}
        value, n = float(units["ndcg@10"].mean()), len(judged)
        error = float(units["ndcg@10"].std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
        facts["dropped"] = len(material.gains) - n
        units = {"queries": judged, **units}
        return Measured(value=value, error=error, n=n, counts="queries", facts=facts, units=units)

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of nDCG@10, paired over the queries (Student's t)."""
        one, other = paired(before, after, "ndcg@10", by="queries")
        return paired_means(before=one, after=other, level=level)


def quality(ranking: Ranking, gains: list[dict[int, float]], judged: np.ndarray) -> dict[str, np.ndarray]:
    """What a ranking is worth per judged query.  -> each (judged,)

    nDCG@10: linear gain, 1 / log2(rank + 1), ideal over all relevant; recall@k: hits / relevant; ``map@100`` divides by
    the relevant documents (trec_eval, mteb), ``map@100_found`` by those among the hundred (USEB).
    """
    found = np.zeros((len(judged), DEPTH))  # gain of the document at each rank
    relevant, ideal = np.zeros(len(judged)), np.zeros(len(judged))
    discount = 1 / np.log2(np.arange(2, 12))
    for place, q in enumerate(judged):
        gain_of = _relevant(gains[q])
        line = ranking.documents[q].tolist()
        found[place, : len(line)] = [gain_of.get(document, 0.0) for document in line]
        best = np.sort(list(gain_of.values()))[::-1][:10]
        relevant[place], ideal[place] = len(gain_of), best @ discount[: len(best)]
    hit = found > 0
    hits = hit.sum(axis=1)
    precisions = (hit * np.cumsum(hit, axis=1) / np.arange(1, DEPTH + 1)).sum(axis=1)
    first = ranking.first[judged]
    reciprocal = np.where(first > 0, 1 / np.maximum(first, 1), 0.0)
    return {
        "ndcg@10": found[:, :10] @ discount / ideal,
        "recall@10": hit[:, :10].sum(axis=1) / relevant,
        "recall@100": hits / relevant,
        "map@100": precisions / relevant,
        "map@100_found": precisions / np.maximum(hits, 1),
        "mrr@10": np.where(first <= 10, reciprocal, 0.0),
        "mrr": reciprocal,
    }


def _relevant(gains: dict[int, float]) -> dict[int, float]:
    return {document: gain for document, gain in gains.items() if gain > 0}
