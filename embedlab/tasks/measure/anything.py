"""Vectors of a run, an encoder, a file or a baseline, measured on a corpus or file, alone or against others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.queries import JudgedQueries
from embedlab.counting import unit_of
from embedlab.disk_trouble import kept_if_possible
from embedlab.distance import DISTANCES
from embedlab.errors import CorpusError
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics.base import Metric, MetricResult, Queries, changes
from embedlab.metrics.retrieval import RankedRetrieval
from embedlab.postprocessing.base import Processed
from embedlab.progress import Progress
from embedlab.report.verdict_words import verdict_of, verdict_sentence
from embedlab.runs.evaluations import Evaluations, measured_key
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_run
from embedlab.runs.reference_lines import right_by
from embedlab.runs.result import read_result
from embedlab.runs.store import fingerprint_of
from embedlab.statistics.verdict import PairedCorrectness, verdict
from embedlab.tasks.measure.corpus_cache import reference_lines_of
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.tasks.measure.sources import CorpusSource, Source
from embedlab.tasks.measure.subjects import GivenVectors, ReadOnce

Values = dict[str, MetricResult | ByDistance[MetricResult] | None]  # by metric; None without labels for it


@dataclass(frozen=True)
class ComparedSubject:
    """Another subject on the same units: its values, ours minus its, and a sentence for each deciding distance."""

    values: Values
    changes: dict[str, Difference | ByDistance[Difference]]
    verdicts: ByDistance[str] | None


@dataclass(frozen=True)
class Measuring:
    """What is measured on what; measurements of ``run`` that pages show are stored with it."""

    source: Source
    metrics: Sequence[type[Metric]]
    protocol: str = "paper"
    run: RunFolder | None = None
    dimensions: int | None = None  # that are kept of each vector; values of cut vectors are not the run's

    @property
    def corpus(self) -> Corpus | None:
        """None when measuring on a file."""
        return self.source.corpus if isinstance(self.source, CorpusSource) else None

    def values(self, subject: ReadOnce, progress: Progress, *, keep_as: str | None = None) -> Values:
        """Each metric of the subject; ``keep_as``: the state of the run under which to store it."""
        values: Values = {}
        for metric in self.metrics:
            reason = self.source.reason_against(metric)
            if reason is not None:
                if self.source.no_labels is None or reason != self.source.no_labels.message:
                    raise CorpusError("E-NOT-SERVED", reason)
                values[metric.key] = None
                continue
            progress(f"Measuring {metric.title}")
            values[metric.key] = metric.measure(self.source.material(metric, subject, self.protocol))
        if keep_as is not None and (evaluations := self._evaluations) is not None:
            with kept_if_possible(progress):
                for key, value in values.items():
                    if value is not None:
                        key = measured_key(key, self.protocol)
                        evaluations.keep(self.source.key, key, keep_as, value, **self.source.labels_unread)
        return values

    def against(
        self, ours: Values, other: ReadOnce, progress: Progress, *, name: str, is_untouched: bool
    ) -> ComparedSubject:
        """``name``: the other subject in the verdict; for the run's untouched encoder the change is stored, too."""
        theirs = self.values(other, progress, keep_as="before" if is_untouched else None)
        differences = {
            metric.key: changes(metric, before=before, after=after)
            for metric in self.metrics
            if (after := ours[metric.key]) is not None and (before := theirs[metric.key]) is not None
        }
        if is_untouched and (evaluations := self._evaluations) is not None:
            with kept_if_possible(progress):
                for key, change in differences.items():
                    evaluations.keep_difference(self.source.key, measured_key(key, self.protocol), change)
        knn, other_knn = ours.get("knn"), theirs.get("knn")
        verdicts = None
        if isinstance(knn, ByDistance) and isinstance(other_knn, ByDistance) and self.protocol == "paper":
            verdicts = self._own_verdicts() if is_untouched else None
            verdicts = verdicts or self._verdicts(knn, other_knn, name, progress)
        return ComparedSubject(theirs, differences, verdicts)

    def after_steps(self, fitted: Mapping[str, Processed], progress: Progress) -> dict[str, Values]:
        """The same metrics on the vectors after each post-processing step."""
        return {key: self.values(ReadOnce(GivenVectors(each.embeddings)), progress) for key, each in fitted.items()}

    @property
    def is_as_the_page_measures(self) -> bool:
        """Whether it uses the paper's split and the run's stored embeddings."""
        run, source = self.run, self.source
        if run is None or self._evaluations is None or self.protocol != "paper":
            return False
        if not isinstance(source, CorpusSource) or source.split is None:
            return False
        return all(run.embeddings(state).exists() for state in ("before", "after"))

    @property
    def _evaluations(self) -> Evaluations | None:
        """None without a run, of cut vectors, or if the other subject restricts it to fewer texts."""
        if self.run is None or self.dimensions is not None:
            return None
        if isinstance(self.source, CorpusSource):
            is_its_corpus = fingerprint_of(self.run) == self.source.corpus.info.fingerprint
            if not is_its_corpus or self.source.read != labels_read_of_run(self.run):
                return None
        return Evaluations(self.run.path)

    def _own_verdicts(self) -> ByDistance[str] | None:
        """What the run says of itself, so that it is not judged in two ways; None where it says nothing."""
        result = None if self.run is None or self._evaluations is None else read_result(self.run)
        if result is None or verdict_of(result) is None:
            return None
        return ByDistance.of(lambda distance: verdict_sentence(result, distance))

    def _verdicts(
        self, ours: ByDistance[MetricResult], theirs: ByDistance[MetricResult], name: str, progress: Progress
    ) -> ByDistance[str]:
        """One sentence for each deciding distance, on the test texts."""
        assert self.corpus is not None, "kNN accuracy is measured on a corpus"
        lines = right_by(reference_lines_of(LineTexts.whole(self.corpus), progress), ours.either.units["rows"])
        counted = unit_of(self.corpus.texts)
        right = {
            distance: PairedCorrectness(
                theirs.by(distance).units["correct"], ours.by(distance).units["correct"], lines, counted
            )
            for distance in DISTANCES
        }
        return ByDistance.of(lambda distance: verdict(right[distance], distance, baseline_name=name).sentence)


def measured_ranking(scores: dict[str, dict[str, float]], judged: JudgedQueries) -> MetricResult:
    """Over all judged queries with a relevant document; a query missing from the ranking counts as 0 (``trec_eval
    -c``).

    scores: of the ranked documents, by query and document.
    """
    queries = list(judged.grades)
    ids = {doc for each in judged.grades.values() for doc in each} | {doc for each in scores.values() for doc in each}
    row_of = {doc: row for row, doc in enumerate(sorted(ids))}
    gains = [{row_of[doc]: grade for doc, (_, grade) in judged.grades[query].items()} for query in queries]
    entries = [
        (row, row_of[doc], score) for row, query in enumerate(queries) for doc, score in scores.get(query, {}).items()
    ]
    rows, columns, values = (np.array(each) for each in zip(*entries, strict=True)) if entries else ((), (), ())
    ranked = coo_matrix((values, (rows, columns)), (len(queries), len(row_of))).tocsr()
    measured = RankedRetrieval.measure(Queries(None, None, list(row_of), gains, scores=ranked))
    measured.facts["not_ranked"] = sum(query not in scores for query in queries)
    return measured
