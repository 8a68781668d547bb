"""What all candidates of a Find share, made once: the corpus, what chooses, untouched encoders and their tokens."""

from embedlab.augmentations.fit import UNTOUCHED
from embedlab.config import validated
from embedlab.encoders.device import choose_device
from embedlab.finds.model import Candidate, FindSettings
from embedlab.finds.store import Find
from embedlab.progress import Progress
from embedlab.tasks.find.choosing import ByLabels, BySet
from embedlab.tasks.fine_tune.opening import OpenedRun, choose_embedding_precision, open_run
from embedlab.training.settings import RunSettings


class Shared:
    """Of one Find on one corpus."""

    def __init__(self, find: Find, settings: FindSettings, corpus, progress: Progress):
        self.find, self.settings, self.corpus, self.progress = find, settings, corpus, progress
        self.device = choose_device("auto")
        by_labels = settings.judge is None
        self.chooser = ByLabels(corpus, self.device.name) if by_labels else BySet(settings.judge, self.device.name)
        self.opened: dict[tuple[str, int | None], OpenedRun] = {}
        self._measurable: set[tuple[str, int | None]] = set()
        self._tokens: dict[tuple[str, int | None], list | None] = {}

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

    def loaded(self, encoder: str, max_length: int | None = None) -> OpenedRun:
        """The untouched encoder, opened once for each length that is read of texts."""
        if (encoder, max_length) not in self.opened:
            asked = {"corpus": self.settings.corpus, "encoder": encoder, "recipe": UNTOUCHED, "max_length": max_length}
            settings = validated(RunSettings, asked | {"seed": self.settings.seed})
            self.opened[encoder, max_length] = open_run(None, settings, self.corpus, self.progress)
        return self.opened[encoder, max_length]

    def base(self, encoder: str, max_length: int | None = None) -> OpenedRun:
        """The same once it is to be measured: the numbers in which it embeds are chosen, which takes seconds."""
        opened = self.loaded(encoder, max_length)
        if (encoder, max_length) not in self._measurable:
            choose_embedding_precision(opened)
            self._measurable.add((encoder, max_length))
        return opened

    def tokens_of(self, encoder: str, max_length: int | None = None) -> list | None:
        """What the chooser reads, as this encoder's tokens; read once."""
        if (encoder, max_length) not in self._tokens:
            self._tokens[encoder, max_length] = self.chooser.tokens(self.base(encoder, max_length).encoder)
        return self._tokens[encoder, max_length]
