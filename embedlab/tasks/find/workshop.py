"""Where the candidates of a Find are made, trained and looked at, in one process: what all share is made once."""

import copy
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cached_property

import numpy as np

from embedlab.augmentations.fit import offered_by, unfit_reason
from embedlab.augmentations.proposal import CROPS, SENTENCES, UNTOUCHED
from embedlab.config import validated
from embedlab.encoder_names import is_made_here, is_token_layer
from embedlab.encoders import hub
from embedlab.encoders.catalog import ENCODERS
from embedlab.encoders.device import choose_device
from embedlab.encoders.embed import embed
from embedlab.errors import EmbedlabError
from embedlab.finds.model import Candidate, CandidateState, FindSettings
from embedlab.finds.rungs import SHARES
from embedlab.finds.sampler import Sampler, Way
from embedlab.finds.search import DEAREST, Look
from embedlab.finds.store import Find, list_finds, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.measurement import as_row
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import now
from embedlab.runs.store import SCHEMA, append_row
from embedlab.store_root import discard, make_folder, store_root, write_json
from embedlab.tasks.find.choosing import REFERENCES, ByLabels, BySet
from embedlab.tasks.fine_tune.opening import OpenedRun, choose_embedding_precision, open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.training.checkpoints import save_checkpoint
from embedlab.training.settings import RunSettings

SAMPLED = 16  # texts by which an encoder's speed is known
USABLE = 0.1  # of the texts: below, a recipe sees too little of a corpus
EARLIER = 3  # settings of an earlier Find on the corpus that are tried at once
STEP_TO_READ = 3  # a training step does about three times the work of reading its texts


class CorpusWorkshop:
    """For one Find on one corpus."""

    def __init__(self, find: Find, settings: FindSettings, corpus, progress):
        self.find, self.settings, self.corpus, self.progress = find, settings, corpus, progress
        self.device = choose_device("auto")
        if settings.judge is None:
            self.chooser = ByLabels(corpus, self.device.name)
        else:
            self.chooser = BySet(settings.judge, self.device.name)
        self.metric, self.difference = self.chooser.metric.title, self.chooser.metric.difference
        self._opened: dict[str, OpenedRun] = {}
        self._tokens: dict[str, list | None] = {}
        self._seconds_a_text: dict[str, float] = {}

    # What there is

    def fixed(self) -> list[Candidate]:
        """References, then untouched encoders that are here, cheapest first; costs by a few texts."""
        references = [Candidate(key=key, kind="reference", title=title) for key, title in REFERENCES.items()]
        untouched = []
        for number, encoder in enumerate(self.encoders):
            candidate = Candidate(
                key=f"u{number:02}",
                kind="untouched",
                title=f"{encoder} as it is",
                encoder=encoder,
                recipe=UNTOUCHED,
            )
            if not is_token_layer(encoder):
                try:
                    cost = round(self.seconds_a_text(encoder) * self.chooser.texts, 1)
                    candidate = candidate.model_copy(update={"cost_seconds": cost})
                except EmbedlabError as error:
                    failed = {"state": CandidateState.FAILED, "reason": error.message}
                    candidate = candidate.model_copy(update=failed)
            untouched.append(candidate)
        untouched.sort(key=lambda each: each.cost_seconds or 0)
        return [*references, *untouched]

    @cached_property
    def encoders(self) -> list[str]:
        """Token layers, and every encoder that opens without a download."""
        catalog = [
            entry.key
            for entry in ENCODERS
            if not is_made_here(entry.key)
            and (entry.is_here or (entry.package is None and hub.stored(hub.hub_name(entry.hub_id)) is not None))
        ]
        named = {ENCODERS[key].hub_id for key in catalog}
        folders = sorted((store_root() / "encoders").glob("*@*"))
        names = [folder.name.rpartition("@")[0].replace("--", "/") for folder in folders]
        return ["words", "token", *catalog, *(f"hf:{name}" for name in dict.fromkeys(names) if name not in named)]

    def seconds_a_text(self, encoder: str) -> float:
        """By the clock, of a few texts drawn by a fixed seed; timed once."""
        if encoder in self._seconds_a_text:
            return self._seconds_a_text[encoder]
        opened = self._base(encoder)
        rows = np.random.default_rng(0).permutation(self.corpus.kept)[:SAMPLED]
        texts = [self.corpus.texts[row] for row in rows]
        embed(opened.encoder, texts[:2], device=self.device.name)
        began = time.perf_counter()
        embed(opened.encoder, texts, device=self.device.name)
        self._seconds_a_text[encoder] = (time.perf_counter() - began) / max(len(texts), 1)
        return self._seconds_a_text[encoder]

    def sampler(self, budget: float) -> Sampler:
        """Over the ways that fit these texts, and of which one training of the first rung fits the budget."""
        ways = [way for way in self._ways() if self._first_rung_seconds(way) <= DEAREST * budget]
        return Sampler(self.find, ways, self.settings.seed, self._earlier())

    def too_dear(self, budget: float) -> list[Candidate]:
        """The ways that the budget does not allow, with what their first rung would take."""
        dear = [(way, cost) for way in self._ways() if (cost := self._first_rung_seconds(way)) > DEAREST * budget]
        return [
            Candidate(
                key=f"n{number:02}",
                kind="trained",
                title=way.title,
                encoder=way.encoder,
                recipe=way.recipe,
                state=CandidateState.NOT_TRIED,
                cost_seconds=round(cost, 1),
                reason=f"Its first rung would take about {cost:.0f} seconds; of these minutes one candidate may take "
                f"{DEAREST * budget:.0f}.",
            )
            for number, (way, cost) in enumerate(dear)
        ]

    def _ways(self) -> Iterator[Way]:
        shares = self._usable
        for encoder in self.encoders:
            if encoder not in self._opened and not is_made_here(encoder):
                continue  # it did not open
            if shares[SENTENCES] >= USABLE:
                yield Way(encoder, SENTENCES, "sentence")
                yield Way(encoder, SENTENCES, "rest")
            if shares[CROPS] >= USABLE:
                yield Way(encoder, CROPS)
            settings = validated(RunSettings, {"corpus": "?", "encoder": encoder, "recipe": "dropout"})
            offered = self._base(encoder).encoder.provides | offered_by(self.corpus)
            if unfit_reason(settings.needs, offered) is None:
                yield Way(encoder, "simcse")

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

    def _first_rung_seconds(self, way: Way) -> float:
        """Nothing to speak of for token layers; else by how long their texts take to read."""
        if is_token_layer(way.encoder):
            return 0.0
        each = self.seconds_a_text(way.encoder)
        texts = len(self.corpus.kept)
        per_epoch = self._usable.get(way.recipe, 1.0) * texts
        return each * (3 * SHARES[0] * per_epoch * STEP_TO_READ + self.chooser.texts)

    def _earlier(self) -> list[dict]:
        """The best settings of earlier Finds on this corpus, by the same judge."""
        best = []
        for find in list_finds():
            try:
                asked = asked_of(find)
                if find == self.find or (asked.corpus, asked.judge) != (self.settings.corpus, self.settings.judge):
                    continue
                results = results_of(find)
            except EmbedlabError:
                continue
            trained = [each for each in results.candidates if each.kind == "trained" and each.value is not None]
            best += sorted(trained, key=lambda each: (-(each.rung or 0), -each.value.cosine.value))[:EARLIER]
        return [found for each in best[:EARLIER] if (found := each.settings.get("parameters")) is not None]

    # Looking and training

    def look(self, candidate: Candidate) -> Look:
        """At a reference or an untouched encoder."""
        began = time.perf_counter()
        if candidate.kind == "reference":
            value, units = self.chooser.reference(candidate.key)
        else:
            encoder = self._base(candidate.encoder).encoder
            value, units = self.chooser.look(encoder, self._tokens_of(candidate.encoder))
        return Look(value, units, time.perf_counter() - began)

    def train(self, candidate: Candidate, share: float) -> Look:
        """In the candidate's own folder, from its newest checkpoint on."""
        began = time.perf_counter()
        folder = self.find.run_of(candidate.key)
        settings = validated(RunSettings, self.run_settings(candidate) | {"decay": "constant"})
        base = self._base(candidate.encoder)
        opened = replace(base, folder=folder, settings=settings, encoder=copy.deepcopy(base.encoder))
        training = prepared(opened, is_watched=False)
        planned = candidate.planned or max(len(SHARES), round(training.planned * candidate.settings["length"]))
        self._write_settings(folder, candidate, settings, planned)
        training.resume()
        training.train_to(round(planned * share), self.progress)
        value, units = self.chooser.look(training.encoder, self._tokens_of(candidate.encoder))
        if share < SHARES[-1]:
            _save(training, folder)
        row = {**training.done.place, "development_knn": as_row(value), "loss": training.done.terms.get("loss")}
        append_row(folder.metrics, row)
        return Look(value, units, time.perf_counter() - began, steps=training.done.steps, planned=planned)

    def let_go(self, candidate: Candidate) -> None:
        """Settings and curve stay."""
        checkpoints = self.find.run_of(candidate.key).checkpoints
        if checkpoints.exists():
            discard(checkpoints)

    def run_settings(self, candidate: Candidate) -> dict:
        """What a run of this candidate is told, its length aside."""
        own = {name: value for name, value in candidate.settings.items() if name not in ("length", "parameters")}
        return {
            "corpus": self.settings.corpus,
            "encoder": candidate.encoder,
            "recipe": candidate.recipe,
            "seed": self.settings.seed,
            **own,
        }

    def full_settings(self, candidate: Candidate) -> RunSettings:
        """Of the winner's training in full: as many steps as planned, and the rate falls at the end."""
        settings = self.run_settings(candidate)
        if candidate.kind == "trained":
            settings |= {"schedule": "epochs", "epochs": None, "max_steps": candidate.planned}
        return validated(RunSettings, settings)

    def _write_settings(self, folder: RunFolder, candidate: Candidate, settings: RunSettings, planned: int) -> None:
        if folder.settings.exists():
            return
        make_folder(folder.path)
        asked = settings.stored | {"schedule": "epochs", "epochs": None, "max_steps": planned}
        content = {"schema": SCHEMA, "task": "train", "name": candidate.title, "created": now(), "settings": asked}
        write_json(folder.settings, content)

    def _base(self, encoder: str) -> OpenedRun:
        """The untouched encoder, opened once."""
        if encoder not in self._opened:
            asked = {"corpus": self.settings.corpus, "encoder": encoder, "recipe": UNTOUCHED}
            settings = validated(RunSettings, asked | {"seed": self.settings.seed})
            opened = open_run(None, settings, self.corpus, self.progress)
            choose_embedding_precision(opened)
            self._opened[encoder] = opened
        return self._opened[encoder]

    def _tokens_of(self, encoder: str) -> list | None:
        if encoder not in self._tokens:
            self._tokens[encoder] = self.chooser.tokens(self._base(encoder).encoder)
        return self._tokens[encoder]


def _save(training: Trainer, folder: RunFolder) -> None:
    parts = training.encoder.parts
    save_checkpoint(
        folder.checkpoints,
        steps=training.done.steps,
        encoder=training.encoder,
        objective=training.objective,
        optimiser=training.optimiser,
        facts={
            "texts": training.done.texts,
            "seconds": training.done.seconds,
            "parts": None if parts is None else asdict(parts),
            "listeners": {},
        },
    )
