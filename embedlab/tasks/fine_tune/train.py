"""One run from start to finish: open, measure the untouched encoder, fine-tune, measure, conclude, draw."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Thread

import numpy as np
import torch

from embedlab.corpora import load_corpus
from embedlab.corpora.base import Corpus
from embedlab.device import line_of, on_threads
from embedlab.encoder_catalog.names import is_token_layer, kind_of
from embedlab.encoders.processes import present
from embedlab.errors import NonFiniteError, StopRequested
from embedlab.jobs import pulse
from embedlab.jobs.executors.local import drawing_ready
from embedlab.jobs.progress import FOLDS, FolderProgress
from embedlab.jobs.requests.drawing import DrawMapBefore, DrawMaps
from embedlab.jobs.requests.measuring import MeasureInside
from embedlab.jobs.runner import enqueue_followup
from embedlab.jobs.worker_process import is_elsewhere
from embedlab.metrics.base import MetricResult
from embedlab.metrics.split import LiveTexts, Split
from embedlab.progress import Progress
from embedlab.report.model_card import write_model_card
from embedlab.runs.beat import MEASURING
from embedlab.runs.curve import write_live
from embedlab.runs.folder import RunFolder
from embedlab.runs.kept import drop_kept
from embedlab.runs.label_lineage import keep_labels_read
from embedlab.runs.reference_lines import KeptLine, ReferenceLine, lines_on
from embedlab.runs.result import RunResult, write_result
from embedlab.runs.state import State, write_state
from embedlab.tasks.draw.maps import WORTH_IT
from embedlab.tasks.draw.movement import floor_before
from embedlab.tasks.fine_tune.keeping import KeepingBest
from embedlab.tasks.fine_tune.opening import OpenedRun, choose_embedding_precision, keeps_untouched, open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.fine_tune.results import (
    JUDGES,
    EncoderAccuracies,
    Measurements,
    append_full_point,
    predict,
    result_so_far,
    selected_of,
    train_result,
)
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.tasks.fine_tune.warnings import exported_remark, write_circumstances
from embedlab.tasks.measure.corpus_cache import (
    live_references_of,
    reference_lines_aside,
    reference_lines_of,
    untouched_embeddings,
)
from embedlab.tasks.measure.embedded import (
    Measured,
    embed_aside,
    embed_corpus,
    load_embeddings,
    measure,
    save_embeddings,
    stage_of_embedding,
)
from embedlab.tasks.measure.folds import folds_of
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.training.settings import RunSettings
from embedlab.training.step_vectors import TextVectors


def run(folder: RunFolder, settings: RunSettings, progress: FolderProgress) -> State:
    """The whole run. After Stop the best encoder so far is kept, measured and selected."""
    began = time.perf_counter()
    progress("Opening the corpus")
    with imports_aside(settings.encoder):
        corpus = load_corpus(settings.corpus, progress=progress)
    is_whole = settings.max_length is None  # else the encoder has to say where the texts are cut
    whole = reference_lines_aside(LineTexts.whole(corpus), progress) if is_whole else nullcontext()
    with whole as references_of:
        opened = opened_here(folder, settings, corpus, progress)
    texts = LineTexts.read_by(opened.encoder, corpus, settings.max_length)
    with drawing_ready() if takes_seconds(settings, corpus) else nullcontext():
        training = trainer_of(opened)  # alone, because it times live points
        references = reference_lines_of(texts, progress) if references_of is None else references_of()
        if training is not None and training.live is not None:
            write_live(folder, training.live, live_references(training.live, texts, references, progress))
        measured = measure_untouched(opened, training)
        if training is not None:
            fine_tune(opened, training, measured, progress)
        if opened.processes is not None:
            opened.processes.end()  # the rest is done by one
        draw_and_predict(opened, conclude(opened, training, measured, references, began), texts, began)
    if settings.inside:
        enqueue_followup(MeasureInside(run=folder.id))
    return State.STOPPED if training is not None and training.stopped else State.FINISHED


@contextmanager
def imports_aside(encoder: str) -> Iterator[None]:
    """Import what this encoder needs first by a thread during the block, in which the corpus may still be gathered.

    scikit-learn takes a second, and transformers two.
    """
    needed = None if is_token_layer(encoder) else "embedlab.encoders.transformer"
    if kind_of(encoder) == "words":
        needed = "sklearn.feature_extraction.text"
    if needed is None:
        yield
        return
    thread = Thread(target=import_module, args=(needed,), daemon=True)
    thread.start()
    yield
    thread.join()  # two threads that import the same packages may meet half-made modules


def opened_here(folder: RunFolder, settings: RunSettings, corpus: Corpus, progress: FolderProgress) -> OpenedRun:
    """What the run works with; its device and facts are written to ``state.json``."""
    write_circumstances(folder, settings, corpus)
    opened = open_run(folder, settings, corpus, progress)
    least_cosine = choose_embedding_precision(opened)
    processes = present()  # started by torchrun
    if processes is not None:
        processes.require(opened.device)
        if not opened.encoder.layers:  # a token layer's step is too short to share
            processes.end()
            processes = None
    count = 1 if processes is None else processes.count
    write_state(
        folder,
        State.RUNNING,
        device=opened.device.name,
        device_line=line_of(opened.device, count),
        processes=count,
        precision=opened.precision,
        embedding_precision=opened.encoder.embedding_precision,
        embedding_cosine=least_cosine,
    )
    return replace(opened, processes=processes)


def trainer_of(opened: OpenedRun) -> Trainer | None:
    """None for a recipe that trains nothing. Texts without views are refused here, before anything is measured."""
    training = None
    if opened.settings.recipe_part.objective is not None:
        opened.progress("Looking for usable texts")
        training = prepared(opened)
    if opened.processes is not None:
        opened.processes.agree()  # now that everything is here, the others make theirs
    return training


def measure_untouched(opened: OpenedRun, training: Trainer | None) -> Measurements:
    """Embed and judge the untouched encoder, and save what cannot be reproduced; its map may be drawn from now on."""
    folder, settings, corpus, encoder = opened.folder, opened.settings, opened.corpus, opened.encoder
    judged = _judged(opened, ", untouched")
    device, progress = opened.device.name, opened.progress
    into = folder.embeddings("before")
    with pulse.during(MEASURING):
        embeddings = untouched_embeddings(encoder, corpus, device=device, progress=progress, into=into)
    if training is None:
        save_embeddings(folder, "after", embeddings)
        encoder.save(folder.encoder)
    else:
        if not settings.bidirectional:  # else it reads texts in another way from its first step on
            training.step_vectors.keep(0, TextVectors(embeddings))
        if keeps_untouched(settings):
            encoder.save(folder.untouched_encoder)
        if draws_beside(settings, corpus):
            enqueue_followup(DrawMapBefore(of=folder.id))  # its process starts while the vectors are measured here
    with pulse.during(MEASURING):
        before = measure(embeddings, corpus, opened.split)
    return Measurements(
        tested=None if before is None else EncoderAccuracies(before, after=before, best=before),
        development_before=measure(embeddings, corpus, opened.development),
        judged_before=judged,
    )


def fine_tune(opened: OpenedRun, training: Trainer, measured: Measurements, progress: FolderProgress) -> None:
    """Train from the newest checkpoint on, save what is kept, and measure it."""
    folder, draws = opened.folder, draws_beside(opened.settings, opened.corpus)
    describe = partial(result_so_far, opened, training)
    judge, labels = JUDGES.get(training.judged_by, ""), opened.read | training.labels_read
    training.listeners.append(KeepingBest(training, judge=judge, describe=describe, labels=labels))
    training.resume()
    if training.resumed_at is None and measured.tested is not None:
        append_full_point(folder, measured.tested.before, steps=0)
    with one_core_left() if draws else nullcontext():
        _train_and_save(training, folder, progress)
    _measure_tuned(opened, training, measured)
    measured.judged_after = _judged(opened)
    if measured.tested is None:
        return
    if training.keeps_best and training.best_differs:
        append_full_point(folder, measured.tested.best, steps=training.opened_step)
    append_full_point(folder, measured.tested.after, steps=training.done.steps, done=training.done)


def conclude(
    opened: OpenedRun, training: Trainer | None, measured: Measurements, references: dict[str, KeptLine], began: float
) -> RunResult:
    """Write ``result.json``, predictions and card. -> the result"""
    folder, corpus, split = opened.folder, opened.corpus, opened.split
    read_after = opened.read if training is None else opened.read | training.labels_read
    keep_labels_read(folder, before=opened.read, after=read_after)
    exported = exported_remark(
        opened.encoder,
        corpus,
        split,
        load_embeddings(folder, "after"),
        None if measured.tested is None else selected_of(measured.tested, training),
        device=opened.device.name,
        progress=opened.progress,
    )
    result = train_result(
        opened=opened,
        training=training,
        measured=measured,
        references=references,
        read_after=read_after,
        exported=exported,
        seconds=time.perf_counter() - began,
    )
    if measured.tested is not None:
        predict(folder, corpus, measured.tested, training, weights_hash=result.weights_hash or "")
    write_result(folder, result)  # before the folds: Stop may skip them, and the result stays
    drop_kept(folder)
    write_model_card(folder)
    return result


def draw_and_predict(opened: OpenedRun, result: RunResult, texts: LineTexts, began: float) -> None:
    """Draw the map in a separate process while every labelled text is predicted over ten folds; Stop skips both."""
    folder, settings = opened.folder, opened.settings
    if settings.maps:
        enqueue_followup(DrawMaps(run=folder.id))
    with suppress(StopRequested), one_core_left() if settings.maps else nullcontext():
        folds = None
        if not result.saw_labels:  # else they would test texts whose labels were trained on
            opened.progress(FOLDS)
            trained = settings.recipe_part.objective is not None
            folds = folds_of(folder, opened.corpus, opened.split, opened.progress, trained=trained, texts=texts)
        seconds = round(time.perf_counter() - began, 2)
        write_result(folder, result.model_copy(update={"folds": folds, "seconds": seconds}))
        write_model_card(folder)
        if takes_seconds(settings, opened.corpus):  # for the maps, which take longer than this
            floor_before(folder, opened.corpus, opened.progress, reader=opened.encoder)


def live_references(
    live: LiveTexts, texts: LineTexts, references: dict[str, KeptLine], progress: Progress
) -> dict[str, ReferenceLine]:
    """TF-IDF and SVD on exactly the texts of the live curve."""
    lines = references if live.is_whole else live_references_of(texts, live.tested(live.test), progress)
    return lines_on(lines, live.test)


def draws_beside(settings: RunSettings, corpus: Corpus) -> bool:
    """Whether the untouched map is drawn while the run trains; on other machines all maps are drawn afterwards."""
    return settings.maps and len(corpus.kept) >= WORTH_IT and not is_elsewhere()


def takes_seconds(settings: RunSettings, corpus: Corpus) -> bool:
    """Whether a token layer trains beside its map: one process, ready before there are vectors, draws both maps."""
    return is_token_layer(settings.encoder) and draws_beside(settings, corpus)


def one_core_left() -> AbstractContextManager[None]:
    """One thread fewer: threads that share a core with other work wait for each other and are slower than one."""
    return on_threads(max(1, torch.get_num_threads() - 1))


def _judged(opened: OpenedRun, which: str = "") -> MetricResult | None:
    """The judging file's score for the current encoder; None if the run has none."""
    if opened.judge is None:
        return None
    if which:
        opened.progress(f"Measuring {opened.judge.metric.title} on the judging file{which}")
    return opened.judge.measure(opened.encoder)


def _train_and_save(training: Trainer, folder: RunFolder, progress: FolderProgress) -> None:
    """``encoder`` is the last (after Stop the best), ``best-encoder`` the best if it differs."""
    try:
        training.run(progress)
    except NonFiniteError:
        training.encoder.save(folder.encoder)
        raise
    progress.raises, progress.stop_file = True, folder.stop_now if training.stopped else folder.stop
    if training.best_differs:
        training.exchange_best()
        training.encoder.save(folder.encoder if training.keeps_best else folder.best_encoder)
        training.exchange_best()
    if not (training.keeps_best and training.best_differs):
        training.encoder.save(folder.encoder)


def _measure_tuned(opened: OpenedRun, training: Trainer, measured: Measurements) -> None:
    """kNN accuracy of the last and of the best encoder; the selected one stays in place, its vectors saved."""
    folder, corpus = opened.folder, opened.corpus
    after = best = _measured(opened, _save_vectors(opened, training, training.done.steps, "fine-tuned"))
    if training.best is not None and training.best.steps is not None and training.best_differs:
        if training.keeps_best:
            training.exchange_best()
            best = _measured(opened, _save_vectors(opened, training, training.best.steps, "best step"))
        elif opened.split is not None:
            best = _measured(opened, _vectors_to_test(opened, opened.split, training, training.best.steps))
    if measured.tested is not None and after is not None and best is not None:
        measured.tested = replace(measured.tested, after=after, best=best)
    if opened.development is not None:
        measured.development = measure(load_embeddings(folder, "after"), corpus, opened.development)


def _measured(opened: OpenedRun, embeddings: np.ndarray) -> Measured | None:
    with pulse.during(MEASURING):
        return measure(embeddings, opened.corpus, opened.split)


def _save_vectors(opened: OpenedRun, training: Trainer, step: int, name: str) -> np.ndarray:
    """Save the vectors of the encoder in place, which is that of this step; embed only if there are none yet.

    -> (rows, dim)
    """
    corpus, progress, into = opened.corpus, opened.progress, opened.folder.embeddings("after")
    stored = training.step_vectors.of(step, corpus.kept)
    if stored is None:
        device = opened.device.name
        return embed_corpus(training.encoder, corpus, device=device, progress=progress, name=name, into=into)
    texts = len(corpus.kept)
    progress(stage_of_embedding(texts, name), texts, texts)  # a second press of Stop is noticed here, too
    save_embeddings(opened.folder, "after", stored.everywhere(corpus.info.rows))
    return load_embeddings(opened.folder, "after")


def _vectors_to_test(opened: OpenedRun, split: Split, training: Trainer, best_step: int) -> np.ndarray:
    """The vectors of the best step, whose encoder is not selected; a live point may have those that are tested.

    -> (rows, dim)
    """
    corpus = opened.corpus
    stored = training.step_vectors.of(best_step, np.union1d(split.train, split.test))
    if stored is not None:
        return stored.everywhere(corpus.info.rows)
    training.exchange_best()
    device, progress = opened.device.name, opened.progress
    embeddings = embed_aside(training.encoder, corpus, device=device, progress=progress, name="best step")
    training.exchange_best()
    return embeddings
