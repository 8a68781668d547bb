"""Where the candidates of a Find are made, trained and measured; what they share is made once."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import torch

from embedlab.augmentations.fit import CROPS, SENTENCES, UNTOUCHED, unfit_reason
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.encoder_catalog.catalog import ENCODERS, stored_hub_ids
from embedlab.encoder_catalog.names import is_made_here, is_token_layer
from embedlab.encoders.embed import embed, tokens_of
from embedlab.errors import EmbedlabError
from embedlab.finds.budget import crowds_out, too_dear
from embedlab.finds.earlier import EarlierFinds
from embedlab.finds.in_words import untouched_title
from embedlab.finds.look import CandidateLook, cuts_of, until
from embedlab.finds.model import Candidate, CandidateState, FindSettings
from embedlab.finds.sampler import FIRST, FULL, SHARES, Sampler, TrainingWay
from embedlab.finds.search import DEAREST
from embedlab.finds.store import Find, results_of
from embedlab.jobs.executors import LOCAL, Executor
from embedlab.jobs.versions import versions_here
from embedlab.numbers import duration
from embedlab.own_files import remove_files, written_in
from embedlab.progress import Progress, silent
from embedlab.tasks.find.choosing import REFERENCES
from embedlab.tasks.find.in_process import InProcess, SharedByCandidates
from embedlab.tasks.find.on_executor import OnExecutor
from embedlab.training.settings import RunSettings

DEAR = "n"  # begins the keys of what the budget does not allow
SAMPLED = 16  # texts by which an encoder's speed is known
USABLE = 0.1  # of the texts: below, a recipe sees too little of a corpus
LONG = 0.25  # of the texts are longer than half of what the words encoder reads: then half is tried as well
STEP_TO_READ = 3  # a training step does about three times the work of reading its texts


class CorpusWorkshop:
    """For one Find on one corpus; ``executor`` trains the candidates, or this process if it is local."""

    def __init__(
        self, find: Find, settings: FindSettings, corpus: Corpus, progress: Progress, executor: Executor = LOCAL
    ):
        self.find, self.settings, self.corpus, self.progress = find, settings, corpus, progress
        self.shared = SharedByCandidates(find, settings, corpus, progress)
        self.chooser, self.device = self.shared.chooser, self.shared.device
        self.metric, self.difference = self.chooser.metric.title, self.chooser.metric.difference
        self._preparing = 0.0
        self._seconds_a_text: dict[tuple[str, str], float] = {}
        self.trainings = InProcess(self.shared)
        self.train = self.trainings.train if executor is LOCAL else OnExecutor(find, executor, progress).train

    @cached_property
    def made_with(self) -> dict[str, str]:
        """What numbers depend on besides the settings."""
        return {**versions_here(), "device": self.device.name, "threads": str(torch.get_num_threads())}

    def preparing(self) -> float:
        """Seconds since the last call spent on what all candidates share."""
        seconds, self._preparing = self._preparing, 0.0
        return seconds

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._preparing += time.perf_counter() - began

    # What there is

    def fixed(self) -> list[Candidate]:
        """References, then untouched encoders that are here, token layers first."""
        references = [Candidate(key=key, kind="reference", title=title) for key, title in REFERENCES.items()]
        return references + [
            Candidate(
                key=f"u{number:02}", kind="untouched", title=untouched_title(encoder), encoder=encoder, recipe=UNTOUCHED
            )
            for number, encoder in enumerate(self.encoders)
        ]

    def timed(self, candidates: list[Candidate]) -> list[Candidate]:
        """By a few texts each, until ``DEAREST`` of the budget is spent; cheapest first."""
        began, timed = time.perf_counter(), []
        with self._timed():
            for candidate in candidates:
                facts: dict[str, Any]
                if (took := time.perf_counter() - began) > DEAREST * 60 * self.settings.minutes:
                    reason = f"Timing the encoders before it took {duration(took)} of the budget."
                    facts = {"state": CandidateState.NOT_TRIED, "reason": reason}
                else:
                    try:
                        facts = {"cost_seconds": round(self.seconds_of_a_look(candidate.encoder), 1)}
                    except EmbedlabError as error:
                        facts = {"state": CandidateState.FAILED, "reason": error.message}
                timed.append(candidate.model_copy(update=facts))
        return sorted(timed, key=lambda each: each.cost_seconds or 0)

    @cached_property
    def encoders(self) -> list[str]:
        """Token layers, and every encoder that loads without a download."""
        stored = stored_hub_ids()
        catalog = [
            entry.key
            for entry in ENCODERS
            if not is_made_here(entry.key) and (entry.is_here or (entry.package is None and entry.hub_id in stored))
        ]
        others = sorted(stored - {ENCODERS[key].hub_id for key in catalog})
        return ["words", "token", *catalog, *(f"hf:{name}" for name in others)]

    def seconds_a_text(self, encoder: str) -> float:
        """Measured time to embed one text of the corpus."""
        return self._clocked(encoder, "corpus", self.corpus.texts.at(self.corpus.kept))

    def seconds_of_a_look(self, encoder: str) -> float:
        """The time to embed all texts of the chooser, which may be longer than the corpus's."""
        texts = self.chooser.own_texts
        each = self.seconds_a_text(encoder) if texts is None else self._clocked(encoder, "chooser", texts)
        return each * self.chooser.texts

    def _clocked(self, encoder: str, whose: str, among: Sequence[str]) -> float:
        """Seconds per text, for a few texts drawn with a fixed seed; measured once."""
        if (encoder, whose) in self._seconds_a_text:
            return self._seconds_a_text[encoder, whose]
        opened = self.shared.loaded(encoder)
        device, precision = self.device.name, "bf16" if self.device.supports_bf16 else "fp32"
        texts = [among[row] for row in np.random.default_rng(0).permutation(len(among))[:SAMPLED].tolist()]
        embed(opened.encoder, texts[:2], device=device, precision=precision)
        began = time.perf_counter()
        embed(opened.encoder, texts, device=device, precision=precision)
        self._seconds_a_text[encoder, whose] = (time.perf_counter() - began) / max(len(texts), 1)
        return self._seconds_a_text[encoder, whose]

    def sampler(self, budget: float) -> Sampler:
        """Over the ways that fit these texts and whose first rung fits the budget.

        What fits is told by the clock: once the first rung has begun it stays as it was decided then.
        """
        with self._timed():
            results = results_of(self.find)
            if results.rung is None:
                self.find.journal.unlink(missing_ok=True)
                ways = self._affordable(budget)
            else:
                left_out = {each.title for each in results.candidates if each.key.startswith(DEAR)}
                ways = [way for way in self._ways if way.title not in left_out]
            return Sampler(self.find, ways, self.settings.seed, self._before.best())

    def too_dear(self, budget: float) -> list[Candidate]:
        """The ways that exceed the budget, with the time of their first rung."""
        affordable = self._affordable(budget)
        dear = [(way, self._first_rung_seconds(way)) for way in self._ways if way not in affordable]
        return [
            Candidate(
                key=f"{DEAR}{number:02}",
                kind="trained",
                title=way.title,
                encoder=way.encoder,
                recipe=way.recipe,
                state=CandidateState.NOT_TRIED,
                cost_seconds=round(cost, 1),
                reason=too_dear(cost, DEAREST * budget) if cost > DEAREST * budget else crowds_out(cost),
            )
            for number, (way, cost) in enumerate(dear)
        ]

    def _affordable(self, budget: float) -> list[TrainingWay]:
        """The ways whose first rung fits, cheapest first, while rungs of ``FULL`` trainings fit that draw evenly.

        Where no such way is left, those whose first rung fits.
        """
        seconds, ways = self._first_rung_seconds, list[TrainingWay]()
        fitting = [way for way in self._ways if seconds(way) <= DEAREST * budget]
        for way in sorted(fitting, key=seconds):
            each = sum(map(seconds, (*ways, way))) / (len(ways) + 1)
            ways += [way] if each * FULL <= FIRST * budget else []
        return [way for way in self._ways if way in (ways or fitting)]

    @cached_property
    def _ways(self) -> list[TrainingWay]:
        shares, ways = self._usable, []
        untimed = {
            each.encoder
            for each in results_of(self.find).candidates
            if each.state is CandidateState.NOT_TRIED and each.cost_seconds is None
        }
        for encoder in self.encoders:
            if encoder in untimed:
                continue
            try:
                opened = self.shared.loaded(encoder).encoder
            except EmbedlabError:  # said where it was to be looked at as it is
                continue
            half = opened.max_length // 2 if self._has_long_texts else None
            more: dict[str, Any] = {"half_length": half, "has_prompts": bool(opened.prompts.used)}
            if shares[SENTENCES] >= USABLE:
                ways += [
                    TrainingWay(encoder, SENTENCES, "sentence", **more),
                    TrainingWay(encoder, SENTENCES, "rest", **more),
                ]
            if shares[CROPS] >= USABLE:
                ways.append(TrainingWay(encoder, CROPS, **more))
            settings = validated(RunSettings, {"corpus": "?", "encoder": encoder, "recipe": "dropout"})
            if unfit_reason(settings.needs, opened.provides | self.corpus.offers) is None:
                ways.append(TrainingWay(encoder, "simcse", **more))
        return ways

    @cached_property
    def _has_long_texts(self) -> bool:
        encoder = self.shared.loaded("words").encoder
        tokens = tokens_of(encoder, self.corpus, self.corpus.kept)
        return bool(np.mean([len(each) > encoder.max_length // 2 for each in tokens]) >= LONG)

    @cached_property
    def _usable(self) -> dict[str, float]:
        """The share of texts that give two views, by recipe."""
        shares = {}
        for recipe in (SENTENCES, CROPS):
            settings = validated(RunSettings, {"corpus": "?", "recipe": recipe})
            augmentation = settings.make_augmentation(self.corpus, self.corpus.kept.tolist())
            usable = sum(augmentation.usable(row) for row in self.corpus.kept.tolist())
            shares[recipe] = usable / max(len(self.corpus.kept), 1)
        return shares

    def _first_rung_seconds(self, way: TrainingWay) -> float:
        """Zero for token layers, otherwise by the time to read their texts."""
        if is_token_layer(way.encoder):
            return 0.0
        per_epoch = self._usable.get(way.recipe, 1.0) * len(self.corpus.kept)
        trained = self.seconds_a_text(way.encoder) * 3 * SHARES[0] * per_epoch * STEP_TO_READ
        return trained + self.seconds_of_a_look(way.encoder)

    @cached_property
    def _before(self) -> EarlierFinds:
        return EarlierFinds(self.find, self.settings, self.made_with)

    # Looking and training

    def look(self, candidate: Candidate, left: float) -> CandidateLook:
        """Measure a reference, or an untouched encoder, also cut, that is broken off after ``left`` seconds."""
        began = time.perf_counter()
        if candidate.kind == "reference":
            return CandidateLook(*self.chooser.reference(candidate.key), time.perf_counter() - began)
        encoder, tokens = self.shared.base(candidate.encoder).encoder, self.shared.tokens_of(candidate.encoder)
        progress = silent if is_token_layer(candidate.encoder) else until(began + left, self.progress)
        looks = self.chooser.cuts(encoder, tokens, [encoder.dim, *cuts_of(encoder.dim)], progress)
        value, units = looks.pop(encoder.dim)
        return CandidateLook(value, units, time.perf_counter() - began, cuts=looks)

    def earlier(self, candidate: Candidate, rung: int) -> CandidateLook | None:
        """What an earlier Find measured that would come out the same."""
        return self._before.look(candidate, rung)

    def let_go(self, candidate: Candidate) -> None:
        """Delete its weights; settings and curve stay."""
        self.trainings.forget(candidate)
        checkpoints = self.find.run_of(candidate.key).checkpoints
        if checkpoints.exists():
            remove_files(checkpoints, written_in(checkpoints, "checkpoints"))
