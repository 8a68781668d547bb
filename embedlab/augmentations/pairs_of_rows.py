"""Pairs of texts of a corpus: same and different ones (Contrastive Tension), two of one class (TSDAE, section 5)."""

import random
from functools import cached_property

from pydantic import Field

from embedlab.augmentations.base import SAMPLED, Augmentation
from embedlab.config import Config, NoSettings


class SampledPairsConfig(Config):
    """How many pairs of different texts come with each pair of identical ones."""

    negatives: int = Field(7, ge=0, le=255, description="Pairs of different texts for each pair of equal ones.")


class SampledPairs(Augmentation[SampledPairsConfig]):
    """Identical and different texts for two encoders that each read one side."""

    key = "sampled-pairs"
    title = "Sampled pairs"
    sentence = "The same text for both encoders, then several pairs of different texts, which should be apart."
    paper = "TSDAE, section 5.2; Contrastive Tension"
    cites = ("carlsson2021tension",)
    example_positions = (0, 1)
    kind = SAMPLED
    config_class = SampledPairsConfig
    view_names = ("First encoder", "Second encoder")
    aim = "The two encoders should agree on equal texts and disagree on different ones."

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The text and, at every ``negatives + 1``-th position of a batch, itself; elsewhere another text."""
        text = self.corpus.texts[row]
        if not text.strip():
            return None
        if position % (self.config.negatives + 1):
            for _ in range(1000):  # a corpus may hold copies, even nothing else
                other = self.corpus.texts[rng.choice(self.rows)]
                if other != text and other.strip():
                    return text, other
        return text, text


class SameClass(Augmentation[NoSettings]):
    """A labelled text, and another text with its label."""

    key = "same-class"
    title = "Same-class pairs"
    sentence = "Two different texts with the same label: supervised, unlike the other recipes."
    paper = "TSDAE, section 5.1 (in-domain supervised)"
    cites = ("wang2021tsdae",)
    needs = frozenset({"labels"})

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The text and another of its class; None without a label or another text."""
        texts, others = self.corpus.texts, self._by_label.get(self.group(row), ())
        different = [other for other in others if texts[other] != texts[row]]
        return (texts[row], texts[rng.choice(different)]) if different else None

    def usable(self, row: int) -> bool:
        """Whether the class holds a different text."""
        return self._different.get(self.group(row), 0) > 1

    def group(self, row: int) -> object | None:
        """The label: two texts with the same label are never pushed apart."""
        return None if self.corpus.labels is None else self.corpus.labels[row]

    @cached_property
    def _by_label(self) -> dict[object, list[int]]:
        rows_of: dict[object, list[int]] = {}
        for row in self.rows:
            if (label := self.group(row)) is not None:
                rows_of.setdefault(label, []).append(row)
        return rows_of

    @cached_property
    def _different(self) -> dict[object, int]:
        return {label: len({self.corpus.texts[row] for row in rows}) for label, rows in self._by_label.items()}
