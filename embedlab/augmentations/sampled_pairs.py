"""Pairs for Contrastive Tension: the same text twice, then so many pairs of different texts (TSDAE, section 5)."""

import random

from pydantic import Field

from embedlab.augmentations.base import SAMPLED, Augmentation
from embedlab.config import Config


class SampledPairsConfig(Config):
    """How many pairs of different texts come with each pair of equal ones."""

    negatives: int = Field(7, ge=0, le=255, description="Pairs of different texts for each pair of equal ones.")


class SampledPairs(Augmentation):
    """Equal and different texts for two encoders that read one side each."""

    key = "sampled-pairs"
    title = "Sampled pairs"
    sentence = "The same text for both encoders, then several pairs of different texts, which should be apart."
    paper = "TSDAE, section 5.2; Contrastive Tension"
    cites = ("carlsson2021tension",)
    example_places = (0, 1)
    kind = SAMPLED
    config_class = SampledPairsConfig
    view_names = ("First encoder", "Second encoder")
    aim = "The two encoders should agree on equal texts and disagree on different ones."

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """The text and, at every ``negatives + 1``-th place of a batch, itself; elsewhere another text."""
        text = self.corpus.texts[row]
        if not text.strip():
            return None
        return text, text if place % (self.config.negatives + 1) == 0 else self._another(text, rng)

    def _another(self, text: str, rng: random.Random) -> str:
        for _ in range(1000):  # a corpus may hold copies, even nothing else
            other = self.corpus.texts[rng.choice(self.rows)]
            if other != text and other.strip():
                return other
        return text
