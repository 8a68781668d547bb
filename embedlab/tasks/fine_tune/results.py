"""The result of a run, as printed by the command line and read by the pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from embedlab.corpora.base import Corpus
from embedlab.counting import WORDS
from embedlab.distance import DISTANCES, Distance
from embedlab.measurement import ByDistance, Note, as_row
from embedlab.metrics.base import MetricResult
from embedlab.metrics.split import DEVELOPMENT_SEED, Split
from embedlab.runs.folder import RunFolder
from embedlab.runs.kept import existing_paths
from embedlab.runs.label_lineage import LabelExposure, lineage, name_of_before
from embedlab.runs.predictions import write_predictions
from embedlab.runs.reference_lines import KeptLine, lines_on, right_by
from embedlab.runs.result import (
    CorpusFacts,
    Development,
    KeptStep,
    Knn,
    Notice,
    PairsTrained,
    RunResult,
    SelectionCriterion,
    WithVerdict,
)
from embedlab.runs.store import append_row, read_rows, stored_request
from embedlab.statistics.intervals import paired_shares
from embedlab.statistics.verdict import PairedCorrectness
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.tasks.fine_tune.warnings import warnings_of
from embedlab.tasks.measure.embedded import Measured, labels_of, load_embeddings, measurements
from embedlab.tasks.measure.folds import judged
from embedlab.training.live import CHOSEN_BY
from embedlab.training.loop import TrainingStep
from embedlab.training.settings import RunSettings
from embedlab.vectors.faults import fault_notes, faults_in


@dataclass(frozen=True)
class EncoderAccuracies:
    """kNN accuracy on the test texts before training, of the last step, and of the best step."""

    before: Measured
    after: Measured
    best: Measured


@dataclass
class Measurements:
    """What was measured on a run's encoders; ``tested`` is None if the corpus allows no kNN accuracy.

    ``development`` is of the selected encoder.
    """

    tested: EncoderAccuracies | None
    development_before: Measured | None = None
    development: Measured | None = None
    judged_before: MetricResult | None = None
    judged_after: MetricResult | None = None


def facts_of(opened: OpenedRun, training: Trainer | None, read_after: LabelExposure) -> dict[str, Any]:
    """Return the fields of a result that are known of the current encoder before it is measured."""
    folder, settings, encoder = opened.folder, opened.settings, opened.encoder
    done = None if training is None else training.done
    return {
        "run": folder.id,
        "name": stored_request(folder).name,
        "corpus": corpus_facts(opened.corpus),
        "encoder": settings.encoder,
        "recipe": settings.recipe,
        "steps": 0 if done is None else done.steps,
        "usable_texts": 0 if training is None else training.usable_texts,
        "texts_read": 0 if done is None else done.texts,
        "training_seconds": 0.0 if done is None else round(done.seconds, 2),
        "stopped": training is not None and training.keeps_best,
        "learning_rate": None if training is None else training.learning_rate,
        "trained_parameters": (
            None if encoder.adapter is None else sum(each.numel() for each in encoder.trained_state().values())
        ),
        "pooling": encoder.pooling,
        "max_length": encoder.max_length,
        "prompts": {str(kind): prompt for kind, prompt in encoder.prompts.used.items()},
        "training_length": None if training is None else training.batches.max_length,
        "embedding_precision": encoder.embedding_precision,
        "weights_hash": encoder.weights_hash(),
        "trained_on": _trained_on(settings),
        "pairs": _pairs(training),
        "supervised": settings.recipe_part.is_supervised,
        "saw_labels": read_after.saw_labels,
        "lineage": tuple(lineage(settings.encoder)),
        "notices": _notices(folder),
    }


def result_so_far(opened: OpenedRun, training: Trainer, step: int) -> RunResult:
    """Return what the result would say if the process ended now, with the encoder of this step in place."""
    read_after, best = opened.read | training.labels_read, training.best
    is_best = best is not None and best.steps == step
    kept_step = KeptStep(
        step=step,
        best_step=step if is_best else None,
        best_development=best.score if best is not None and is_best else None,
        judged=_judged(training) if is_best else None,
    )
    warnings = tuple(warnings_of(opened, training, read_after, None))
    return RunResult(**facts_of(opened, training, read_after), kept=kept_step, warnings=warnings)


def train_result(
    *,
    opened: OpenedRun,
    training: Trainer | None,
    measured: Measurements,
    references: dict[str, KeptLine],
    read_after: LabelExposure,
    exported: Note | None,
    seconds: float,
) -> RunResult:
    """The result, but for ten folds, which are predicted afterwards."""
    folder, corpus = opened.folder, opened.corpus
    tested, judge, judged = measured.tested, opened.judge, measured.judged_before
    faults = {
        side: faults_in(load_embeddings(folder, side), corpus.kept, corpus.copies) for side in ("before", "after")
    }
    result = RunResult(
        **facts_of(opened, training, read_after),
        vectors=faults,
        seconds=round(seconds, 2),
        judge=None if judge is None or judged is None else judge.result(judged, measured.judged_after),
        knn=None if tested is None or opened.split is None else knn_of(tested, opened.split),
        kept=_kept(training),
        folds=None,  # until all labelled texts are predicted too
        development=_development(training, measured),
        references={} if tested is None else lines_on(references, tested.after.either.test_rows),
        warnings=(
            *warnings_of(opened, training, read_after, exported),
            *fault_notes({side.capitalize(): each for side, each in faults.items()}),
        ),
        paths=existing_paths(folder),
    )
    if tested is None or training is None:
        return result
    right = right_of(tested.before, selected_of(tested, training), references)
    return result.model_copy(update={"judged": judged_by(right), "judged_against": name_of_before(folder)})


def right_of(before: Measured, after: Measured, references: dict[str, KeptLine]) -> dict[Distance, PairedCorrectness]:
    """Which test texts are right before and after, and for each reference, by both distances."""
    lines = right_by(references, after.either.test_rows)
    counted = next((line.counted for line in references.values() if line.counted), WORDS)
    return {
        each: PairedCorrectness(before.by(each).correct, after.by(each).correct, lines, counted) for each in DISTANCES
    }


def judged_by(right: dict[Distance, PairedCorrectness]) -> ByDistance[WithVerdict]:
    """The numbers of the verdict."""
    return ByDistance.of(lambda each: judged(right[each], paired_shares, trained=True))


def corpus_facts(corpus: Corpus) -> CorpusFacts:
    """The facts about a corpus in a result."""
    info = corpus.info
    return CorpusFacts(
        name=info.name, texts=info.texts, classes=len(info.classes), fingerprint=info.fingerprint, reading=info.reading
    )


def knn_of(tested: EncoderAccuracies, split: Split) -> Knn:
    """kNN accuracy of the encoders ``before``, ``after`` and ``best``, and its protocol."""
    return Knn(
        before=measurements(tested.before),
        after=measurements(tested.after),
        best=measurements(tested.best),
        protocol=split.protocol,
        k=tested.after.either.k,
        zero_vectors=tested.after.either.zero_vectors,
    )


def _development(training: Trainer | None, measured: Measurements) -> Development | None:
    """The development accuracy of the selected encoder, by which studies choose."""
    before, after = measured.development_before, measured.development
    if training is None or before is None or after is None:
        return None
    return Development(before=measurements(before), after=measurements(after), step=training.opened_step)


def append_full_point(folder: RunFolder, measured: Measured, *, steps: int, done: TrainingStep | None = None) -> None:
    """Add the whole protocol's value to the live curve: before training, of the last step, of the kept step."""
    read_until = {"texts": 0, "seconds": 0.0}
    if done is not None:
        read_until = {"texts": done.texts, "seconds": round(done.seconds, 3)}
    elif live := [row for row in read_rows(folder.metrics) if row["step"] == steps]:
        read_until = {name: live[0][name] for name in read_until}
    knn, texts = as_row(measurements(measured)), measured.either.test_texts
    append_row(folder.metrics, {"full": True, "step": steps, **read_until, "test_texts": texts, "knn": knn})


def predict(
    folder: RunFolder, corpus: Corpus, tested: EncoderAccuracies, training: Trainer | None, *, weights_hash: str = ""
) -> None:
    """Store the neighbors' prediction for each test text, before and by the selected encoder.

    ``weights_hash``, of that encoder as in the run's result, is kept beside: whose predictions these are.
    """
    sides = {"before": tested.before, "after": selected_of(tested, training)}
    rows, labels = tested.before.either.test_rows, labels_of(corpus)
    texts = {"row": pa.array(rows, pa.int64()), "label": [str(labels[row]) for row in rows]}
    predictions: ByDistance[Mapping[str, Sequence]] = ByDistance.of(
        lambda each: {name: list(side.by(each).predictions) for name, side in sides.items()}
    )
    write_predictions(folder.predictions, texts, predictions, weights_hash=weights_hash)


def _notices(folder: RunFolder) -> tuple[Notice, ...]:
    """The watchdog's notices, the last of each kind."""
    newest = {}
    for row in read_rows(folder.metrics):
        for notice in row.get("notices", ()):
            newest[notice["code"]] = Notice(**notice, step=row["step"])
    return tuple(newest.values())


def selected_of(tested: EncoderAccuracies, training: Trainer | None) -> Measured:
    """The last encoder; after Stop the best one."""
    return tested.best if training is not None and training.keeps_best else tested.after


JUDGES = {
    "knn": "development texts",
    "loss": "loss on held-out texts",
    "ranks": "ranks of held-out summaries",
    "set": "pairs of the judging file",
}


def _trained_on(settings: RunSettings) -> str:
    if settings.recipe_part.is_supervised:
        return "labels of the train split"
    return "given pairs" if settings.pairs else settings.train_on


def _pairs(training: Trainer | None) -> PairsTrained | None:
    """For a run on given pairs: their facts, and how many rows of the file were trained on."""
    if training is None or training.pairs is None:
        return None
    info, used = training.pairs.info, training.usable_texts
    return PairsTrained(
        name=info.name,
        fingerprint=info.fingerprint,
        rows=info.rows,
        used=used,
        left_out=info.rows - used,
        reading=info.reading,
    )


def _kept(training: Trainer | None) -> KeptStep | None:
    """Which step was kept, and why."""
    if training is None:
        return None
    judge, step, best = JUDGES.get(training.judged_by, ""), training.done.steps, training.best
    if not training.keeps_best:
        is_fitted = training.settings.schedule == "fitted"
        reason = f"The last step, {'as planned for this number of texts' if is_fitted else 'as in the papers'}."
    elif training.stopped_early:
        reason = f"Ended at step {step:,} because the {judge} stopped improving: the best step is kept."
        step = training.opened_step
    elif training.best_differs:
        reason = f"Stopped. Kept the step with the best score by the {judge}."
        step = training.opened_step
    else:
        reason = f"Stopped. Kept the last step, the best so far by the {judge}."
    if best is None:
        return KeptStep(step=step, reason=reason, best_step=None)
    return KeptStep(
        step=step,
        reason=reason,
        best_step=best.steps,
        best_development=None if best.steps is None else best.score,
        judged=_judged(training),
    )


def _judged(training: Trainer) -> SelectionCriterion | None:
    """What judged the live points, to explain the kept step; None if nothing could."""
    if training.judged_by != "knn":
        return SelectionCriterion(by=training.judged_by)
    if not training.is_judged or training.live is None:
        return None
    return SelectionCriterion(
        by="knn",
        distance=CHOSEN_BY,
        development_texts=len(training.live.development),
        neighbors=len(training.live.neighbors),
        seed=DEVELOPMENT_SEED,
    )
