"""One run from start to end: measure the untouched encoder, fine-tune with a live curve, measure again, draw."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import numpy as np
import torch

from embedlab.augmentations.fit import offered_by, require_fit
from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.corpora.pairs.stored import open_pairs
from embedlab.encoder_names import is_made_here
from embedlab.encoders.device import choose_device, line_of
from embedlab.encoders.load import load_encoder
from embedlab.encoders.precision import precision_of_embedding
from embedlab.encoders.processes import present
from embedlab.errors import NonFiniteError, StopRequested
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.runner import hand_on
from embedlab.jobs.stages import FOLDS
from embedlab.jobs.worker_process import is_elsewhere
from embedlab.metrics.split import LiveTexts
from embedlab.report.model_card import write_model_card
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import keep_labels_read, labels_read_by
from embedlab.runs.live import write_live
from embedlab.runs.reference_lines import KeptLine, ReferenceLine, lines_on
from embedlab.runs.result import Development, write_result
from embedlab.runs.state import State, write_state
from embedlab.tasks.draw.map import WORTH_IT
from embedlab.tasks.fetch import fetch_encoder_first
from embedlab.tasks.fine_tune.exported import exported_remark
from embedlab.tasks.fine_tune.fine_tuning import FineTuning
from embedlab.tasks.fine_tune.judge_set import judge_set
from embedlab.tasks.fine_tune.results import (
    append_full_point,
    circumstances,
    measurements,
    opened_of,
    predict,
    train_result,
)
from embedlab.tasks.fine_tune.target import target_of
from embedlab.tasks.measure.embedded import (
    development_of,
    embed_corpus,
    load_embeddings,
    measure,
    save_embeddings,
    split_of,
)
from embedlab.tasks.measure.folds import folds_of
from embedlab.tasks.measure.references import live_references_of, reference_lines_of
from embedlab.tasks.measure.untouched import untouched_embeddings
from embedlab.tasks.parts import parts
from embedlab.training.preparation import training_rows
from embedlab.training.settings import RunSettings


def run(folder: RunFolder, asked: dict, progress: FolderProgress) -> State:
    """Everything a run does. After Stop the best encoder so far is what is kept, measured and opened."""
    began, processes = time.perf_counter(), present()
    settings = validated(RunSettings, asked)
    progress("Opening the corpus")
    corpus = load_corpus(settings.corpus, progress=progress)
    write_state(folder, State.RUNNING, **circumstances(settings, corpus))
    device = choose_device(settings.device)
    encoder = load_for(settings, corpus, progress).to(device.name)
    precision = precision_for(settings.precision, device, encoder)
    pairs = open_pairs(settings.pairs) if settings.pairs else None
    judge = judge_set(settings.judge, device.name)
    require_fit(settings.recipe_part.title, settings.needs, encoder.provides | offered_by(corpus, pairs))
    least_cosine = choose_embedding_precision(settings, encoder, corpus, device)
    trains = settings.recipe_part.objective is not None
    if processes is not None:
        processes.require(device)
        if not encoder.layers:  # a token layer's step is too short to be shared
            processes.end()
            processes = None
    count = 1 if processes is None else processes.count
    write_state(
        folder,
        State.RUNNING,
        device=device.name,
        device_line=line_of(device, count),
        processes=count,
        precision=precision,
        embedding_precision=encoder.embedding_precision,
        embedding_cosine=least_cosine,
    )
    read = labels_read_by(settings.encoder)
    everyone, _ = split_of(corpus)
    split, no_knn = split_of(corpus, read)
    training = None
    if trains:  # first of all, so that texts without views are refused before anything is measured
        progress("Looking for usable texts")
        training = FineTuning(
            folder=folder,
            settings=settings,
            corpus=corpus,
            encoder=encoder,
            split=everyone,
            device=device.name,
            precision=precision,
            read=read,
            processes=processes,
            pairs=pairs,
            judge=judge,
            target=target_of(settings, device.name, read, progress),
        )
    if processes is not None:
        processes.agree()  # now that everything is here, the others make theirs
    references = reference_lines_of(corpus, progress)
    if training is not None and training.live is not None:
        write_live(folder, training.live, live_references(training.live, corpus, references, progress))
    reading = {"device": device.name, "progress": progress}
    judged_before = judged_after = None
    if judge is not None:
        progress(f"Measuring {judge.metric.title} on the judging file, untouched")
        judged_before = judge.measure(encoder)
    embeddings = untouched_embeddings(encoder, corpus, **reading, into=folder.embeddings("before"))
    chosen_on = development_of(corpus, everyone, read)
    beside = training is not None and draws_beside(settings, corpus)
    if training is None:
        save_embeddings(folder, "after", embeddings)
        encoder.save(folder.encoder)
    elif keeps_untouched(settings):
        encoder.save(folder.untouched_encoder)
    if beside:
        hand_on("map_before", {"of": folder.id})  # its process starts while the vectors are measured here
    before = measure(embeddings, corpus, split)
    measured = {"before": before, "after": before, "best": before}
    development_before = measure(embeddings, corpus, chosen_on)
    if training is not None:
        training.resume()
        if training.resumed_at is None:
            append_full_point(folder, measured["before"], steps=0)
        with one_core_left() if beside else nullcontext():
            _fine_tune(training, folder, progress)
        measured |= _measure_tuned(training, folder, corpus, split, reading)
        if judge is not None:
            judged_after = judge.measure(encoder)
        if training.keeps_best and training.best_differs:
            append_full_point(folder, measured["best"], steps=training.curve.best_steps)
        append_full_point(folder, measured["after"], steps=training.done.steps, done=training.done)
    if processes is not None:
        processes.end()  # the rest is done by one
    stopped = training is not None and training.stopped
    read_after = read if training is None else read | training.labels_read
    keep_labels_read(folder, before=read, after=read_after)
    development = None
    if training is not None and chosen_on is not None:
        opened = measure(load_embeddings(folder, "after"), corpus, chosen_on)
        step = training.curve.best_steps if training.keeps_best and training.best_differs else training.done.steps
        development = Development(before=measurements(development_before), after=measurements(opened), step=step)
    result = train_result(
        folder=folder,
        settings=settings,
        corpus=corpus,
        encoder=encoder,
        measured=measured,
        training=training,
        development=development,
        references=references,
        split=split,
        read={"before": read, "after": read_after},
        no_knn=no_knn,
        judge=None if judge is None else judge.facts(judged_before, judged_after),
        exported=exported_remark(
            encoder, corpus, split, load_embeddings(folder, "after"), opened_of(measured, training), reading
        ),
        seconds=time.perf_counter() - began,
    )
    if split is not None:
        predict(folder, corpus, measured, training, weights_hash=result["weights_hash"])
    write_result(folder, result)  # before the folds: Stop may skip them, and the result stays
    _write_card(folder)
    if settings.maps:
        hand_on("map", {"run": folder.id, "method": "tsne"})
    with suppress(StopRequested), one_core_left() if settings.maps else nullcontext():
        if not read_after.saw_labels:  # else they would test texts whose labels were trained on
            progress(FOLDS)
            result["folds"] = folds_of(folder, corpus, split, progress, trained=trains)
        result["seconds"] = round(time.perf_counter() - began, 2)
        write_result(folder, result)
        _write_card(folder)
    return State.STOPPED if stopped else State.FINISHED


def live_references(live: LiveTexts, corpus, references: dict[str, KeptLine], progress) -> dict[str, ReferenceLine]:
    """TF-IDF and SVD on the very texts of the live curve."""
    lines = references if live.is_whole else live_references_of(corpus, live.tested(live.test), progress)
    return lines_on(lines, live.test)


def _write_card(folder: RunFolder) -> None:
    """What is known now: numbers and verdict come after the encoder was saved."""
    write_model_card(folder, parts())


def draws_beside(settings: RunSettings, corpus) -> bool:
    """Whether the map of the untouched encoder is drawn while the run trains: elsewhere all are drawn after it."""
    return settings.maps and len(corpus.kept) >= WORTH_IT and not is_elsewhere()


@contextmanager
def one_core_left() -> Iterator[None]:
    """One thread less: two threads that share a core with other work wait for each other and are slower than one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads - 1))
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def precision_for(asked: str, device, encoder) -> str:
    """bf16 where the device has it; a token layer does no matrix work that would gain by it."""
    if asked != "auto":
        return asked
    return "bf16" if device.supports_bf16 and encoder.layers > 0 else "fp32"


def choose_embedding_precision(settings: RunSettings, encoder, corpus, device) -> float | None:
    """Tell the encoder in which numbers it embeds from now on.  -> the cosine to fp32 that decided, where one did"""
    texts = corpus.texts.at(corpus.kept)
    found = precision_of_embedding(settings.asked_embedding_precision, encoder, texts, device)
    encoder.embedding_precision = found.name
    return found.least_cosine


def keeps_untouched(settings: RunSettings) -> bool:
    """Whether the untouched encoder is saved too: one that is made here, or of a run that may be deleted."""
    return is_made_here(settings.encoder) or settings.encoder.startswith("run:")


def load_for(settings: RunSettings, corpus, progress):
    """The encoder a run starts from, read as asked, else as its recipe's paper reads, where the encoder can be."""
    fetch_encoder_first(settings.encoder, progress)
    encoder = load_encoder(
        settings.encoder,
        corpus=corpus,
        seed=settings.seed,
        pooling=settings.pooling,
        max_length=settings.max_length,
        vocabulary_size=settings.vocabulary_size,
        vocabulary_rows=_vocabulary_rows(settings, corpus),
        progress=progress,
    )
    wished = settings.recipe_part.pooling
    if settings.pooling is None and wished in encoder.poolings:
        encoder.read_by(wished)
    return encoder


def _vocabulary_rows(settings: RunSettings, corpus) -> np.ndarray | None:
    """The texts that a vocabulary may be made of, where they are not all: the test texts are unseen in this too."""
    return None if settings.train_on == "all" else training_rows(corpus, split_of(corpus)[0], settings.train_on)


def _fine_tune(training: FineTuning, folder: RunFolder, progress: FolderProgress) -> None:
    """Train and save: ``encoder`` is the last (after Stop the best), ``best-encoder`` the best where it is another."""
    try:
        training.run(progress)
    except NonFiniteError:
        training.encoder.save(folder.encoder)
        raise
    progress.raises, progress.stop_file = True, folder.stop_now if training.stopped else folder.stop
    if training.best_differs:
        last = training.swap_in_best()
        training.encoder.save(folder.encoder if training.keeps_best else folder.best_encoder)
        training.swap_in(last)
    if not (training.keeps_best and training.best_differs):
        training.encoder.save(folder.encoder)


def _measure_tuned(training: FineTuning, folder: RunFolder, corpus, split, reading: dict) -> dict:
    """kNN accuracy of the last and of the best encoder; the embeddings of the one that is opened are saved."""

    def measured(name: str, into: Path):
        return measure(embed_corpus(training.encoder, corpus, **reading, name=name, into=into), corpus, split)

    found = {}
    after, beside = folder.embeddings("after"), folder.embeddings("best-step")
    found["after"] = found["best"] = measured("fine-tuned", after)
    if training.best_differs:
        kept = training.swap_in_best()
        found["best"] = measured("best step", after if training.keeps_best else beside)
        if not training.keeps_best:
            training.swap_in(kept)
            beside.unlink()
    return found
