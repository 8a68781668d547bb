"""A Find with a workshop that computes nothing: values by formula, seconds by the number of steps."""

import numpy as np
import pytest

from embedlab.encoder_names import kind_of
from embedlab.finds.model import Candidate, FindSettings
from embedlab.finds.sampler import Sampler, Way
from embedlab.finds.search import Look
from embedlab.finds.store import create_find
from embedlab.measurement import ByDistance, Measurement
from embedlab.metrics.knn import KNN

TEXTS = 1000
STEPS = 90  # of a training in full; a second each
VALUES = {"tfidf": 0.5, "svd": 0.55, "words": 0.6, "minilm": 0.65}  # of what is not trained


class PaperWorkshop:
    """A candidate's value grows with its steps towards 0.7 plus a tenth of its length; ``broken`` ones fail."""

    metric, difference = "kNN accuracy", staticmethod(KNN.difference)

    def __init__(self, find, *, texts: int = TEXTS, broken: tuple[str, ...] = (), dies_at: int | None = None):
        self.find, self.texts, self.broken, self.dies_at = find, texts, broken, dies_at
        self.trained: list[tuple[str, int]] = []
        self.gone: list[str] = []

    def fixed(self) -> list[Candidate]:
        references = [Candidate(key=key, kind="reference", title=key) for key in ("tfidf", "svd")]
        costs = {"words": None, "minilm": 30.0}
        return references + [
            Candidate(key=f"u-{key}", kind="untouched", title=f"{key} as it is", encoder=key, cost_seconds=cost)
            for key, cost in costs.items()
        ]

    def sampler(self, budget: float) -> Sampler:
        return Sampler(self.find, [Way("words", "sentences", "rest"), Way("token", "crops")], seed=0)

    def too_dear(self, budget: float) -> list[Candidate]:
        return []

    def look(self, candidate: Candidate) -> Look:
        if candidate.title in self.broken:
            raise RuntimeError("broken on purpose")
        return self._look(VALUES.get(candidate.encoder or candidate.key), seconds=1.0)

    def train(self, candidate: Candidate, share: float) -> Look:
        if len(self.trained) == self.dies_at:
            raise KeyboardInterrupt  # as a kill, nothing is written after it
        steps = round(STEPS * share)
        self.trained.append((candidate.key, steps))
        if candidate.key in self.broken:
            raise RuntimeError("broken on purpose")
        drawn = candidate.settings["parameters"]
        value = 0.6 + 0.02 * drawn["length"] + 0.05 * (kind_of(candidate.encoder) == "words") + steps / 900
        return self._look(value - drawn["temperature"] / 10, seconds=steps - candidate.steps, steps=steps)

    def let_go(self, candidate: Candidate) -> None:
        self.gone.append(candidate.key)

    def _look(self, value: float, *, seconds: float, steps: int = 0) -> Look:
        right = np.arange(self.texts) < round(value * self.texts)
        share = right.mean()
        measured = Measurement(value=share, error=float(np.sqrt(share * (1 - share) / self.texts)), n=self.texts)
        units = {"rows": np.arange(self.texts), "correct": right}
        return Look(ByDistance(measured, measured), ByDistance(units, units), seconds, steps=steps, planned=STEPS)


@pytest.fixture
def find(store):
    """Of ten minutes."""
    return create_find(FindSettings(corpus="0" * 16, minutes=10))


@pytest.fixture
def workshop(find):
    """``workshop(broken=…, dies_at=…)``: one for this Find."""
    return lambda **how: PaperWorkshop(find, **how)
