"""Vectors of a run, an encoder, a file or a baseline, measured on a corpus or a file, alone or against others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix

from embedlab.corpora.sets.queries import JudgedQueries
from embedlab.counting import unit_of
from embedlab.distance import DISTANCES
from embedlab.errors import CorpusError
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics.base import MetricResult, Queries, changes
from embedlab.metrics.retrieval import Retrieval
from embedlab.postprocessing.base import Processed
from embedlab.progress import Progress
from embedlab.runs.evaluations import Evaluations, measured_key
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_run
from embedlab.runs.reference_lines import right_by
from embedlab.runs.store import fingerprint_of
from embedlab.statistics.verdict import PairedCorrectness, verdict
from embedlab.tasks.measure.corpus_cache import reference_lines_of
from embedlab.tasks.measure.sources import CorpusSource, SetSource
from embedlab.tasks.measure.subjects import GivenVectors, Remembered, Subject

Values = dict[
    str, MetricResult | ByDistance[MetricResult] | None
]  # by metric; None where the corpus has no labels for it


@dataclass(frozen=True)
class Against:
    """Another subject on the same units: its values, ours minus its, and a sentence for each distance that decides."""

    values: Values
    changes: dict[str, Difference | ByDistance[Difference]]
    verdicts: ByDistance[str] | None


@dataclass(frozen=True)
class Measuring:
    """What is measured where; what is of ``run``, and is all that pages show of it, is kept beside it."""

    source: CorpusSource | SetSource
    metrics: list
    protocol: str = "paper"
    run: RunFolder | None = None

    @property
    def corpus(self):
        """None where a file is measured on."""
        return getattr(self.source, "corpus", None)

    def values(self, subject: Subject, progress: Progress, *, keep_as: str | None = None) -> Values:
        """Each metric of the subject; ``keep_as``: the state of the run that it is."""
        embedded, found = Remembered(subject), {}
        for metric in self.metrics:
            reason = self.source.reason_against(metric)
            if reason is not None:
                if self.source.no_labels is None or reason != self.source.no_labels[1]:
                    raise CorpusError("E-NOT-SERVED", reason)
                found[metric.key] = None
                continue
            progress(f"Measuring {metric.title}")
            found[metric.key] = metric.measure(self.source.material(metric, subject, embedded, self.protocol))
        if keep_as is not None and (kept := self._kept) is not None:
            for key, value in found.items():
                if value is not None:
                    key = measured_key(key, self.protocol)
                    kept.keep(self.source.key, key, keep_as, value, **self.source.labels_unread)
        return found

    def against(self, ours: Values, other: Subject, progress: Progress, *, name: str, is_untouched: bool) -> Against:
        """``name``: what the verdict calls the other; of the run's untouched encoder the change is kept too."""
        theirs = self.values(other, progress, keep_as="before" if is_untouched else None)
        found = {
            metric.key: changes(metric, before=theirs[metric.key], after=ours[metric.key])
            for metric in self.metrics
            if ours[metric.key] is not None
        }
        if is_untouched and (kept := self._kept) is not None:
            for key, change in found.items():
                kept.keep_difference(self.source.key, measured_key(key, self.protocol), change)
        is_judged = ours.get("knn") is not None and self.protocol == "paper"
        said = self._verdicts(ours["knn"], theirs["knn"], name, progress) if is_judged else None
        return Against(theirs, found, said)

    def after_steps(self, fitted: Mapping[str, Processed], progress: Progress) -> dict[str, Values]:
        """The same metrics of the vectors after each post-processing step."""
        return {key: self.values(GivenVectors(each.embeddings), progress) for key, each in fitted.items()}

    @property
    def is_as_the_page_measures(self) -> bool:
        """By the paper's split, from the embeddings that the run kept."""
        if self._kept is None or self.protocol != "paper" or self.source.split is None:
            return False
        return all(self.run.embeddings(state).exists() for state in ("before", "after"))

    @property
    def _kept(self) -> Evaluations | None:
        """None where this is of no run, or on fewer texts than the run alone, for the sake of another."""
        if self.run is None:
            return None
        if self.corpus is not None and fingerprint_of(self.run) != self.corpus.info.fingerprint:
            return None
        if self.corpus is not None and self.source.read != labels_read_of_run(self.run):
            return None
        return Evaluations(self.run.path)

    def _verdicts(self, ours, theirs, name: str, progress: Progress) -> ByDistance[str]:
        """One sentence for each distance, which decides it; each tells both."""
        lines = right_by(reference_lines_of(self.corpus, progress), ours.euclidean.units["rows"])
        counted = unit_of(self.corpus.texts)
        right = {
            distance: PairedCorrectness(
                *(each.by(distance).units["correct"] for each in (theirs, ours)), lines, counted
            )
            for distance in DISTANCES
        }
        return ByDistance.of(lambda distance: verdict(right, distance, baseline_name=name).sentence)


def measured_ranking(scores: dict[str, dict[str, float]], judged: JudgedQueries) -> MetricResult:
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
