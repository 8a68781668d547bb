"""Candidates trained in the process of the Find, which keeps them in memory between rungs, and what they share."""

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from embedlab.augmentations.fit import UNTOUCHED
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.device import choose_device
from embedlab.encoders.encoder import Encoder
from embedlab.finds.look import Attempt, Begin, CandidateLook, attempted, until
from embedlab.finds.model import Candidate, FindSettings
from embedlab.finds.sampler import LAST, SHARES, end_of
from embedlab.finds.store import Find
from embedlab.measurement import as_row
from embedlab.progress import Progress
from embedlab.runs.state import now
from embedlab.runs.store import SCHEMA, append_row
from embedlab.store_root import make_folder, write_json
from embedlab.tasks.find.choosing import ByLabels, BySet, Chooser
from embedlab.tasks.fine_tune.listeners.checkpoints import save
from embedlab.tasks.fine_tune.opening import OpenedRun, choose_embedding_precision, open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.training.checkpoints import random_state, set_random_state
from embedlab.training.settings import RunSettings

ROOM = 2**30  # bytes of weights and moments that are kept in memory between two rungs; more lie on the disk
WORTH_WRITING = 20.0  # seconds of training: less is made again after a kill, with the same bits


class SharedByCandidates:
    """What all candidates of one Find share on one corpus."""

    def __init__(self, find: Find, settings: FindSettings, corpus: Corpus, progress: Progress):
        self.find, self.settings, self.corpus, self.progress = find, settings, corpus, progress
        self.device = choose_device("auto")
        judge, device = settings.judge, self.device.name
        self.chooser: Chooser = ByLabels(corpus, device) if judge is None else BySet(judge, device)
        self.opened: dict[tuple[str, int | None], OpenedRun] = {}
        self._measurable: set[tuple[str, int | None]] = set()
        self._tokens: dict[tuple[str, int | None, str], list | None] = {}

    def run_settings(self, candidate: Candidate, **length: Any) -> RunSettings:
        """The run settings of this candidate, whose length is told by the caller."""
        values: dict[str, Any] = {"corpus": self.settings.corpus, "seed": self.settings.seed}
        values |= {"encoder": candidate.encoder, "recipe": candidate.recipe, **candidate.settings, **length}
        not_of_a_run = ("length", "parameters")
        return validated(RunSettings, {name: value for name, value in values.items() if name not in not_of_a_run})

    def full_settings(self, candidate: Candidate) -> RunSettings:
        """The settings of the winner's full training: all its steps, with the rate falling at the end."""
        if candidate.kind != "trained":
            return self.run_settings(candidate)
        return self.run_settings(candidate, schedule="epochs", epochs=None, max_steps=candidate.steps_in_full)

    def loaded(self, encoder: str, max_length: int | None = None) -> OpenedRun:
        """The untouched encoder, loaded once for each maximum text length."""
        if (encoder, max_length) not in self.opened:
            untouched = {"corpus": self.settings.corpus, "encoder": encoder, "recipe": UNTOUCHED}
            values = {**untouched, "max_length": max_length, "seed": self.settings.seed}
            settings, folder = validated(RunSettings, values), self.find.run_of(UNTOUCHED)  # nothing is written there
            self.opened[encoder, max_length] = open_run(folder, settings, self.corpus, self.progress)
        return self.opened[encoder, max_length]

    def base(self, encoder: str, max_length: int | None = None) -> OpenedRun:
        """The same, ready to be measured: its embedding precision is chosen, which takes seconds."""
        opened = self.loaded(encoder, max_length)
        if (encoder, max_length) not in self._measurable:
            choose_embedding_precision(opened)
            self._measurable.add((encoder, max_length))
        return opened

    def tokens_of(self, encoder: str, max_length: int | None = None, *, reader: Encoder | None = None) -> list | None:
        """The chooser's texts tokenized for this encoder, once for each prompt; ``reader``: the same one, trained."""
        reader = reader or self.base(encoder, max_length).encoder
        key = encoder, max_length, reader.prompts.of("document")
        if key not in self._tokens:
            self._tokens[key] = self.chooser.tokens(reader)
        return self._tokens[key]


@dataclass(frozen=True)
class PausedTraining:
    """A training between two rungs, with torch's random state."""

    training: Trainer
    random: dict[str, torch.Tensor]

    @property
    def bytes(self) -> int:
        """Its trained weights, three times over for the optimiser's moments."""
        return 3 * sum(each.numel() * each.element_size() for each in self.training.encoder.parameters())


class InProcess:
    """The trainings of one Find."""

    def __init__(self, shared: SharedByCandidates):
        self.shared, self.find = shared, shared.find
        self._paused: dict[str, PausedTraining] = {}
        self._look_seconds: dict[str, float] = {}  # of the newest look at this encoder

    def train(
        self, candidates: list[Candidate], rung: int, begin: Begin, left: Callable[[], float]
    ) -> Iterator[tuple[Candidate, Attempt, float]]:
        """One after the other; the budget is charged the seconds that each took."""
        for candidate in candidates:
            if begin(candidate):
                yield candidate, *attempted(partial(self.one, candidate, rung, left=left()))

    def forget(self, candidate: Candidate) -> None:
        """Drop one that goes no further."""
        self._paused.pop(candidate.key, None)

    def one(self, candidate: Candidate, rung: int, *, is_kept: bool = False, left: float = math.inf) -> CandidateLook:
        """To the end of the rung from where it stood, and a look at it; ``is_kept``: its state is always written.

        Where ``left`` seconds, less one look, end before that, it is broken off.
        """
        began = time.perf_counter()
        progress = until(began + left - self._look_seconds.get(candidate.encoder, 0.0), self.shared.progress)
        training = self._opened(candidate)
        fitting = training.planned
        planned = max(len(SHARES), round(fitting * candidate.length))
        self._write_settings(candidate, training.settings, planned)
        in_steps = training.done.seconds
        if rung == LAST:
            training.train_to(end_of(LAST - 1, fitting, planned), progress)
            training.optimiser.fall_to(planned, since=training.done.steps)
        training.train_to(end_of(rung, fitting, planned), progress)
        in_steps = training.done.seconds - in_steps
        looked = time.perf_counter()
        tokens = self.shared.tokens_of(candidate.encoder, candidate.settings.get("max_length"), reader=training.encoder)
        dim = training.encoder.dim
        value, units = self.shared.chooser.cuts(training.encoder, tokens, [dim])[dim]
        self._look_seconds[candidate.encoder] = time.perf_counter() - looked
        folder = self.find.run_of(candidate.key)
        if rung < LAST:
            is_kept = is_kept or rung > 0 or time.perf_counter() - began > WORTH_WRITING
            paused = PausedTraining(training, random_state())
            if is_kept or sum(each.bytes for each in self._paused.values()) + paused.bytes > ROOM:
                save(training, folder)
            else:
                self._paused[candidate.key] = paused
        row = {**training.done.place, "development_knn": as_row(value), "loss": training.done.terms.get("loss")}
        append_row(folder.metrics, row)
        return CandidateLook(
            value,
            units,
            time.perf_counter() - began,
            steps=training.done.steps,
            planned=planned,
            training_seconds=in_steps,
        )

    def _opened(self, candidate: Candidate) -> Trainer:
        """From memory, from its newest checkpoint, or from the first step."""
        if (paused := self._paused.pop(candidate.key, None)) is not None:
            set_random_state(paused.random)
            return paused.training
        settings = self.shared.run_settings(candidate, decay="constant")
        base = self.shared.base(candidate.encoder, settings.max_length)
        folder = self.find.run_of(candidate.branch_of or candidate.key)
        encoder = copy.deepcopy(base.encoder)
        encoder.prompts = encoder.prompts.changed(settings.prompts)
        training = prepared(replace(base, folder=folder, settings=settings, encoder=encoder), is_watched=False)
        training.resume()
        return training

    def _write_settings(self, candidate: Candidate, settings: RunSettings, planned: int) -> None:
        folder = self.find.run_of(candidate.key)
        if folder.settings.exists():
            return
        make_folder(folder.path)
        values = settings.stored | {"schedule": "epochs", "epochs": None, "max_steps": planned}
        content = {"schema": SCHEMA, "task": "train", "name": candidate.title, "created": now(), "settings": values}
        write_json(folder.settings, content)
