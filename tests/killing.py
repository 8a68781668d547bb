"""Workers that are killed at a chosen moment, and what must be the same of a run that was killed and one that was not.

A worker started with ``EMBEDLAB_KILL=write:7`` in its environment (tests/warm_worker.py looks there) ends by SIGKILL
at its seventh write. The product knows nothing of it.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from embedlab.training.settings import RunSettings

KILL = "EMBEDLAB_KILL"
STEP, EVALUATION, WRITE = PLACES = ("step", "evaluation", "write")
_COUNTING = "count"
_BY_THE_CLOCK = ("progress.json", "beat.json", "stages.jsonl")  # written as time goes by: not at the same moment twice
_TIMED = {"seconds", "texts_per_second", "at"}

_ROOM = {"batch_size": 16, "vocabulary_size": 300, "max_length": 24, "training_length": 12, "max_steps": 7}
_ROOM |= {
    "evaluate_every": 3,
    "checkpoint_every": 2,
    "live_texts": 100,
    "maps": False,
    "inside": False,
    "embedding_precision": "fp32",
}
_LAYERED = {**_ROOM, "encoder": "scratch:bert-tiny"}
FAMILIES = {
    # all texts are live: what is drawn by the clock, as a token layer's sample is, may differ between two runs
    "crops, token layer": {**_ROOM, "live_texts": 200, "encoder": "token", "recipe": "crops"},
    "SimCSE, dropout": {**_LAYERED, "recipe": "simcse"},
    "SimCSE, gradient caching": {**_LAYERED, "recipe": "simcse", "micro_batch": 4},
    "elongation": {**_LAYERED, "recipe": "elongation-self"},
    "contrastive tension": {**_LAYERED, "recipe": "contrastive-tension"},
    "SemCSE, summaries": {**_LAYERED, "recipe": "semcse"},
    "TSDAE, decoder": {**_LAYERED, "recipe": "tsdae"},
    "MLM": {**_LAYERED, "recipe": "mlm"},
    "BYOL, target network": {**_LAYERED, "recipe": "byol"},
    "VICReg, batch statistics": {**_LAYERED, "recipe": "vicreg"},
}


@dataclass
class Story:
    """Runs of one family that were killed until they ended: (place, the how many-th such moment) of each kill, and how
    they differ from a run left alone."""

    family: str
    kills: list[tuple[str, int]] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """For the message of a test that fails."""
        kills = ", ".join(f"{place} {number}" for place, number in self.kills)
        return f"{self.family}: killed at {kills}; not equal: {', '.join(self.differences) or 'nothing'}"


def story(family: str, corpus: str, *, kills: int, rng: random.Random, places: Iterator[str]) -> Story:
    """Runs of this family on the corpus with this fingerprint, killed so often; each is compared with a whole one."""
    from embedlab.jobs.runner import resume, submit, wait
    from embedlab.runs.state import State

    settings = {**FAMILIES[family], "corpus": corpus}
    with _asked(_COUNTING):
        whole = submit(RunSettings(**settings))
        _require_finished(wait(whole).state, family)
    moments = Counter((whole.path / "moments.txt").read_text(encoding="utf-8").split())
    told, run = Story(family), None
    expected = outcome(whole)
    while len(told.kills) < kills or run is not None:
        place = next(places)
        number = rng.randint(1, moments[place] if run is None else max(1, moments[place] // 2))
        with _asked(f"{place}:{number}" if len(told.kills) < kills else None):
            run = submit(RunSettings(**settings)) if run is None else resume(run)
            state = wait(run).state
        if state is State.INTERRUPTED:
            told.kills.append((place, number))
            continue
        _require_finished(state, family)
        found = outcome(run)
        told.differences += [f"{name} of {run.id}" for name in expected if found[name] != expected[name]]
        run = None
    return told


def outcome(run) -> dict:
    """What two runs of the same settings have in common, whatever happened to them on the way."""
    from doing import result_of

    from embedlab.runs.store import read_rows

    result = result_of(run)
    names = ("weights_hash", "steps", "knn", "kept", "folds", "verdict", "development")
    rows = {f.name: [_untimed(row) for row in read_rows(f)] for f in (run.metrics, run.terms)}
    vectors = {name: run.embeddings(name).read_bytes() for name in ("before", "after")}
    return {name: _untimed(result[name]) for name in names} | rows | vectors


def _untimed(value):
    if isinstance(value, dict):
        return {name: _untimed(each) for name, each in value.items() if name not in _TIMED}
    return value


def _require_finished(state, family: str) -> None:
    assert str(state) == "finished", f"a run of {family!r} is {state}"


@contextmanager
def _asked(what: str | None) -> Iterator[None]:
    before = os.environ.pop(KILL, None)
    if what is not None:
        os.environ[KILL] = what
    try:
        yield
    finally:
        os.environ.pop(KILL, None)
        if before is not None:
            os.environ[KILL] = before


def arm(folder: str) -> None:
    """In the worker: end at the moment that ``EMBEDLAB_KILL`` names, or write down every moment there is."""
    place, _, number = os.environ[KILL].partition(":")
    reached: Counter[str] = Counter()

    def is_the_end(here: str) -> bool:
        reached[here] += 1
        if place == _COUNTING:
            with open(os.path.join(folder, "moments.txt"), "a", encoding="utf-8") as file:
                file.write(f"{here}\n")
        return here == place and reached[here] == int(number)

    def end() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    _after_steps(is_the_end, end)
    _after_embedding(is_the_end, end)
    _within_writes(is_the_end, end)


def _after_steps(is_the_end, end) -> None:
    from embedlab.tasks.fine_tune import trainer

    train = trainer.train

    def killed(**how):
        for step in train(**how):
            if is_the_end(STEP):
                end()
            yield step

    trainer.train = killed


def _after_embedding(is_the_end, end) -> None:
    """Vectors are there, and nothing is measured, kept or written of them yet."""
    from embedlab.tasks.measure import sharing
    from embedlab.training import live

    def killing(embed):
        def killed(*of, **how):
            found = embed(*of, **how)
            if is_the_end(EVALUATION):
                end()
            return found

        return killed

    live.embed_tokens, sharing.embed_tokens = killing(live.embed_tokens), killing(sharing.embed_tokens)


def _within_writes(is_the_end, end) -> None:
    """Half a row, half a file of weights, a whole file that has not its name yet, one that just got it."""
    from embedlab.training import checkpoints

    write, replace, save_file = os.write, os.replace, checkpoints.save_file

    def half_a_row(descriptor: int, line: bytes) -> int:
        if line.startswith(b"{") and b'"kind"' not in line and is_the_end(WRITE):
            write(descriptor, line[: len(line) // 2])
            end()
        return write(descriptor, line)

    def beside_its_name(source, target, **how) -> None:
        counts = os.path.basename(target) not in _BY_THE_CLOCK
        if counts and is_the_end(WRITE):
            end()
        replace(source, target, **how)
        if counts and is_the_end(WRITE):
            end()

    def half_a_file(tensors, file, **how) -> None:
        save_file(tensors, file, **how)
        if is_the_end(WRITE):
            os.truncate(file, os.path.getsize(file) // 2)
            end()

    os.write, os.replace, checkpoints.save_file = half_a_row, beside_its_name, half_a_file
