"""What a reader of a run should know about its corpus, split, texts, labels and export, and its circumstances."""

import numpy as np
import torch

from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES
from embedlab.encoders.encoder import Encoder
from embedlab.jobs.versions import library_versions
from embedlab.measurement import Note
from embedlab.metrics.split import Split, is_sampled, sample_sentence
from embedlab.numbers import counted, percent
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import LabelExposure
from embedlab.runs.result import W_EXPORT
from embedlab.runs.state import State, write_state
from embedlab.tasks.fine_tune.opening import OpenedRun
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.tasks.measure.embedded import Measured, embed_aside, measure, texts_cut
from embedlab.tasks.measure.folds import why_no_folds
from embedlab.training.settings import RunSettings
from embedlab.vectors.files import taken


def warnings_of(
    opened: OpenedRun, training: Trainer | None, read_after: LabelExposure, exported: Note | None
) -> list[Note]:
    """All of them.

    ``read_after``: the labels that the encoder has read in the end; ``exported``: what its export changes.
    """
    corpus, split, settings, encoder = opened.corpus, opened.split, opened.settings, opened.encoder
    notes = list(encoder.remarks)
    if settings.matryoshka_weights:
        parts = (f"{dim:,} (weight {weight:g})" for dim, weight in sorted(settings.matryoshka_weights.items()))
        message = f"The loss is added up over the first dimensions of each vector (Matryoshka): {', '.join(parts)}."
        notes.append(Note(code="I-ENCODER-MATRYOSHKA", message=message))
    if training is not None and settings.training_length is None and training.batches.max_length is not None:
        message = (
            f"Training read at most {training.batches.max_length:,} tokens of a view, the 95th percentile of the "
            f"texts' tokens; the encoder reads {training.encoder.max_length:,} (training_length changes it)."
        )
        notes.append(Note(code="I-TRAINING-LENGTH", message=message))
    if training is not None and (remark := settings.remark_on_encoder) is not None:
        notes.append(remark)
    notes += _of_split(corpus, opened.no_split, split)
    notes += [] if read_after.saw_labels else why_no_folds(corpus, split)
    if cut := texts_cut(encoder, corpus):
        were = f"{cut:,} of {counted(len(corpus.kept), 'text')} {'was' if cut == 1 else 'were'}"
        notes.append(Note(code="W-TRUNCATED", message=f"{were} truncated at {encoder.max_length:,} tokens."))
    notes += [] if exported is None else [exported]
    if "summaries" in settings.needs and (made := corpus.made_summaries) is not None:
        how = "sentences of the texts themselves, not the paper's method" if made.extractive else "made in the app"
        message = f"The summaries are by {made.model} ({how}): {made.summaries:,} of {made.texts:,} texts."
        notes.append(Note(code="I-SUMMARIES", message=message))
    return [*notes, *_of_pairs(training), *_seen_in_training(settings, training, corpus, split, opened.read)]


def _of_split(corpus: Corpus, no_knn: Note | None, split: Split | None) -> list[Note]:
    notes = list(corpus.info.notes)
    if no_knn is not None:
        notes.append(no_knn)
    if split is not None and is_sampled(len(corpus.labelled)):
        notes.append(Note(code="I-SAMPLED", message=sample_sentence(split, len(corpus.labelled))))
    if split is not None and len(split.moved) + len(split.dropped):
        moved = counted(len(split.moved), "test text has a copy", "test texts have a copy")
        dropped = counted(len(split.dropped), "copy", "copies")
        changes = [f"{moved} among the train texts, moved there"] if len(split.moved) else []
        changes += [f"{dropped} within the test texts left out"] if len(split.dropped) else []
        notes.append(Note(code="W-COPIES", message=f"{'; '.join(changes)}."))
    if split is not None and split.singletons:
        names = ", ".join(split.singletons[:5])
        more = len(split.singletons) - 5
        names += f" and {more:,} more" if more > 0 else ""
        notes.append(Note(code="W-SINGLETON", message=f"Classes with one text are not tested: {names}."))
    return list({note.code: note for note in notes}.values())  # what this run's split did, before the corpus's note


def _of_pairs(training: Trainer | None) -> list[Note]:
    """Peculiarities of the pairs, and how many were held back so that test texts and judged pairs stay unseen."""
    if training is None or training.pairs is None:
        return []
    notes = list(training.pairs.info.notes)
    if training.held_back:
        held_back = counted(training.held_back, "pair contains", "pairs contain")
        message = f"{held_back} a test text of the corpus or a judged pair, not used for training."
        notes.append(Note(code="I-HELD-BACK", message=message))
    return notes


def _seen_in_training(
    settings: RunSettings, training: Trainer | None, corpus: Corpus, split: Split | None, read: LabelExposure
) -> list[Note]:
    """Whether the test texts were trained on, and with which labels; every result states it."""
    if split is None or (training is None and not read.saw_labels):
        return []
    if read.saw_labels and not settings.recipe_part.is_supervised:
        left_out = int(read.in_corpus(corpus, corpus.labelled).sum())
        message = f"Started from an encoder trained with labels, including those of {left_out:,} texts of this corpus, "
        message += "which are not tested. Do not compare it as an unsupervised result."
    elif settings.recipe_part.is_supervised:
        message = "Supervised: trained on the labels of the train split, without the development texts. The test texts "
        message += "were not seen. It is an upper bound; do not compare it as an unsupervised result."
    elif settings.pairs:
        message = "Trained on given pairs made by people: none contains a test text, and no label was used."
    elif training is not None and settings.train_texts is not None and settings.train_on == "all":
        drawn = counted(training.usable_texts, "text")
        message = f"Trained on {drawn} drawn by the seed, including test texts, without labels."
    elif settings.train_on == "all":
        message = "Trained on all texts, including the test texts, without labels, as in the papers"
        message += " (train_on = train_split leaves them out)."
    else:
        message = "Trained without the test texts and their copies."
    return [Note(code="I-TRAINED-ON", message=message)]


def write_circumstances(folder: RunFolder, settings: RunSettings, corpus: Corpus) -> None:
    """What a later reader needs besides ``settings.json``, as defaults may differ between versions."""
    made = corpus.made_summaries
    write_state(
        folder,
        State.RUNNING,
        settings=settings.stored | {"corpus": corpus.fingerprint},
        fingerprint=corpus.fingerprint,
        summaries=made and made.model_dump(include={"key", "model", "sha256"}),
        versions=library_versions(),
        threads=torch.get_num_threads(),
    )


COMPARED = 10_000  # vectors whose cosine is averaged, at most; evenly spaced


def exported_remark(
    encoder: Encoder,
    corpus: Corpus,
    split: Split | None,
    vectors: np.ndarray,
    measured: Measured | None,
    *,
    device: str,
    progress: Progress,
) -> Note | None:
    """How the export differs; None if sentence-transformers reads texts as this encoder does.

    vectors: (rows, dim), as the encoder gives them; ``measured`` on them
    """
    pooling, exported = encoder.pooling, encoder.exported_pooling
    if exported == pooling:
        return None
    encoder.read_by(exported)
    try:
        theirs = embed_aside(encoder, corpus, device=device, progress=progress, name="as exported")
    finally:
        encoder.read_by(pooling)
    some = corpus.kept[:: max(1, -(-len(corpus.kept) // COMPARED))]
    one, other = (taken(each, some).astype(np.float64) for each in (vectors, theirs))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    there = lengths > 0  # else there is no cosine
    cosine = float(((one * other).sum(axis=1)[there] / lengths[there]).mean()) if there.any() else 1.0
    message = (
        f"sentence-transformers has no pooling {pooling}, so the exported encoder uses {exported}. The mean cosine "
        f"between its vectors and those measured here is {cosine:.3f}"
    )
    if measured is not None and (as_exported := measure(theirs, corpus, split)) is not None:
        values = (
            f"{percent(as_exported.by(each).value)} instead of {percent(measured.by(each).value)} ({name})"
            for each, name in DISTANCES.items()
        )
        message += f", its kNN accuracy {', '.join(values)}"
    return Note(code=W_EXPORT, message=f"{message}.")
