"""Dropout pairs: the same string twice; only the encoder's dropout makes the views differ (SimCSE)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation
from embedlab.augmentations.crop import CropConfig, drawn_crop


class IdentityConfig(CropConfig):
    """What is shown twice."""

    unit: Literal["crop", "text"] = Field(
        "crop",
        description="Show one crop twice (texts with fewer than two are left out, as in the paper) or the whole text.",
    )


class Identity(Augmentation):
    """One crop, or the whole text, seen twice."""

    key = "identity"
    title = "Dropout pairs"
    sentence = "The same crop, or the same text, twice: the encoder's dropout alone makes the two views differ."
    paper = "crops, section 3.2; SimCSE"
    needs = frozenset({"dropout"})
    config_class = IdentityConfig

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """The same string as anchor and positive."""
        text = self.corpus.texts[row]
        view = text if self.config.unit == "text" else drawn_crop(text, self.config, rng)
        return (view, view) if view and view.strip() else None
