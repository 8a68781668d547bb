"""``evaluate``: a run, an encoder, vectors or a baseline, on a corpus or a file, alone or against another."""

from typing import Annotated, Literal

import numpy as np

from embedlab.baseline_methods import BASELINE_METHODS, baseline_title
from embedlab.cli.arguments import Command, Option, given, options
from embedlab.cli.measuring import encoder_of
from embedlab.cli.options import VECTORS, OwnVectors, PostSteps, RunOrEncoder
from embedlab.cli.reading import CorpusReading, SetOptions, corpus_of, note_reading, reading_as_json, words_of
from embedlab.counting import unit_of
from embedlab.distance import DISTANCES
from embedlab.errors import SettingsError
from embedlab.registry import Registry
from embedlab.report.contract import key_of, printed_change, printed_value
from embedlab.report.evaluation_lines import note, show_evaluate
from embedlab.runs.label_lineage import (
    NO_LABELS,
    UNREAD_ONLY,
    LabelExposure,
    labels_read_by,
    labels_read_of_run,
    name_of_before,
)
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.vectors.faults import fault_notes
from embedlab.vectors.laid import rows_for


@options(only_one=True, required=True)
class Subject(RunOrEncoder):
    """What is measured."""

    embeddings: Annotated[str | None, Option(metavar=VECTORS)] = None
    baseline: Annotated[str | None, Option(metavar="tfidf|svd|bm25|…")] = None
    ranking: Annotated[str | None, Option("a TREC run file, measured with the judgements of --on", "FILE")] = None


@options()
class Evaluation:
    """What is measured of whom, on what, and against whom."""

    of: Subject
    vectors: OwnVectors
    corpus: Annotated[str | None, Option("required without --run and --on")] = None
    metrics: Annotated[str | None, Option("default: knn, or what the file of --on allows", "knn,linear,…|all")] = None
    protocol: Literal["paper", "cv10"] = "paper"
    on: Annotated[
        str | None,
        Option("pairs, queries, judgements or candidates to measure on, or a folder or zip in BEIR's layout", "FILE"),
    ] = None
    set_reading: SetOptions
    words: Annotated[str | None, Option("GloVe or word2vec vectors, for the baseline static", "FILE")] = None
    against: Annotated[
        str | None, Option("also measure this, and the difference with its interval", "ENCODER|BASELINE|untouched")
    ] = None
    post: PostSteps
    reading: CorpusReading


def evaluate(terminal, *, asked: Evaluation) -> tuple[dict, int]:
    """Metrics by the paper's split or by ten folds; of a run they are kept beside it, so that Compare shows them."""
    from embedlab.cli.post import asked_steps, fitted_steps
    from embedlab.metrics import METRICS
    from embedlab.tasks.measure.anything import Measuring
    from embedlab.tasks.measure.evaluate import keep_post
    from embedlab.tasks.measure.subjects import RowsOnce

    if asked.of.ranking is not None:
        return _ranking(asked, terminal), 0
    steps = asked_steps(asked.post.post, asked.post.sets)
    source, corpus = _source(asked, terminal)
    measuring = Measuring(
        source, _metrics(asked, source, METRICS), asked.protocol, asked.of.run and open_run(asked.of.run)
    )
    if steps and corpus is None:
        raise SettingsError(
            "E-COMMAND", "--post changes the vectors of a corpus, but --on was given. Leave one of them out."
        )
    subject, reading = _subject(asked, source, corpus, terminal)
    result = _about(source, corpus) | reading
    if asked.of.baseline is not None and BASELINE_METHODS[asked.of.baseline].counts:
        result["counted"] = unit_of(source.texts)
        terminal.note(f"{BASELINE_METHODS[asked.of.baseline].title} counts {result['counted']}.")
    measured = measuring.values(subject, terminal, keep_as="after")
    result["metrics"] = _printed(measured)
    if source.no_labels is not None and None in measured.values():
        terminal.note(source.no_labels[1])
        result.setdefault("warnings", []).append(note(source.no_labels))
    if corpus is not None and source.read.saw_labels:
        terminal.note(UNREAD_ONLY)
        result.setdefault("warnings", []).append(note(("I-SAW-LABELS", UNREAD_ONLY)))
    if corpus is not None and (faults := subject.faults(corpus)) is not None:
        result["vectors"] = faults.as_json()
        result["warnings"] = [*result.get("warnings", ()), *fault_notes({"vectors": faults})]
    if asked.against is not None:
        other = RowsOnce(_other(asked, source, corpus, terminal))
        result["against"] = _against(asked, measuring, measured, other, terminal)
        faults = None if corpus is None else other.faults(corpus)
        if faults is not None and faults.sentences:
            result["warnings"] = [*result.get("warnings", ())] + [
                {**each, "message": f"{asked.against}: {each['message']}"} for each in fault_notes({"": faults})
            ]
    if steps:
        fitted = fitted_steps(np.asarray(subject.rows(corpus)), corpus.kept, steps, terminal)
        after = measuring.after_steps(fitted, terminal)
        result["post"] = {key: {**_printed(after[key]), **fitted[key].used} for key in fitted}
        if not asked.post.sets and measuring.is_as_the_page_measures:
            keep_post(measuring.run, corpus, list(steps), terminal, fitted)
    return result, 0


def _ranking(asked, terminal) -> dict:
    """A run file of TREC on judgements: the texts are not needed."""
    from embedlab.corpora.set_files import read_judgements, read_ranking
    from embedlab.tasks.measure.anything import measured_ranking

    if asked.on is None or asked.against is not None or asked.metrics not in (None, "retrieval"):
        raise SettingsError(
            "E-COMMAND", "--ranking can only be measured with the judgements of --on FILE, as retrieval."
        )
    scores, of_ranking = read_ranking(asked.of.ranking, progress=terminal)
    judged, of_judgements = read_judgements(
        asked.on, progress=terminal, **asked.set_reading.fields(asked.reading.parsing)
    )
    for report in (of_ranking, of_judgements):
        terminal.note(report.sentence)
    measured = measured_ranking(scores, judged)
    if missing := measured.facts["not_ranked"]:
        terminal.note(f"{missing:,} judged queries are not in the ranking and count as having retrieved nothing.")
    reading = {name: {**report.model_dump(mode="json"), "sentence": report.sentence} for name, report in
               (("ranking", of_ranking), ("judgements", of_judgements))}  # fmt: skip
    return {"set": asked.on, "metrics": {"retrieval": printed_value(measured)}, "reading": reading}


def _source(asked, terminal):
    """What is measured on, and the corpus behind it where it is one."""
    from embedlab.corpora.set_files import read_set
    from embedlab.tasks.measure.corpus_source import CorpusSource
    from embedlab.tasks.measure.set_source import SetSource

    if asked.on is None:
        if named := given(asked.set_reading):
            raise SettingsError("E-COMMAND", f"--{next(iter(named))} describes a file. Give it with --on FILE.")
        corpus = corpus_of(asked.corpus, asked.of.run, asked.reading, terminal)
        return CorpusSource(corpus, _read(asked) | _read_by_other(asked)), corpus
    found = read_set(asked.on, progress=terminal, **asked.set_reading.fields(asked.reading.parsing))
    note_reading(found.info, terminal)
    return SetSource(found), None


def _read(asked) -> LabelExposure:
    """Whose labels trained what is measured; a file of vectors and a baseline say of none."""
    if asked.of.run is not None:
        return labels_read_of_run(open_run(asked.of.run))
    return NO_LABELS if asked.of.encoder is None else labels_read_by(asked.of.encoder)


def _read_by_other(asked) -> LabelExposure:
    """The same of what it is measured against, because both are tested on the same texts."""
    if asked.against is None or asked.against in BASELINE_METHODS:
        return NO_LABELS
    if asked.against == "untouched":
        return NO_LABELS if asked.of.run is None else labels_read_of_run(open_run(asked.of.run), "before")
    return labels_read_by(asked.against)


def _metrics(asked, source, registry: Registry) -> list:
    """Those asked for, else kNN on a corpus and whatever a file serves."""
    from embedlab.metrics import metrics_like

    if asked.metrics is None:
        keys = ["knn"] if getattr(source, "set", None) is None else metrics_like(source.set.info.serves)
    elif asked.metrics.strip() == "all":
        keys = [metric.key for metric in registry if source.reason_against(metric) is None]
    else:
        keys = words_of(asked.metrics)
    return [registry[key] for key in dict.fromkeys(keys)]


def _subject(asked, source, corpus, terminal):
    """What is measured, and, of a file of vectors, how it was read."""
    from embedlab.tasks.measure.subjects import GivenVectors, OfBaseline, OneEncoder, RowsOnce, RunState

    if asked.of.baseline is not None:
        return RowsOnce(OfBaseline(asked.of.baseline, source.texts, asked.words)), {}
    if asked.of.embeddings is not None:
        if corpus is None:
            raise SettingsError(
                "E-COMMAND", "--embeddings belong to a corpus, but --on was given. Use --run or --encoder."
            )
        how = {"column": asked.vectors.column, "by": asked.vectors.vector_ids}
        rows, without, reading = rows_for(corpus, asked.of.embeddings, **how)
        return RowsOnce(GivenVectors(rows, without)), reading
    if asked.of.run is not None:
        folder = open_run(asked.of.run)
        is_own = corpus is not None and fingerprint_of(folder) == corpus.info.fingerprint
        if (is_own and folder.embeddings("after").exists()) or corpus is None:
            return RowsOnce(RunState(folder, "after", terminal)), {}
    return RowsOnce(OneEncoder(encoder_of(asked.of, corpus, terminal), terminal)), {}


def _printed(measured: dict) -> dict:
    return {key: None if found is None else printed_value(found) for key, found in measured.items()}


def _against(asked, measuring, measured: dict, subject, terminal) -> dict:
    """The other's values and ours minus its, metric by metric, and the verdict by both distances."""
    name, is_untouched = _name_of_other(asked, measuring), asked.against == "untouched"
    other = measuring.against(measured, subject, terminal, name=name, is_untouched=is_untouched)
    found: dict = {"name": asked.against}
    found |= {key: printed_value(other.values[key]) | printed_change(change) for key, change in other.changes.items()}
    if other.verdicts is not None:
        found |= {key_of("verdict", distance): other.verdicts.by(distance) for distance in DISTANCES}
    return found


def _name_of_other(asked, measuring) -> str:
    """What a verdict calls it."""
    if asked.against == "untouched":
        return name_of_before(measuring.run)
    return baseline_title(asked.against, unit_of(measuring.source.texts))


def _other(asked, source, corpus, terminal):
    """``untouched`` of the run, a baseline, or an encoder as ``--encoder`` names it."""
    from embedlab.encoders.load import load_encoder
    from embedlab.jobs.offline import go_offline
    from embedlab.tasks.fetch import fetch_encoder_first
    from embedlab.tasks.measure.subjects import OfBaseline, OneEncoder, RunState

    name = asked.against
    if name == "untouched":
        if asked.of.run is None:
            raise SettingsError("E-COMMAND", "--against untouched needs a run. Specify one with --run, or an encoder.")
        folder = open_run(asked.of.run)
        if corpus is None or fingerprint_of(folder) == corpus.info.fingerprint:
            return RunState(folder, "before", terminal)
        raise SettingsError("E-COMMAND", "--against untouched is measured on the run's own corpus. Leave --corpus out.")
    if name in BASELINE_METHODS:
        return OfBaseline(name, source.texts, asked.words)
    go_offline()
    fetch_encoder_first(name, terminal)
    return OneEncoder(load_encoder(name, corpus=corpus, progress=terminal), terminal)


def _about(source, corpus) -> dict:
    if corpus is None:
        info = source.set.info
        return {"set": info.name, "fingerprint": info.fingerprint, **info.counts, "reading": reading_as_json(info)}
    return {"corpus": corpus.info.name, "texts": corpus.info.texts}


COMMANDS = {"evaluate": Command(evaluate, show_evaluate, runs=("run",), encoders=("encoder", "against"))}
