"""What is measured on, a labelled corpus or an evaluation set, turned into what a metric reads."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import EvaluationSet
from embedlab.errors import CorpusError
from embedlab.measurement import Note
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import (
    Candidates,
    JudgedPairs,
    Labelled,
    Metric,
    MetricResult,
    Partners,
    Queries,
    ScoredPairs,
    why_not_served,
)
from embedlab.metrics.matching import Matching
from embedlab.metrics.retrieval import gains_of_labels
from embedlab.metrics.split import Split, near_duplicates
from embedlab.metrics.tfidf import tfidf_embeddings
from embedlab.prompts import Role
from embedlab.runs.evaluations import CORPUS, LABELS_UNREAD
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, require_no_folds
from embedlab.tasks.measure.embedded import fitted_rows, labels_of, split_of
from embedlab.tasks.measure.subjects import OfTexts, ReadOnce, Vectors

Material = Labelled | ScoredPairs | JudgedPairs | Queries | Candidates | Partners


SEED = 42
MATCHED = 30_000  # texts among which partners are sought; two cores rank so many of 768 dimensions in about 10 s
POSITIVES, NEGATIVES = 5, 20  # candidates of a test text, drawn from the labels


class CorpusSource:
    """The corpus of a run. Its labels also serve retrieval, reranking and paraphrase: texts of one class are relevant.

    ``read``: what the measured encoders were trained by; texts with those labels are neither tested nor clustered.
    """

    key = CORPUS

    def __init__(self, corpus: Corpus, read: LabelExposure = NO_LABELS):
        self.corpus, self.read = corpus, read
        self.name, self.fingerprint = corpus.name, corpus.fingerprint
        self.split, self.no_labels = split_of(corpus, read)

    @property
    def tested_split(self) -> Split:
        """The split; raises an error with the reason if kNN accuracy cannot be measured."""
        if self.split is None:
            assert self.no_labels is not None, "without a split there is a reason"
            raise CorpusError(self.no_labels.code, self.no_labels.message)
        return self.split

    @property
    def labels_unread(self) -> dict[str, bool]:
        """The note beside each value of an encoder trained with labels: none of the texts were its own."""
        return {LABELS_UNREAD: True} if self.read.saw_labels else {}

    @property
    def texts(self) -> Sequence[str]:
        """The texts that baselines are fitted on."""
        rows = fitted_rows(self.corpus)
        return self.corpus.texts if rows is None else self.corpus.texts.at(rows)

    @cached_property
    def _looked_at(self) -> np.ndarray:
        """The non-empty rows, or those of them that are evaluated."""
        rows = fitted_rows(self.corpus)
        return self.corpus.kept if rows is None else rows

    def reason_against(self, metric: type[Metric]) -> str | None:
        """Why a metric cannot be measured here, or None."""
        there = {"titles": self.corpus.titles is not None, "summaries": self.corpus.has_summaries}
        has = {name for name, is_there in there.items() if is_there}
        no_labels = None if self.no_labels is None else self.no_labels.message
        return why_not_served(metric, name=self.name, no_labels=no_labels, has=has)

    def material(self, metric: type[Metric], subject: ReadOnce, protocol: str) -> Material:
        """What a metric that is served here reads, with this subject's vectors."""
        if protocol == "cv10":
            require_no_folds(self.read)
        if issubclass(metric, Matching):
            searching, sought, drawn_from = self._partners(metric.parts)
            return Partners(subject.embed(searching), subject.embed(sought), drawn_from=drawn_from)
        if metric.reads is Queries:
            return self._queries(subject)
        if not subject.gives_vectors and metric.reads is not Candidates:
            raise CorpusError("E-NOT-SERVED", f"{metric.title} needs vectors, but BM25 only scores documents.")
        if metric.reads is Candidates:
            return self._candidates(subject)
        rows = subject.rows(self.corpus)
        if metric.reads is JudgedPairs:
            one, other, same = self._judged
            return JudgedPairs(rows[one], rows[other], same)
        return Labelled(
            rows,
            self.corpus.labels,
            self.split,
            rows=self._unread,
            protocol=protocol,
            copies=self.corpus.copies,
            near_duplicates=self.near_duplicates if metric.key == "knn" and protocol == "paper" else None,
        )

    @cached_property
    def _unread(self) -> np.ndarray:
        return self._looked_at[~self.read.in_corpus(self.corpus, self._looked_at)]

    @cached_property
    def near_duplicates(self) -> np.ndarray:
        """Which test texts have a near-copy among the train texts. (rows,) bool"""
        rows = fitted_rows(self.corpus)
        if rows is None:
            return near_duplicates(tfidf_embeddings(self.corpus.texts), self.tested_split)
        flags = np.zeros(self.corpus.info.rows, bool)
        flags[rows] = near_duplicates(tfidf_embeddings(self.texts), self.tested_split.among(rows))
        return flags

    def _queries(self, subject: ReadOnce) -> Queries:
        """Test texts search the train texts; those of the same label are relevant."""
        test, train = self.tested_split.test, self.tested_split.train
        gains = gains_of_labels(labels_of(self.corpus), queries=test, documents=train)
        ids = [f"{row:09d}" for row in train]
        if not subject.gives_vectors:
            texts = self.corpus.texts
            scores = subject.scores([texts[row] for row in test], [texts[row] for row in train])
            return Queries(None, None, ids, gains, scores=scores)
        vectors = subject.rows(self.corpus)
        return Queries(vectors[test], vectors[train], ids, gains)

    def _candidates(self, subject: ReadOnce) -> Candidates:
        """Five train texts of a test text's label and twenty others."""
        owner, drawn, relevant = self._drawn
        test, train = self.tested_split.test, self.tested_split.train
        if not subject.gives_vectors:
            texts = self.corpus.texts
            scores = subject.scores([texts[row] for row in test], [texts[row] for row in train]).tocsr()
            column_of = {row: column for column, row in enumerate(train)}
            columns = np.array([column_of[row] for row in drawn], int)
            return Candidates(None, None, owner, relevant, scores=np.asarray(scores[owner, columns]).ravel())
        rows = subject.rows(self.corpus)
        return Candidates(rows[test], rows[drawn], owner, relevant)

    @cached_property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng, labels = np.random.default_rng(SEED), labels_of(self.corpus)
        test, train = self.tested_split.test, self.tested_split.train
        names = labels[train]
        owner, drawn, relevant = [], [], []
        for query, row in enumerate(test):
            is_same = names == labels[row]
            for rows, count, same in ((train[is_same], POSITIVES, True), (train[~is_same], NEGATIVES, False)):
                chosen = rng.choice(rows, min(count, len(rows)), replace=False)
                owner += [query] * len(chosen)
                drawn += chosen.tolist()
                relevant += [same] * len(chosen)
        return np.array(owner, int), np.array(drawn, int), np.array(relevant, bool)

    @cached_property
    def _judged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each test text with a train text of its label and with one of another."""
        rng, labels, train = np.random.default_rng(SEED), labels_of(self.corpus), self.tested_split.train
        names = labels[train]
        one, other, same = [], [], []
        for row in self.tested_split.test:
            is_same = names == labels[row]
            for rows, alike in ((train[is_same], True), (train[~is_same], False)):
                if len(rows):
                    one.append(row)
                    other.append(rng.choice(rows))
                    same.append(alike)
        return np.array(one, int), np.array(other, int), np.array(same, bool)

    def _partners(self, parts_of: Callable) -> tuple[list[str], list[str], int | None]:
        """Both parts of each text; and the number of texts that have them, if only some were drawn."""
        every = (parts_of(self.corpus, row) for row in self._looked_at)
        pairs = [parts for parts in every if parts is not None and all(part and part.strip() for part in parts)]
        if len(pairs) < 2:
            raise CorpusError(
                "E-FEW-PARTNERS",
                f"Matching needs at least 2 texts with both parts, but {self.name!r} has {len(pairs)}. "
                "Choose another column or corpus.",
            )
        drawn_from = len(pairs) if len(pairs) > MATCHED else None
        if drawn_from is not None:
            chosen = np.sort(np.random.default_rng(SEED).choice(len(pairs), MATCHED, replace=False))
            pairs = [pairs[number] for number in chosen]
        return [one for one, _ in pairs], [other for _, other in pairs], drawn_from


class SetSource:
    """A stored evaluation set."""

    no_labels: Note | None = None  # it needs none
    labels_unread: ClassVar[dict] = {}  # what its values are read from, no encoder was trained by

    def __init__(self, evaluation_set: EvaluationSet):
        self.set = evaluation_set
        self.name = evaluation_set.name
        self.key = self.fingerprint = evaluation_set.fingerprint

    @property
    def judge(self) -> type[Metric]:
        """The metric by which it judges: the first that it serves."""
        return METRICS[metrics_like(self.set.info.serves)[0]]

    def judged(self, embedded: Callable[[list[str], Role], Vectors]) -> MetricResult:
        """What that metric finds in vectors by this function of texts and their role."""
        measured = self.judge.measure(self.material(self.judge, ReadOnce(OfTexts(embedded)), "paper"))
        assert isinstance(measured, MetricResult), "what a file serves is measured once, not by each distance"
        return measured

    @cached_property
    def texts(self) -> list[str]:
        """Every distinct text: what baselines are fitted on."""
        kind, column = self.set.info.kind, self.set.column
        if kind == "pairs":
            texts = column("sentence1") + column("sentence2")
        elif kind == "queries":
            texts = self.set.documents + column("query")
        else:
            texts = column("query") + [
                text for side in ("positive", "negative") for row in column(side) for text in row
            ]
        return list(dict.fromkeys(texts))

    def reason_against(self, metric: type[Metric]) -> str | None:
        """Why a metric cannot be measured here, or None."""
        serves = metrics_like(self.set.info.serves)
        if metric.key in serves:
            return None
        return f"{metric.title} cannot be measured on {self.name!r}; it supports {', '.join(serves)}."

    def material(self, metric: type[Metric], subject: ReadOnce, protocol: str) -> Material:
        """What a metric that is served here reads, with this subject's vectors."""
        if metric.reads is Queries:
            return self._queries(subject)
        if metric.reads is Candidates:
            return self._candidates(subject)
        if not subject.gives_vectors:
            raise CorpusError("E-NOT-SERVED", f"{metric.title} needs vectors, but BM25 only scores documents.")
        given = self.set.column("score" if metric.reads is ScoredPairs else "same")
        judged = [row for row, value in enumerate(given) if value is not None]
        one, other = (subject.embed(self.set.column(name)) for name in ("sentence1", "sentence2"))
        if metric.reads is ScoredPairs:
            return ScoredPairs(one[judged], other[judged], np.array([given[row] for row in judged], float))
        return JudgedPairs(one[judged], other[judged], np.array([given[row] for row in judged], bool))

    def _queries(self, subject: ReadOnce) -> Queries:
        column = self.set.column
        queries, documents, ids = column("query"), self.set.documents, self.set.values("documents", "id")
        gains = [
            dict(zip(rows, gains, strict=True)) for rows, gains in zip(column("rows"), column("gains"), strict=True)
        ]
        if not subject.gives_vectors:
            return Queries(
                None, None, ids, gains, subject.scores(queries, documents), own_documents=self.set.own_documents
            )
        return Queries(
            subject.embed(queries, "query"), subject.embed(documents), ids, gains, own_documents=self.set.own_documents
        )

    def _candidates(self, subject: ReadOnce) -> Candidates:
        queries, sides = self.set.column("query"), [self.set.column(name) for name in ("positive", "negative")]
        owners, texts, is_relevant = [], [], []
        for query, parts in enumerate(zip(*sides, strict=True)):
            for part, same in zip(parts, (True, False), strict=True):
                owners += [query] * len(part)
                texts += part
                is_relevant += [same] * len(part)
        owner, relevant = np.array(owners, int), np.array(is_relevant, bool)
        if not subject.gives_vectors:
            documents = list(dict.fromkeys(texts))
            column_of = {text: column for column, text in enumerate(documents)}
            scores = subject.scores(queries, documents).tocsr()
            columns = np.array([column_of[text] for text in texts], int)
            return Candidates(None, None, owner, relevant, scores=np.asarray(scores[owner, columns]).ravel())
        return Candidates(subject.embed(queries, "query"), subject.embed(texts), owner, relevant)


Source = CorpusSource | SetSource
