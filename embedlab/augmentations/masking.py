"""Masked tokens: a share of the tokens of two crops, or of a text seen twice, becomes [MASK] (crops paper, A.1)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Vocabulary
from embedlab.augmentations.crop import Crop, CropConfig


class MaskingConfig(CropConfig):
    """How much is masked, and of what."""

    unit: Literal["crop", "text"] = Field(
        "crop", description="Mask two crops of a text, or the whole text twice, each time at different positions."
    )
    masking_rate: float = Field(0.1, ge=0.0, le=0.9, description="Share of each view's tokens replaced by [MASK].")


def masked(tokens: list[int], rate: float, vocabulary: Vocabulary, rng: random.Random) -> list[int]:
    """Exactly ``round(n * rate)`` of the ``n`` tokens that are not special become the mask token."""
    places = [i for i, token in enumerate(tokens) if token not in vocabulary.special]
    chosen = set(rng.sample(places, round(len(places) * rate)))
    return [vocabulary.mask if i in chosen else token for i, token in enumerate(tokens)]


class Masking(Crop):
    """Two crops, or one text twice, each masked independently."""

    key = "crop-masking"
    title = "Crops with masking"
    sentence = "Two crops of one text (or all of it twice), each with a share of its tokens hidden, independently."
    paper = "crops, A.1"
    cites = ("crops",)
    config_class = MaskingConfig
    mask_is_needed = True

    @classmethod
    def needs_of(cls, config: MaskingConfig) -> frozenset[str]:
        """A text shown twice with nothing hidden is the same text twice."""
        return frozenset({"dropout"}) if config.unit == "text" and config.masking_rate == 0 else cls.needs

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """Two crops, or the text twice; the masks come with the tokens."""
        if self.config.unit == "crop":
            return super().views(row, rng, place)
        text = self.corpus.texts[row]
        return (text, text) if text.strip() else None

    def on_tokens(
        self, views: tuple[list[int], ...], vocabulary: Vocabulary, rng: random.Random
    ) -> tuple[list[int], ...]:
        """Hide a share of the tokens of each view."""
        return tuple(masked(view, self.config.masking_rate, vocabulary, rng) for view in views)
