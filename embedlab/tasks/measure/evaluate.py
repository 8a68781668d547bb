"""Further metrics of a run, of baselines, and of post-processed embeddings, on its corpus or on sets."""

from collections.abc import Mapping, Sequence

import numpy as np

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.sets.stored import open_set
from embedlab.errors import CorpusError, NonFiniteError, SettingsError
from embedlab.jobs.requests.measuring import Evaluate
from embedlab.measurement import ByDistance
from embedlab.metrics import METRICS
from embedlab.metrics.base import Metric, changes, why_no_baseline
from embedlab.metrics.split import Split
from embedlab.postprocessing import POSTPROCESSING
from embedlab.postprocessing.base import Processed
from embedlab.progress import Progress, in_words
from embedlab.runs.evaluations import (
    CORPUS,
    Evaluations,
    Post,
    StepResult,
    baselines_beside,
    evaluations_of,
    measured_key,
)
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import LabelExposure, labels_read_of_both
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.statistics.intervals import paired_shares
from embedlab.store_root import write_json
from embedlab.tasks.measure.embedded import Measured, labels_of, load_embeddings, measured_on, measurements
from embedlab.tasks.measure.sources import CorpusSource, SetSource, Source
from embedlab.tasks.measure.subjects import FirstDimensions, OfBaseline, ReadOnce, RunState, Subject

STATES = ("before", "after")


def run(folder: RunFolder, request: Evaluate, progress: Progress) -> None:
    """Writes ``evaluations.json`` of the run (or of its first dimensions) and of each baseline."""
    measured = open_run(request.run)
    corpus = open_corpus(fingerprint_of(measured))
    metrics, protocol = [METRICS[key] for key in request.metrics], request.protocol
    result: dict = {"run": measured.id}
    if metrics:
        source = source_of(request.source, corpus, labels_read_of_both(measured))
        stored = evaluations_of(measured, request.dimensions)
        subjects: dict[str, Subject] = {state: RunState(measured, state, progress) for state in STATES}
        if (count := request.dimensions) is not None:
            subjects = {state: FirstDimensions(subject, count) for state, subject in subjects.items()}
        values = stored.values(source.key)
        missing = [m for m in metrics if "difference" not in values.get(measured_key(m.key, protocol), {})]
        measure_all(source, subjects, missing, protocol, stored, progress)
        result |= {"source": source.key, "metrics": stored.all()["metrics"][source.key]}
        for key in request.baselines:
            of_baseline = Evaluations(baselines_beside(measured, source.fingerprint, source.key, key))
            measure_baseline(source, key, metrics, protocol, request.words, progress, of_baseline)
    if request.post:
        keep_post(measured, corpus, list(request.post), progress)
        result["post"] = Evaluations(measured.path).all()["post"]
    write_json(folder.result, result)


def source_of(key: str, corpus: Corpus, read: LabelExposure) -> Source:
    """The corpus, without texts whose labels were read, or a stored evaluation set."""
    return CorpusSource(corpus, read) if key == CORPUS else SetSource(open_set(key))


def measure_all(
    source: Source,
    subjects: Mapping[str, Subject],
    metrics: Sequence[type[Metric]],
    protocol: str,
    stored: Evaluations,
    progress: Progress,
) -> None:
    """Each metric of each state, stored at once; then after minus before over the common units."""
    for metric in metrics:
        reason = source.reason_against(metric)
        if reason is not None:
            raise CorpusError("E-NOT-SERVED", reason)
    read = {state: ReadOnce(subject) for state, subject in subjects.items()}
    for metric in metrics:
        measured = {}
        key = measured_key(metric.key, protocol)
        for state, subject in read.items():
            progress(f"{metric.title}, {state}")
            value = metric.measure(source.material(metric, subject, protocol))
            measured[state] = value
            stored.keep(source.key, key, state, value, **source.labels_unread)
        if set(STATES) <= set(measured):
            progress(f"{metric.title}, interval of the change")
            stored.keep_difference(source.key, key, changes(metric, **measured))


def measure_baseline(
    source: Source,
    key: str,
    metrics: Sequence[type[Metric]],
    protocol: str,
    words: str | None,
    progress: Progress,
    stored: Evaluations,
) -> None:
    """A baseline on a source, by the metrics that it can serve."""
    method = BASELINE_METHODS[key]
    values = stored.values(source.key)
    served = [metric for metric in metrics if why_no_baseline(metric, method) is None]
    missing = [m for m in served if "after" not in values.get(measured_key(m.key, protocol), {})]
    if method.needs_words and words is None and missing:
        raise SettingsError("E-WORDS", f"{method.title} needs a file in GloVe or word2vec format. Give one.")
    if missing:
        progress(f"Fitting {method.title}")
        measure_all(source, {"after": OfBaseline(key, source.texts, words)}, missing, protocol, stored, progress)


def keep_post(
    measured: RunFolder,
    corpus: Corpus,
    steps: list[str],
    progress: Progress,
    fitted: Mapping[str, Processed] | None = None,
) -> None:
    """kNN accuracy before and after fine-tuning after each of these steps, stored in the run.

    ``fitted``: what is there already of the steps after fine-tuning.
    """
    split = CorpusSource(corpus, labels_read_of_both(measured)).tested_split
    embeddings = {name: np.asarray(load_embeddings(measured, name)) for name in STATES}
    progress("Measuring the embeddings as they are")
    Evaluations(measured.path).keep_post(measured_post(steps, embeddings, corpus, split, progress, fitted))


def measured_post(
    keys: list[str],
    embeddings: dict[str, np.ndarray],
    corpus: Corpus,
    split: Split,
    progress: Progress,
    fitted: Mapping[str, Processed] | None = None,
) -> Post:
    """``raw`` and each step: one entry per name (``before``, ``after``), fitted without labels on all texts.

    ``fitted``: what is there already of the steps after.
    """
    labels = labels_of(corpus)
    raw = {name: measured_on(vectors, labels, split) for name, vectors in embeddings.items()}
    results: Post = {"raw": {name: _numbers(measured) for name, measured in raw.items()}}
    first, *others = embeddings.values()
    is_untouched = all(np.array_equal(first, each) for each in others)

    def after_step(key: str, name: str, vectors: np.ndarray) -> StepResult:
        step, of_side = POSTPROCESSING[key], in_words(progress, f"{{}}, {name}".format)
        done = (fitted or {}).get(key) if name == "after" or is_untouched else None
        try:
            processed = done or step.fit_transform(vectors, corpus.kept, step.config_class(), of_side)
        except (CorpusError, NonFiniteError) as error:
            return StepResult(refused=error.message)
        measured = measured_on(processed.embeddings, labels, split)
        against_raw = ByDistance.of(
            lambda each: paired_shares(before=raw[name].by(each).correct, after=measured.by(each).correct).change
        )
        return _numbers(measured).model_copy(update={"against_raw": against_raw, **processed.used})

    for key in keys:
        results[key] = {}
        for name, vectors in embeddings.items():
            has_same = is_untouched and results[key]
            results[key][name] = next(iter(results[key].values())) if has_same else after_step(key, name, vectors)
    return results


def _numbers(measured: Measured) -> StepResult:
    shared = {name: getattr(measured.either, name) for name in ("k", "zero_vectors", "protocol")}
    return StepResult(knn=measurements(measured), **shared)
