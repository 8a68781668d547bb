"""A ranking that was made elsewhere, measured on judgements by trec_eval's rules."""

import numpy as np
from scipy.sparse import coo_matrix

from embedlab.corpora.retrieval.queries import Judged
from embedlab.metrics.base import Measured, Queries
from embedlab.metrics.retrieval import Retrieval


def measured_ranking(scores: dict[str, dict[str, float]], judged: Judged) -> Measured:
    """Over all judged queries with a relevant document; one that was not ranked has found nothing (``trec_eval -c``).

    scores: of the ranked documents, by query and document.
    """
    queries = list(judged.grades)
    ids = {doc for each in judged.grades.values() for doc in each} | {doc for each in scores.values() for doc in each}
    place = {doc: row for row, doc in enumerate(sorted(ids))}
    gains = [{place[doc]: grade for doc, (_, grade) in judged.grades[query].items()} for query in queries]
    found = [
        (row, place[doc], score) for row, query in enumerate(queries) for doc, score in scores.get(query, {}).items()
    ]
    rows, columns, values = (np.array(each) for each in zip(*found, strict=True)) if found else ((), (), ())
    ranked = coo_matrix((values, (rows, columns)), (len(queries), len(place))).tocsr()
    measured = Retrieval.measure(Queries(None, None, list(place), gains, scores=ranked))
    measured.facts["not_ranked"] = sum(query not in scores for query in queries)
    return measured
