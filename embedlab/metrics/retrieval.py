"""Retrieval: how high the relevant documents of a query rank, as nDCG@10 (BEIR's number, LA(SER)³ Table 3).

scikit-learn's ``ndcg_score`` averages over equal scores, where trec_eval has an order, and wants a dense score of every
document.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics.base import Metric, MetricResult, Queries, change_of_mean, mean_of
from embedlab.vectors.exact import Matrix, is_sparse, products, transposed, unit_rows, usable


@dataclass(frozen=True)
class DocumentRanking:
    """Documents by decreasing similarity, ties by descending id; -1 where nothing was retrieved.

    documents: (queries, depth), first: (queries,) rank of the first relevant one among all, 0 where none was found
    """

    documents: np.ndarray
    first: np.ndarray


class RankedRetrieval(Metric):
    """Exact search by cosine, scored as trec_eval does."""

    key = "retrieval"
    title = "Retrieval nDCG@10"
    sentence = "How high the relevant texts rank among the ten retrieved for a query."
    paper = "laser3"
    reads = Queries

    @staticmethod
    def measure(material: Queries) -> MetricResult:
        """1 if each query ranks its relevant documents first, by gain; 0 if it retrieves none.

        Beside it recall, MAP and MRR. Queries without a relevant document are dropped and counted.
        """
        judged = np.array([q for q, gains in enumerate(material.gains) if _relevant(gains)], int)
        if len(judged) == 0:
            raise CorpusError(
                "E-NO-RELEVANT",
                f"Retrieval needs queries with a relevant text, but none of the {len(material.gains):,} queries has "
                f"one. Give each query the ids of its relevant texts.",
            )
        units = quality(rank(material), material.gains, judged)
        facts = {name: float(values.mean()) for name, values in units.items() if name != "ndcg@10"}
        facts["dropped"] = len(material.gains) - len(judged)
        mean = mean_of(units["ndcg@10"])
        return MetricResult(**dict(mean), counts="queries", facts=facts, units={"queries": judged, **units})

    difference = staticmethod(partial(change_of_mean, "ndcg@10", by="queries"))


def gains_of_labels(labels: np.ndarray, *, queries: np.ndarray, documents: np.ndarray) -> list[dict[int, float]]:
    """The documents of each query's label, with gain 1.  labels: (rows,), queries, documents: rows -> by document"""
    of_label: dict[str, dict[int, float]] = {}
    for document, row in enumerate(documents):
        of_label.setdefault(labels[row], {})[document] = 1.0
    return [of_label.get(labels[row], {}) for row in queries]


def quality(ranking: DocumentRanking, gains: list[dict[int, float]], judged: np.ndarray) -> dict[str, np.ndarray]:
    """The quality of a ranking per judged query. -> each (judged,)

    nDCG@10: linear gain, 1 / log2(rank + 1), ideal over all relevant; recall@k: hits / relevant; ``map@100`` divides by
    the relevant documents (trec_eval, mteb), ``map@100_found`` by those among the hundred (USEB).
    """
    gain_at_rank = np.zeros((len(judged), DEPTH))  # gain of the document at each rank
    relevant, ideal = np.zeros(len(judged)), np.zeros(len(judged))
    discount = 1 / np.log2(np.arange(2, 12))
    for line_number, q in enumerate(judged):
        gain_of = _relevant(gains[q])
        line = ranking.documents[q].tolist()
        gain_at_rank[line_number, : len(line)] = [gain_of.get(document, 0.0) for document in line]
        best = np.sort(list(gain_of.values()))[::-1][:10]
        relevant[line_number], ideal[line_number] = len(gain_of), best @ discount[: len(best)]
    hit = gain_at_rank > 0
    hits = hit.sum(axis=1)
    precisions = (hit * np.cumsum(hit, axis=1) / np.arange(1, DEPTH + 1)).sum(axis=1)
    first = ranking.first[judged]
    reciprocal = np.where(first > 0, 1 / np.maximum(first, 1), 0.0)
    return {
        "ndcg@10": gain_at_rank[:, :10] @ discount / ideal,
        "recall@10": hit[:, :10].sum(axis=1) / relevant,
        "recall@100": hits / relevant,
        "map@100": precisions / relevant,
        "map@100_found": precisions / np.maximum(hits, 1),
        "mrr@10": np.where(first <= 10, reciprocal, 0.0),
        "mrr": reciprocal,
    }


def _relevant(gains: dict[int, float]) -> dict[int, float]:
    return {document: gain for document, gain in gains.items() if gain > 0}


DEPTH = 100
CHUNK_NUMBERS = 2**22


def rank(material: Queries, *, depth: int = DEPTH) -> DocumentRanking:
    """The ``depth`` documents with the highest cosine (or score) for each query.

    A zero or non-finite vector is found by nobody and finds nothing; so is a score that is absent or not finite.
    """
    ids = material.ids
    order = np.array(sorted(range(len(ids)), key=lambda row: ids[row], reverse=True), int)
    column = np.empty_like(order)
    column[order] = np.arange(len(order))  # where each document's column is
    count = len(material.gains)
    depth = min(depth, len(order))
    documents, first = np.full((count, depth), -1), np.zeros(count, int)
    for rows, scores in _scored(material, order):
        if material.own_documents is not None:
            for line, q in enumerate(rows):
                scores[line, column[np.array(material.own_documents[q], int)]] = -np.inf
        places = best_places(scores, depth)
        is_found = np.take_along_axis(scores, places, axis=1) > -np.inf
        documents[rows] = np.where(is_found, order[places], -1)
        for q, line in zip(rows, scores, strict=True):
            first[q] = first_rank(line, column[np.array([*_relevant(material.gains[q])], int)])
    return DocumentRanking(documents, first)


def best_places(scores: np.ndarray, count: int) -> np.ndarray:
    """The columns of the ``count`` largest scores of each row, largest first, ties in column order."""
    if count >= scores.shape[1]:
        return np.argsort(-scores, axis=1, kind="stable")
    least = np.partition(scores, scores.shape[1] - count, axis=1)[:, -count]
    best = np.empty((len(scores), count), int)
    for row, line in enumerate(scores):
        candidates = np.flatnonzero(line >= least[row])  # at least count, more where scores are equal
        best[row] = candidates[np.argsort(-line[candidates], kind="stable")[:count]]
    return best


def first_rank(scores: np.ndarray, relevant: np.ndarray) -> int:
    """From 1, ties in column order; 0 if no relevant column has a score. scores: (columns,)"""
    relevant = np.sort(relevant)
    if len(relevant) == 0 or scores[relevant].max() == -np.inf:
        return 0
    best = relevant[scores[relevant].argmax()]
    return 1 + int((scores > scores[best]).sum()) + int((scores[:best] == scores[best]).sum())


def _scored(material: Queries, order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Queries in chunks with their scores, columns in tie-breaking order. rows, (rows, documents)"""
    count = len(material.gains)
    step = max(1, CHUNK_NUMBERS // max(len(order), 1))
    chunks = [np.arange(start, min(start + step, count)) for start in range(0, count, step)]
    if material.scores is not None:
        for rows in chunks:
            scores = _stored(material.scores[rows])[:, order]
            yield rows, np.where(np.isfinite(scores), scores, -np.inf).astype(np.float32)
        return
    assert material.queries is not None and material.documents is not None, "neither vectors nor scores were given"
    usable_columns = usable(material.documents)[order]
    columns = transposed(unit_rows(material.documents)[order])
    for rows in chunks:
        cosines = products(unit_rows(material.queries[rows]), columns)
        cosines[~usable(material.queries[rows])] = -np.inf
        cosines[:, ~usable_columns] = -np.inf
        yield rows, cosines.astype(np.float32)  # trec_eval's precision: copies of a document have equal scores


def _stored(scores: Matrix) -> np.ndarray:
    """Entries absent from a sparse matrix are not retrieved. (rows, documents) -> the same, dense"""
    if not is_sparse(scores):
        return np.asarray(scores, np.float64)
    stored = scores.tocoo()
    dense = np.full(stored.shape, -np.inf)
    dense[stored.row, stored.col] = stored.data
    return dense
