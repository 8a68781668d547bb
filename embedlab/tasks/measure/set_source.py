"""An evaluation set as what is measured on: its pairs, queries or candidates become what a metric reads."""

from functools import cached_property
from typing import ClassVar

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics import metrics_like
from embedlab.metrics.base import Candidates, JudgedPairs, Queries, ScoredPairs
from embedlab.tasks.measure.subjects import Remembered, Subject


class SetSource:
    """A stored evaluation set."""

    no_labels = None  # it needs none
    labels_unread: ClassVar[dict] = {}  # what its values are read from, no encoder was trained by

    def __init__(self, evaluation_set):
        self.set = evaluation_set
        self.name = evaluation_set.name
        self.key = self.fingerprint = evaluation_set.fingerprint

    @cached_property
    def texts(self) -> list[str]:
        """Every text there is, each once: what baselines are fitted on."""
        kind, column = self.set.info.kind, self.set.column
        if kind == "pairs":
            found = column("sentence1") + column("sentence2")
        elif kind == "queries":
            found = self.set.documents + column("query")
        else:
            found = column("query") + [
                text for side in ("positive", "negative") for row in column(side) for text in row
            ]
        return list(dict.fromkeys(found))

    def reason_against(self, metric) -> str | None:
        """Why a metric cannot be measured here, or None."""
        serves = metrics_like(self.set.info.serves)
        if metric.key in serves:
            return None
        return f"{metric.title} cannot be measured on {self.name!r}; it supports {', '.join(serves)}."

    def material(self, metric, subject: Subject, embedded: Remembered, protocol: str):
        """What the metric reads, with this subject's vectors."""
        reason = self.reason_against(metric)
        if reason is not None:
            raise CorpusError("E-NOT-SERVED", reason)
        if metric.reads is Queries:
            return self._queries(subject, embedded)
        if metric.reads is Candidates:
            return self._candidates(subject, embedded)
        if not subject.gives_vectors:
            raise CorpusError("E-NOT-SERVED", f"{metric.title} needs vectors, but BM25 only scores documents.")
        given = self.set.column("score" if metric.reads is ScoredPairs else "same")
        kept = [row for row, value in enumerate(given) if value is not None]
        one, other = (embedded(self.set.column(name)) for name in ("sentence1", "sentence2"))
        if metric.reads is ScoredPairs:
            return ScoredPairs(one[kept], other[kept], np.array([given[row] for row in kept], float))
        return JudgedPairs(one[kept], other[kept], np.array([given[row] for row in kept], bool))

    def _queries(self, subject: Subject, embedded: Remembered) -> Queries:
        column = self.set.column
        queries, documents, ids = column("query"), self.set.documents, self.set.values("documents", "id")
        gains = [
            dict(zip(rows, gains, strict=True)) for rows, gains in zip(column("rows"), column("gains"), strict=True)
        ]
        if not subject.gives_vectors:
            return Queries(
                None, None, ids, gains, subject.scores(queries, documents), own_documents=self.set.own_documents
            )
        return Queries(embedded(queries), embedded(documents), ids, gains, own_documents=self.set.own_documents)

    def _candidates(self, subject: Subject, embedded: Remembered) -> Candidates:
        queries, sides = self.set.column("query"), [self.set.column(name) for name in ("positive", "negative")]
        owner, texts, relevant = [], [], []
        for query, parts in enumerate(zip(*sides, strict=True)):
            for part, same in zip(parts, (True, False), strict=True):
                owner += [query] * len(part)
                texts += part
                relevant += [same] * len(part)
        owner, relevant = np.array(owner, int), np.array(relevant, bool)
        if not subject.gives_vectors:
            documents = list(dict.fromkeys(texts))
            place = {text: column for column, text in enumerate(documents)}
            scores = subject.scores(queries, documents).tocsr()
            columns = np.array([place[text] for text in texts], int)
            return Candidates(None, None, owner, relevant, scores=np.asarray(scores[owner, columns]).ravel())
        return Candidates(embedded(queries), embedded(texts), owner, relevant)
