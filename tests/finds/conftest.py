"""A Find with a workshop that computes nothing: values by formula, seconds by the number of steps."""

import numpy as np
import pytest

from embedlab.encoder_catalog.names import kind_of
from embedlab.finds.earlier import EarlierFinds
from embedlab.finds.look import CandidateLook, attempted
from embedlab.finds.model import Candidate, FindSettings
from embedlab.finds.sampler import Sampler, TrainingWay, end_of
from embedlab.finds.store import Find
from embedlab.jobs.campaigns import asked_of
from embedlab.measurement import ByDistance, Measurement
from embedlab.metrics.knn import KNN

TEXTS = 1000
STEPS = 90  # of a training in full; a second each
VALUES = {"tfidf": 0.5, "svd": 0.55, "words": 0.6, "minilm": 0.65}  # of what is not trained


class PaperWorkshop:
    """A candidate's value grows with its steps, and is best at twice of them; ``broken`` ones fail."""

    metric, difference, made_with = "kNN accuracy", staticmethod(KNN.difference), {"python": "of paper"}

    def __init__(
        self,
        find,
        *,
        texts: int = TEXTS,
        broken: tuple[str, ...] = (),
        dies_at: int | None = None,
        slower=1,
        besides=0.0,
        cuts=None,
    ):
        self.find, self.texts, self.broken, self.dies_at, self.slower = find, texts, broken, dies_at, slower
        self.besides = besides  # seconds of each training that no step takes
        self.cuts = cuts or {}  # values of an encoder by fewer dimensions
        self.trained: list[tuple[str, int]] = []
        self.looked: list[str] = []
        self.gone: list[str] = []

    def fixed(self) -> list[Candidate]:
        references = [Candidate(key=key, kind="reference", title=key) for key in ("tfidf", "svd")]
        return references + [
            Candidate(key=f"u-{key}", kind="untouched", title=f"{key} as it is", encoder=key)
            for key in ("words", "minilm")
        ]

    def timed(self, candidates: list[Candidate]) -> list[Candidate]:
        return [each.model_copy(update={"cost_seconds": 30.0}) for each in candidates]

    def sampler(self, budget: float) -> Sampler:
        ways = [TrainingWay("words", "sentences", "rest"), TrainingWay("token", "crops")]
        return Sampler(self.find, ways, seed=0, first=self._before().best())

    def too_dear(self, budget: float) -> list[Candidate]:
        return []

    def preparing(self) -> float:
        return 0.0

    def _before(self) -> EarlierFinds:
        return EarlierFinds(self.find, asked_of(self.find), self.made_with)

    def earlier(self, candidate: Candidate, rung: int) -> CandidateLook | None:
        return self._before().look(candidate, rung)

    def look(self, candidate: Candidate, left: float) -> CandidateLook:
        self.looked.append(candidate.key)
        if candidate.title in self.broken:
            raise RuntimeError("broken on purpose")
        cuts = self.cuts.get(candidate.encoder, {}).items()
        looks = {dimensions: self._look(value, seconds=0.0) for dimensions, value in cuts}
        cut = {dimensions: (each.value, each.units) for dimensions, each in looks.items()}
        return self._look(VALUES.get(candidate.encoder or candidate.key), seconds=1.0, cuts=cut)

    def train(self, candidates, rung, begin, left):
        for candidate in candidates:
            if begin(candidate):
                look, seconds = attempted(lambda candidate=candidate: self.one(candidate, rung))
                if isinstance(look, CandidateLook) and seconds > left():
                    look, seconds = None, left()
                yield candidate, look, seconds

    def one(self, candidate: Candidate, rung: int) -> CandidateLook:
        if len(self.trained) == self.dies_at:
            raise KeyboardInterrupt  # as a kill, nothing is written after it
        planned = round(STEPS * candidate.length)
        steps = end_of(rung, STEPS, planned)
        self.trained.append((candidate.key, steps))
        if candidate.key in self.broken:
            raise RuntimeError("broken on purpose")
        drawn = candidate.settings["parameters"]
        value = 0.6 + 0.05 * (kind_of(candidate.encoder) == "words") + min(steps, 360 - steps) / 900
        value -= drawn["temperature"] / 10
        seconds = (steps - candidate.steps) * (self.slower if rung else 1)
        seconds += self.besides
        return self._look(value, seconds=seconds, steps=steps, planned=planned, training_seconds=seconds - self.besides)

    def let_go(self, candidate: Candidate) -> None:
        self.gone.append(candidate.key)

    def _look(self, value: float, *, seconds: float, steps: int = 0, planned: int = STEPS, **facts) -> CandidateLook:
        right = np.arange(self.texts) < round(value * self.texts)
        share = right.mean()
        measured = Measurement(value=share, error=float(np.sqrt(share * (1 - share) / self.texts)), n=self.texts)
        units = {"rows": np.arange(self.texts), "correct": right}
        return CandidateLook(
            ByDistance(measured, measured), ByDistance(units, units), seconds, steps=steps, planned=planned, **facts
        )


@pytest.fixture
def find(store):
    """Of ten minutes."""
    return Find.create(FindSettings(corpus="0" * 16, minutes=10))


@pytest.fixture
def workshop(find):
    """``workshop(broken=…, dies_at=…)``: one for this Find."""
    return lambda **how: PaperWorkshop(find, **how)
