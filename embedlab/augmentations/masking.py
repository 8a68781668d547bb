"""Crops with masked tokens: a share of each crop's tokens is replaced by [MASK] (crops paper, A.1)."""

import random

from pydantic import Field

from embedlab.augmentations.crop import Crop, CropConfig


class MaskingConfig(CropConfig):
    """How much is masked."""

    masking_rate: float = Field(0.1, ge=0.0, le=0.9, description="Share of each crop's tokens replaced by [MASK].")


def masked(tokens: list[int], rate: float, *, special: set[int], mask_token: int, rng: random.Random) -> list[int]:
    """Exactly ``round(n * rate)`` of the ``n`` tokens that are not special become the mask token."""
    places = [i for i, token in enumerate(tokens) if token not in special]
    chosen = set(rng.sample(places, round(len(places) * rate)))
    return [mask_token if i in chosen else token for i, token in enumerate(tokens)]


class Masking(Crop):
    """Two crops, each masked independently."""

    key = "crop-masking"
    title = "Crops with masking"
    sentence = "Two crops of one text, each with a share of its tokens hidden, independently."
    paper = "crops, A.1"
    config_class = MaskingConfig

    def mask(self, tokens: list[int], *, special: set[int], mask_token: int, rng: random.Random) -> list[int]:
        """Hide a share of the tokens of one view."""
        return masked(tokens, self.config.masking_rate, special=special, mask_token=mask_token, rng=rng)
