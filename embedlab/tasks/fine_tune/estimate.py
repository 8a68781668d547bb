"""What a run will take: a few of its own steps, embeddings and measurements, timed beforehand."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial

import numpy as np
import psutil
import torch

from embedlab.corpora import load_corpus
from embedlab.corpora.base import Corpus
from embedlab.counting import estimated_tokens
from embedlab.distance import DISTANCES
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.jobs.cost_estimate import Timing
from embedlab.jobs.progress import beginnings
from embedlab.jobs.resources import device_peak_bytes, peak_bytes
from embedlab.limits import LIMITS
from embedlab.metrics.split import Split
from embedlab.progress import Progress
from embedlab.runs.drawn_map import rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import steady_time
from embedlab.store_root import write_json
from embedlab.tasks.fine_tune.listeners.checkpoints import CHECKPOINT_SECONDS
from embedlab.tasks.fine_tune.opening import choose_embedding_precision, keeps_untouched, open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.fine_tune.train import draws_beside, live_references, one_core_left
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.tasks.fine_tune.warnings import write_circumstances
from embedlab.tasks.measure.corpus_cache import are_kept, keep_untouched, reference_lines_of
from embedlab.tasks.measure.embedded import labels_of, measured_on
from embedlab.tasks.measure.folds import why_no_folds
from embedlab.tasks.measure.line_texts import LineTexts
from embedlab.training.checkpoints import KEPT
from embedlab.training.preparation import steps_between_points
from embedlab.training.settings import Estimate, RunSettings
from embedlab.training.view_length import evenly_spread
from embedlab.vectors.files import ROWS_AT_ONCE

LONGEST_SHARE_OF_TIME = 0.25  # live points take at most a fifth of the whole time
MOST_STEPS, ENOUGH_SECONDS = 20, 6.0  # of steps that are timed
GROWS_UNTIL = 1000  # steps: the kernels keep about so many shapes
LEAST_SEEN = 4  # timed steps from which a growth of memory is read
SAMPLES = (8, 16, 64, 256)  # texts that are embedded to time it: more where those before took no time
LONGEST_BESIDE = 120  # seconds that the stand-in of a map works, whatever becomes of this process
WORTH_KEEPING = 10.0  # seconds: all texts are embedded where that takes no longer, and the run finds the vectors


_FOLDS_TO_PARTS = 11  # all texts are asked, twice, instead of the test and development parts: 0.19 of them


def run(folder: RunFolder, settings: Estimate, progress: Progress) -> None:
    """Settings of a run -> ``result.json``: its steps, seconds of training and to the verdict, memory, disk.

    Nothing of the run is kept but what the run would find on this corpus: reference lines, untouched vectors.
    """
    corpus = load_corpus(settings.corpus, progress=progress)
    write_circumstances(folder, settings, corpus)
    opened = open_run(folder, settings, corpus, progress)
    choose_embedding_precision(opened)
    encoder, device, split, judge = opened.encoder, opened.device, opened.split, opened.judge
    progress("Looking for usable texts")
    training = prepared(opened)
    preparing = steady_time() - beginnings(folder)[0].at
    texts = LineTexts.read_by(encoder, corpus, settings.max_length)
    references = reference_lines_of(texts, progress)
    if training.live is not None:
        live_references(training.live, texts, references, progress)
    untouched = _seconds_to_embed_untouched(encoder, corpus, device.name, progress)
    vectors = 4 * corpus.info.rows * encoder.dim  # bytes
    steps, live = training.planned, 0.0
    maps_beside = draws_beside(settings, corpus)
    with _beside_a_map() if maps_beside else nullcontext():
        progress("Timing the measurements")
        judging = sum(_seconds_to_judge(corpus, each, encoder.dim) for each in (split, opened.development))
        has_no_folds = settings.recipe_part.is_supervised or bool(why_no_folds(corpus, split))
        folds = 0.0 if has_no_folds else _FOLDS_TO_PARTS * judging
        if judge is not None:
            judging += _seconds(lambda: judge.measure(encoder))
        embedding = _seconds_to_embed(encoder, corpus, device.name)
        if training.curve is not None:
            live = embedding * (len(training.curve.texts) + len(training.curve.further_texts)) / len(corpus.kept)
            if live < 2 * ENOUGH_SECONDS:  # else it is not waited for, and the rest of it is of no account
                live = _seconds(training.measured)
    encoders = 2 if training.is_judged else 1  # the last and the best one
    passes = 1 if training.curve is not None and training.curve.reads(opened.split) else encoders
    with _beside_a_map() if maps_beside else nullcontext(), one_core_left() if maps_beside else nullcontext():
        memory = _MemoryByStep(progress)
        per_step = training.seconds_a_step(most=MOST_STEPS, enough=ENOUGH_SECONDS, progress=memory)
    seconds = per_step * steps + live_seconds(settings, live, per_step, steps)
    timing = Timing(
        steps=steps,
        usable_texts=training.usable_texts,
        training_length=training.batches.max_length,
        seconds_per_step=round(per_step, 4),
        seconds=round(seconds, 3),
        verdict_seconds=round(preparing + untouched + passes * embedding + 2 * judging + folds + seconds, 3),
        peak_bytes=_peak_bytes(
            training, vectors, encoders, growth(memory.held, steps), has_no_folds=bool(why_no_folds(corpus, split))
        ),
        device_peak_bytes=device_peak_bytes(),
        disk_bytes=_disk_bytes(training, vectors, seconds),
        schedule=settings.schedule,
        held_bytes=held_bytes(training),
    )
    write_json(folder.result, timing.model_dump())


def live_seconds(settings: RunSettings, live: float, per_step: float, steps: int) -> float:
    """The time of live points: as often as requested, otherwise at most a fifth of the time.

    The first one takes no time, because it reads the untouched vectors.
    """
    if (every := steps_between_points(settings, steps)) is not None:
        return live * (1 + math.floor(steps / every))
    return max(live, min(LONGEST_SHARE_OF_TIME * per_step * steps, 100 * live))


def _seconds_to_judge(corpus: Corpus, split: Split | None, dim: int) -> float:
    """The time of kNN accuracy on a split, with random vectors."""
    if split is None:
        return 0.0
    vectors = np.random.default_rng(0).standard_normal((len(split.rows), dim), np.float32)
    return _seconds(lambda: measured_on(vectors, labels_of(corpus)[split.rows], split.among(split.rows)))


def _seconds_to_embed_untouched(encoder: Encoder, corpus: Corpus, device: str, progress: Progress) -> float:
    """None if the untouched encoder's vectors are already stored, or are stored here for the run to find."""
    progress("Timing embeddings")
    if are_kept(encoder, corpus, device=device):
        return 0.0
    if (seconds := _seconds_to_embed(encoder, corpus, device)) > WORTH_KEEPING:
        return seconds
    keep_untouched(encoder, corpus, device=device, progress=progress)
    return 0.0


def _seconds_to_embed(encoder: Encoder, corpus: Corpus, device: str) -> float:
    """The time for all texts, from some of them: the more, the sooner they are read."""
    texts = corpus.texts.at(corpus.kept)
    seen = evenly_spread(texts)
    for size in SAMPLES:
        drawn = [seen[row] for row in np.unique(np.linspace(0, len(seen) - 1, size).astype(int))]
        seconds = _seconds(partial(embed, encoder, drawn, device=device))
        if size > SAMPLES[0] and seconds > ENOUGH_SECONDS / 2:  # the first call also prepares
            break
    return seconds * len(texts) * _mean_tokens(seen, encoder) / (len(drawn) * _mean_tokens(drawn, encoder))


def _mean_tokens(texts: list[str], encoder: Encoder) -> float:
    """Estimated, and at least one: a few long texts of a sample would count for all.  texts: (texts,)"""
    return max(float(np.mean([min(estimated_tokens(text), encoder.max_length) for text in texts])), 1.0)


_LIKE_A_MAP = f"""
import os, time
import numpy
parent, began = os.getppid(), time.monotonic()
vectors = numpy.random.default_rng(0).standard_normal((2000, 256), dtype=numpy.float32)
while os.getppid() == parent and time.monotonic() - began < {LONGEST_BESIDE}:
    (vectors @ vectors.T).argpartition(50, axis=1)
"""


@contextmanager
def _beside_a_map() -> Iterator[None]:
    """Occupy one core with a neighbor search, as drawing the untouched map does during a run."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    other = subprocess.Popen([sys.executable, "-c", _LIKE_A_MAP], env={**os.environ, **one_thread})
    try:
        yield
    finally:
        other.kill()
        other.wait()


class _MemoryByStep:
    """A progress that also samples memory after each step: the longer a run, the more batch lengths occur, and each
    leaves something in the allocator and in kernel caches. On two cores it grew with the logarithm of the steps: a
    small BERT with COCO-DR held 1.35 GB after one, 1.65 after 9, 2.08 after 51 and 2.48 after all 190.
    """

    def __init__(self, progress: Progress):
        self.progress = progress
        self.held: list[tuple[int, int]] = []  # steps, bytes

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        self.held.append((done, psutil.Process().memory_info().rss))
        self.progress(stage, done, total)


def growth(held: list[tuple[int, int]], steps: int) -> int:
    """Bytes to add to those after the last timed step; 0 if nothing grew, or too little was sampled.

    ``held``: bytes after each step. Neither the first step, which prepares, nor late jumps count.
    """
    seen = [(math.log(step), memory) for step, memory in held if step > 1]
    if len(seen) < LEAST_SEEN or steps <= held[-1][0]:
        return 0
    (first, before), (last, after) = seen[0], seen[-1]
    return max(round((after - before) / (last - first) * (math.log(min(steps, GROWS_UNTIL)) - last)), 0)


def _peak_bytes(training: Trainer, vectors: int, encoders: int, grown: int, *, has_no_folds: bool) -> int | None:
    """Memory of the timing, its growth, and what a run holds besides: the best step, what is written where the encoder
    trains elsewhere or with an adapter, vectors, all neighbors.
    """
    peak = peak_bytes()
    best = _bytes(training.encoder.trained_state()) if encoders > 1 else 0
    is_copied = training.encoder.adapter is not None or training.device != "cpu"
    written = _bytes(training.encoder.weights()) if is_copied else 0
    if has_no_folds:  # else both sides are copied beside their neighbors
        vectors = min(vectors, 4 * ROWS_AT_ONCE * training.encoder.dim)
    return None if peak is None else peak + grown + best + written + encoders * vectors + _neighbors_bytes(training)


def held_bytes(training: Trainer) -> dict[str, int]:
    """What stays in memory between two steps, after one: ``weights`` of encoder and objective, ``gradients``, which
    are there during a step, and ``moments`` of the optimiser. With an adapter the last two are of it alone."""
    optimiser = training.optimiser
    weights = {id(each): each for part in (training.encoder, training.objective) for each in part.parameters()}
    return {
        "weights": sum(each.nbytes for each in weights.values()),
        "gradients": sum(each.nbytes for each in optimiser.parameters),
        "moments": _bytes(optimiser.state_tensors()),
    }


def _bytes(tensors: Mapping[str, torch.Tensor]) -> int:
    return sum(each.nbytes for each in tensors.values())


def _neighbors_bytes(training: Trainer) -> int:
    """Index and distance of the neighbors before and after, by each distance."""
    return 2 * len(DISTANCES) * len(rows_to_draw(training.corpus)) * LIMITS.map_neighbors * 8


def _disk_bytes(training: Trainer, vectors: int, seconds: float) -> int:
    """What the run stores: encoders before, after and best, vectors and their neighbors twice, checkpoints."""
    encoder = _bytes(training.encoder.weights())
    made_here = keeps_untouched(training.settings)
    state = 2 * _bytes(training.encoder.trained_state()) + _bytes(training.optimiser.state_tensors())
    every = training.settings.checkpoint_every
    due = seconds / CHECKPOINT_SECONDS if every is None else training.planned / every
    return (2 + made_here) * encoder + 2 * vectors + _neighbors_bytes(training) + min(int(due), KEPT) * state


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
