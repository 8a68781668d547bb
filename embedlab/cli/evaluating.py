"""``evaluate``: a run, an encoder, vectors or a baseline, on a corpus or a file, alone or against another."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from embedlab.baseline_methods import BASELINE_METHODS, baseline_title
from embedlab.cli.arguments import Json, Option, Outcome, given, options
from embedlab.cli.embedding import Dimensions, chosen_steps, encoder_of, fitted_steps, named_encoder
from embedlab.cli.reading import (
    VECTORS,
    CorpusReading,
    OwnVectors,
    PostSteps,
    RunOrEncoder,
    SetOptions,
    corpus_of,
    read_test_set,
    words_of,
)
from embedlab.cli.terminal import Terminal
from embedlab.corpora.base import Corpus
from embedlab.counting import unit_of
from embedlab.disk_trouble import kept_if_possible
from embedlab.distance import DISTANCES
from embedlab.errors import SettingsError
from embedlab.measurement import Note
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import Metric
from embedlab.report.contract import key_of, printed_change, printed_value
from embedlab.report.result_lines import show_evaluate
from embedlab.runs.label_lineage import NO_LABELS, UNREAD_ONLY, labels_read_by, labels_read_of_run, name_of_before
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.faults import W_VECTORS, fault_notes
from embedlab.vectors.laid import LaidReport, rows_for

if TYPE_CHECKING:  # torch takes seconds to import
    from embedlab.tasks.measure.anything import Measuring, Values
    from embedlab.tasks.measure.sources import Source
    from embedlab.tasks.measure.subjects import ReadOnce, Subject


@options(only_one=True, required=True)
class SubjectOptions(RunOrEncoder):
    """The subject whose vectors, scores or ranking are measured."""

    embeddings: Annotated[str | None, Option(metavar=VECTORS)] = None
    baseline: Annotated[str | None, Option(metavar="tfidf|svd|bm25|…")] = None
    ranking: Annotated[str | None, Option("a TREC run file, measured with the judgments of --on", "FILE")] = None


@options()
class Evaluation:
    """A measurement: of what, on what, by which metrics, and against what."""

    of: SubjectOptions
    vectors: OwnVectors
    corpus: Annotated[str | None, Option("required without --run and --on")] = None
    metrics: Annotated[str | None, Option("default: knn, or what the file of --on allows", "knn,linear,…|all")] = None
    protocol: Literal["paper", "cv10"] = "paper"
    on: Annotated[
        str | None,
        Option("pairs, queries, judgments or candidates to measure on, or a folder or zip in BEIR's layout", "FILE"),
    ] = None
    set_reading: SetOptions
    words: Annotated[str | None, Option("GloVe or word2vec vectors, for the baseline static", "FILE")] = None
    against: Annotated[
        str | None,
        Option(
            "also measure this, and the difference with its interval", "ENCODER|BASELINE|untouched", names="encoder"
        ),
    ] = None
    dimensions: Dimensions = None
    post: PostSteps
    reading: CorpusReading


def evaluate(terminal: Terminal, *, evaluation: Evaluation) -> Outcome:
    """Metrics by the paper's split, or by cv10: published folds, file order; those of a run are stored with it."""
    from embedlab.tasks.measure.anything import Measuring
    from embedlab.tasks.measure.evaluate import keep_post
    from embedlab.tasks.measure.sources import CorpusSource
    from embedlab.tasks.measure.subjects import ReadOnce

    if (ranking := evaluation.of.ranking) is not None:
        return _ranking(ranking, evaluation, terminal)
    steps = chosen_steps(evaluation.post.post, evaluation.post.sets)
    source = _source(evaluation, terminal)
    result: Json = {}
    if isinstance(source, CorpusSource):
        corpus = source.corpus
        result |= {"corpus": corpus.info.name, "texts": corpus.info.texts}
    else:
        corpus, info = None, source.set.info
        result |= {"set": info.name, "fingerprint": info.fingerprint, **info.counts}
        result["reading"] = None if info.reading is None else info.reading.as_json
    run = None if evaluation.of.run is None else open_run(evaluation.of.run)
    measuring = Measuring(source, _metrics(evaluation, source), evaluation.protocol, run, evaluation.dimensions)
    if steps and corpus is None:
        raise SettingsError(
            "E-COMMAND", "--post changes the vectors of a corpus, but --on was given. Leave one of them out."
        )
    uncut, reading = _subject(evaluation, source, corpus, terminal)
    subject = ReadOnce(_cut(uncut, evaluation))
    notes = [] if reading is None else list(reading.warnings)
    if reading is not None:
        result["joined"] = reading.joined.model_dump()
    if evaluation.dimensions is not None:
        result["dimensions"] = evaluation.dimensions
    if evaluation.of.baseline is not None and BASELINE_METHODS[evaluation.of.baseline].counts:
        result["counted"] = unit_of(source.texts)
        terminal.note(f"{BASELINE_METHODS[evaluation.of.baseline].title} counts {result['counted']}.")
    measured = measuring.values(subject, terminal, keep_as="after")
    result["metrics"] = _printed(measured)
    if source.no_labels is not None and None in measured.values():
        terminal.note(source.no_labels.message)
        notes.append(source.no_labels)
    if isinstance(source, CorpusSource) and source.read.saw_labels:
        terminal.note(UNREAD_ONLY)
        notes.append(Note(code="I-SAW-LABELS", message=UNREAD_ONLY))
    if corpus is not None and (faults := subject.faults(corpus)) is not None:
        result["vectors"] = faults.model_dump(mode="json")
        notes += fault_notes({"vectors": faults})
    if (against := evaluation.against) is not None:
        other = ReadOnce(_cut(_other(against, evaluation, source, corpus, terminal), evaluation))
        result["against"] = _against(against, measuring, measured, other, terminal)
        faults = None if corpus is None else other.faults(corpus)
        if faults is not None and faults.sentences:
            notes += [Note(code=W_VECTORS, message=f"{against}: {fault}") for fault in faults.sentences]
    if steps and corpus is not None:
        fitted = fitted_steps(np.asarray(subject.rows(corpus)), corpus.kept, steps, terminal)
        after = measuring.after_steps(fitted, terminal)
        result["post"] = {key: {**_printed(after[key]), **fitted[key].used} for key in fitted}
        if not evaluation.post.sets and measuring.is_as_the_page_measures and run is not None:
            with kept_if_possible(terminal):
                keep_post(run, corpus, list(steps), terminal, fitted)
    return Outcome(result, show_evaluate(result), warnings=notes if notes or reading is not None else None)


def _ranking(file: str, evaluation: Evaluation, terminal: Terminal) -> Outcome:
    """A TREC run file measured on judgements, without any texts."""
    from embedlab.corpora.sets.reading import read_judgements, read_ranking
    from embedlab.tasks.measure.anything import measured_ranking

    has_more = (evaluation.against, evaluation.dimensions) != (None, None)
    if evaluation.on is None or has_more or evaluation.metrics not in (None, "retrieval"):
        raise SettingsError(
            "E-COMMAND", "--ranking can only be measured with the judgments of --on FILE, as retrieval."
        )
    scores, of_ranking = read_ranking(file, progress=terminal)
    reading = evaluation.set_reading.reading(evaluation.reading.parsing)
    judged, of_judgements = read_judgements(evaluation.on, reading, progress=terminal)
    terminal.note(of_ranking.sentence)
    terminal.note(of_judgements.sentence)
    measured = measured_ranking(scores, judged)
    if missing := measured.facts["not_ranked"]:
        terminal.note(f"{missing:,} judged queries are not in the ranking and count as having retrieved nothing.")
    how = {"ranking": of_ranking.as_json, "judgements": of_judgements.as_json}
    result = {"set": evaluation.on, "metrics": {"retrieval": printed_value(measured)}, "reading": how}
    return Outcome(result, show_evaluate(result))


def _source(evaluation: Evaluation, terminal: Terminal) -> "Source":
    """The texts to measure on; of a corpus without those whose labels trained one of the subjects."""
    from embedlab.tasks.measure.sources import CorpusSource, SetSource

    if evaluation.on is not None:
        return SetSource(read_test_set(evaluation.on, evaluation.reading.parsing, terminal, evaluation.set_reading))
    if named := given(evaluation.set_reading):
        raise SettingsError("E-COMMAND", f"--{next(iter(named))} describes a file. Give it with --on FILE.")
    of, against = evaluation.of, evaluation.against
    corpus, read = corpus_of(evaluation.corpus, of.run, evaluation.reading, terminal), NO_LABELS
    if of.run is not None:
        read = labels_read_of_run(open_run(of.run))
    elif of.encoder is not None:
        read = labels_read_by(of.encoder)
    if against == "untouched" and of.run is not None:
        read |= labels_read_of_run(open_run(of.run), "before")
    elif against is not None and against != "untouched" and against not in BASELINE_METHODS:
        read |= labels_read_by(against)
    return CorpusSource(corpus, read)


def _metrics(evaluation: Evaluation, source: "Source") -> list[type[Metric]]:
    """The metrics of ``--metrics``, otherwise kNN on a corpus and every metric that a file serves."""
    from embedlab.tasks.measure.sources import CorpusSource

    if evaluation.metrics is None:
        keys = ["knn"] if isinstance(source, CorpusSource) else metrics_like(source.set.info.serves)
    elif evaluation.metrics.strip() == "all":
        keys = [metric.key for metric in METRICS if source.reason_against(metric) is None]
    else:
        keys = words_of(evaluation.metrics)
    return [METRICS[key] for key in dict.fromkeys(keys)]


def _subject(
    evaluation: Evaluation, source: "Source", corpus: Corpus | None, terminal: Terminal
) -> "tuple[Subject, LaidReport | None]":
    """What is measured, and how its file of vectors was read."""
    from embedlab.tasks.measure.subjects import GivenVectors, OfBaseline, OneEncoder, RunState

    if evaluation.of.baseline is not None:
        if evaluation.dimensions is not None:
            raise SettingsError("E-COMMAND", "--dimensions cuts an encoder's vectors, but --baseline was given.")
        return OfBaseline(evaluation.of.baseline, source.texts, evaluation.words), None
    if evaluation.of.embeddings is not None:
        if corpus is None:
            raise SettingsError(
                "E-COMMAND", "--embeddings belong to a corpus, but --on was given. Use --run or --encoder."
            )
        how, file = evaluation.vectors, evaluation.of.embeddings
        rows, without, reading = rows_for(corpus, file, column=how.column, by=how.vector_ids, as_numbers=how.as_numbers)
        return GivenVectors(rows, without), reading
    if evaluation.of.run is not None:
        folder = open_run(evaluation.of.run)
        is_own = corpus is not None and fingerprint_of(folder) == corpus.info.fingerprint
        if (is_own and folder.embeddings("after").exists()) or corpus is None:
            return RunState(folder, "after", terminal), None
    return OneEncoder(encoder_of(evaluation.of, corpus, terminal), terminal), None


def _cut(subject: "Subject", evaluation: Evaluation) -> "Subject":
    """Its first ``--dimensions``; a baseline's vectors are left as they are."""
    from embedlab.tasks.measure.subjects import FirstDimensions, OfBaseline

    if evaluation.dimensions is None or isinstance(subject, OfBaseline):
        return subject
    return FirstDimensions(subject, evaluation.dimensions)


def _printed(measured: "Values") -> Json:
    return {key: None if value is None else printed_value(value) for key, value in measured.items()}


def _against(against: str, measuring: "Measuring", measured: "Values", subject: "ReadOnce", terminal: Terminal) -> Json:
    """The other's values, ours minus its by metric, and the verdict by both distances."""
    is_untouched = against == "untouched"
    if is_untouched:
        assert measuring.run is not None, "refused before"
        name = name_of_before(measuring.run)
    else:
        name = baseline_title(against, unit_of(measuring.source.texts))
    other = measuring.against(measured, subject, terminal, name=name, is_untouched=is_untouched)
    comparison: Json = {"name": against}
    for key, change in other.changes.items():
        value = other.values[key]
        comparison[key] = ({} if value is None else printed_value(value)) | printed_change(change)
    if other.verdicts is not None:
        comparison |= {key_of("verdict", distance): other.verdicts.by(distance) for distance in DISTANCES}
    return comparison


def _other(name: str, evaluation: Evaluation, source: "Source", corpus: Corpus | None, terminal: Terminal) -> "Subject":
    """``untouched`` for the run's own, a baseline, or an encoder named as for ``--encoder``."""
    from embedlab.tasks.measure.subjects import OfBaseline, OneEncoder, RunState

    if name == "untouched":
        if evaluation.of.run is None:
            raise SettingsError("E-COMMAND", "--against untouched needs a run. Specify one with --run, or an encoder.")
        folder = open_run(evaluation.of.run)
        if corpus is None or fingerprint_of(folder) == corpus.info.fingerprint:
            return RunState(folder, "before", terminal)
        raise SettingsError("E-COMMAND", "--against untouched is measured on the run's own corpus. Leave --corpus out.")
    if name in BASELINE_METHODS:
        return OfBaseline(name, source.texts, evaluation.words)
    return OneEncoder(named_encoder(name, corpus, terminal), terminal)
