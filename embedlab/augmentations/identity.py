"""Dropout pairs: the same string twice; only the encoder's dropout makes the views differ (SimCSE)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation
from embedlab.augmentations.crop import CropConfig, crops


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
    sentence = "The same crop twice: the encoder's dropout alone makes the two views differ."
    paper = "crops, section 3.2; SimCSE"
    needs = frozenset({"dropout"})
    config_class = IdentityConfig

    def views(self, text: str, rng: random.Random) -> tuple[str, str] | None:
        """The same string as anchor and positive."""
        if self.config.unit == "text":
            return (text, text) if text.strip() else None
        found = crops(text, self.config)
        if len(found) < 2:
            return None
        crop = rng.choice(found)
        return crop, crop
