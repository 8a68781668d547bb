"""How long a run would take: a few of its steps and one live point, timed."""

import math
import time

from embedlab.augmentations.fit import offered_by, require_fit
from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.encoders.device import choose_device
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json
from embedlab.tasks.fine_tune.fine_tuning import FineTuning
from embedlab.tasks.fine_tune.train import choose_embedding_precision, load_for, precision_for
from embedlab.tasks.measure.embedded import split_of
from embedlab.training.settings import RunSettings

LONGEST_SHARE_OF_TIME = 0.25  # live points take at most a fifth of the whole time


def run(folder: RunFolder, asked: dict, progress) -> None:
    """Settings of a run -> ``{steps, usable_texts, seconds_per_step, seconds}``; nothing of the run is kept."""
    settings = validated(RunSettings, asked)
    corpus = load_corpus(settings.corpus, progress=progress)
    device = choose_device(settings.device)
    encoder = load_for(settings, corpus, progress).to(device.name)
    require_fit(settings.recipe_part.title, settings.needs, encoder.provides | offered_by(corpus))
    choose_embedding_precision(settings, encoder, corpus, device)
    split, _ = split_of(corpus)
    progress("Timing a few steps")
    training = FineTuning(
        folder=folder,
        settings=settings,
        corpus=corpus,
        encoder=encoder,
        split=split,
        device=device.name,
        precision=precision_for(settings.precision, device, encoder),
    )
    steps = training.planned
    live = 0.0
    if training.curve is not None:
        began = time.perf_counter()
        training.curve.measure(encoder)
        live = time.perf_counter() - began
    per_step = training.seconds_a_step()
    seconds = per_step * steps + live_seconds(settings, live, per_step, steps)
    result = {
        "steps": steps,
        "usable_texts": training.usable_texts,
        "seconds_per_step": round(per_step, 4),
        "seconds": round(seconds, 1),
        "schedule": settings.schedule,
    }
    write_json(folder.result, result)


def live_seconds(settings: RunSettings, live: float, per_step: float, steps: int) -> float:
    """What live points add: as often as asked, else a fifth of the time at most, two points at least."""
    if settings.evaluate_every is not None:
        return live * (2 + math.floor(steps / settings.evaluate_every))
    return max(2 * live, min(LONGEST_SHARE_OF_TIME * per_step * steps, 100 * live))
