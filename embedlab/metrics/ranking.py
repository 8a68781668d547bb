"""The best documents for each query, in chunks, from vectors or from ready-made scores."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from embedlab.metrics.base import Queries
from embedlab.metrics.exact import is_sparse, products, transposed, unit_rows, usable

DEPTH = 100
CHUNK_NUMBERS = 2**22


@dataclass(frozen=True)
class Ranking:
    """Documents by falling similarity, equal ones by descending id; -1 where nothing was found.

    documents: (queries, depth), first: (queries,) rank of the first relevant one among all, 0 where none was found
    """

    documents: np.ndarray
    first: np.ndarray


def rank(material: Queries, *, depth: int = DEPTH) -> Ranking:
    """The ``depth`` documents of the highest cosine (or score) for each query.

    A zero or non-finite vector is found by nobody and finds nothing; so is a score that is absent or not finite.
    """
    order = _descending_ids(material.ids)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))  # where each document's column is
    count = len(material.gains)
    depth = min(depth, len(order))
    documents, first = np.full((count, depth), -1), np.zeros(count, int)
    for rows, scores in _scored(material, order):
        for line, q in enumerate(rows) if material.own is not None else ():
            scores[line, place[np.array(material.own[q], int)]] = -np.inf
        places = best_places(scores, depth)
        known = np.take_along_axis(scores, places, axis=1) > -np.inf
        documents[rows] = np.where(known, order[places], -1)
        for q, line in zip(rows, scores, strict=True):
            relevant = [document for document, gain in material.gains[q].items() if gain > 0]
            first[q] = first_rank(line, place[np.array(relevant, int)])
    return Ranking(documents, first)


def best_places(scores: np.ndarray, count: int) -> np.ndarray:
    """The columns of the ``count`` largest scores of each row, largest first, equal ones in column order."""
    if count >= scores.shape[1]:
        return np.argsort(-scores, axis=1, kind="stable")
    least = np.partition(scores, scores.shape[1] - count, axis=1)[:, -count]
    found = np.empty((len(scores), count), int)
    for row, line in enumerate(scores):
        candidates = np.flatnonzero(line >= least[row])  # at least count, more where scores are equal
        found[row] = candidates[np.argsort(-line[candidates], kind="stable")[:count]]
    return found


def first_rank(scores: np.ndarray, relevant: np.ndarray) -> int:
    """From 1, equal scores in column order; 0 where no relevant column has a score.  scores: (columns,)"""
    relevant = np.sort(relevant)
    if len(relevant) == 0 or scores[relevant].max() == -np.inf:
        return 0
    best = relevant[scores[relevant].argmax()]
    return 1 + int((scores > scores[best]).sum()) + int((scores[:best] == scores[best]).sum())


def _scored(material: Queries, order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some queries and their scores, columns in the order in which equal ones stand.  rows, (rows, documents)"""
    count = len(material.gains)
    step = max(1, CHUNK_NUMBERS // max(len(order), 1))
    chunks = [np.arange(start, min(start + step, count)) for start in range(0, count, step)]
    if material.scores is not None:
        for rows in chunks:
            scores = _stored(material.scores[rows])[:, order]
            yield rows, np.where(np.isfinite(scores), scores, -np.inf).astype(np.float32)
        return
    found = usable(material.documents)[order]
    columns = transposed(unit_rows(material.documents)[order])
    for rows in chunks:
        cosines = products(unit_rows(material.queries[rows]), columns)
        cosines[~usable(material.queries[rows])] = -np.inf
        cosines[:, ~found] = -np.inf
        yield rows, cosines.astype(np.float32)  # trec_eval's precision: copies of a document have equal scores


def _stored(scores) -> np.ndarray:
    """What a sparse matrix does not hold is not found.  (rows, documents) -> the same, dense"""
    if not is_sparse(scores):
        return np.asarray(scores, np.float64)
    stored = scores.tocoo()
    found = np.full(stored.shape, -np.inf)
    found[stored.row, stored.col] = stored.data
    return found


def _descending_ids(ids: list[str]) -> np.ndarray:
    return np.array(sorted(range(len(ids)), key=lambda row: ids[row], reverse=True), int)
