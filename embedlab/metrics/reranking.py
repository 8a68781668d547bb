"""Reranking: whether a query's relevant candidates come first, as MAP (TSDAE's AskUbuntu, CQADupStack and SciDocs)."""

from functools import partial

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics.base import Candidates, Metric, MetricResult, change_of_mean, mean_of
from embedlab.metrics.pair_metrics import AveragePrecision, pair_cosines

CHUNK_ROWS = 4096


class Reranking(Metric):
    """A few candidates per query, ordered by their cosine with it."""

    key = "reranking"
    title = "Reranking MAP"
    sentence = "How well the relevant candidates of a query are ranked before its others."
    paper = "tsdae"
    reads = Candidates

    @staticmethod
    def measure(material: Candidates) -> MetricResult:
        """1 if all relevant candidates come first; queries without positives or negatives are skipped and counted.

        MAP takes equal cosines as one step (scikit-learn); for ``mrr@10`` the irrelevant one of equals stands first.
        """
        relevant, cosines = np.asarray(material.relevant, bool), _cosines(material)
        judged, precisions, reciprocal = [], [], []
        order = np.argsort(material.owner, kind="stable")
        queries, starts = np.unique(np.asarray(material.owner)[order], return_index=True)
        for query, rows in zip(queries.tolist(), np.split(order, starts[1:]), strict=True):
            positive, similarity = relevant[rows], cosines[rows]
            if positive.all() or not positive.any():
                continue
            judged.append(query)
            precisions.append(AveragePrecision(similarities=similarity, positive=positive).of())
            best = similarity[positive].max()
            ahead = int((similarity[~positive] >= best).sum())
            reciprocal.append(1 / (ahead + 1) if best > -np.inf and ahead < 10 else 0.0)
        if not judged:
            raise CorpusError(
                "E-NO-RELEVANT",
                "Reranking needs queries with a relevant and an irrelevant candidate, but none of the"
                f" {len(queries):,} queries has both. Mark the candidates of each query.",
            )
        units = {"queries": np.array(judged), "ap": np.array(precisions), "rr": np.array(reciprocal)}
        facts = {"mrr@10": float(units["rr"].mean()), "skipped": len(queries) - len(judged)}
        return MetricResult(**dict(mean_of(units["ap"])), counts="queries", facts=facts, units=units)

    difference = staticmethod(partial(change_of_mean, "ap", by="queries"))


def _cosines(material: Candidates) -> np.ndarray:
    """-inf for candidates that cannot be retrieved. -> (all,)"""
    if material.scores is not None:
        scores = np.asarray(material.scores, float)
        return np.where(np.isfinite(scores), scores, -np.inf)
    assert material.queries is not None and material.candidates is not None, "neither vectors nor scores were given"
    owner = np.asarray(material.owner)
    cosines = np.empty(len(owner))
    for start in range(0, len(owner), CHUNK_ROWS):
        chunk = slice(start, start + CHUNK_ROWS)
        cosines[chunk] = pair_cosines(material.queries[owner[chunk]], material.candidates[chunk])
    return cosines
