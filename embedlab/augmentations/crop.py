"""Text crops, two runs of consecutive sentences of one text (crops paper, section 3.2), and dropout pairs (SimCSE)."""

import random
from itertools import groupby
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation
from embedlab.config import Config
from embedlab.sentences import pieces, sentences


class CropConfig(Config):
    """How a crop is cut."""

    sentences: int = Field(2, ge=1, le=10, description="Sentences in a crop (t in the paper).")
    min_characters: int = Field(100, ge=1, le=2000, description="Shorter sentences are left out.")
    max_characters: int = Field(250, ge=1, le=10000, description="Longer sentences are left out.")
    construction: Literal["code", "paper"] = Field(
        "code",
        description="As in the authors' code (split at every full stop, sentences of unsuitable length are skipped) "
        "or as the paper describes (real sentences, only adjacent ones).",
    )


def crops(text: str, config: CropConfig) -> list[str]:
    """Every crop of a text, in order.

    ``code``: pieces between full stops are valid at ``min <= characters <= max`` counted raw; a crop starts at each
    valid piece and takes the next valid ones, skipping the others (the authors' repository, data class for
    overlapping multi-sentence pairs). ``paper``: a crop is ``sentences`` neighboring sentences of valid length
    (section 3.2).
    """

    def fits(piece: str) -> bool:
        return config.min_characters <= len(piece) <= config.max_characters

    if config.construction == "code":
        runs = [[piece.strip() + ". " for piece in pieces(text) if fits(piece)]]
    else:
        stripped = map(str.strip, sentences(text))
        runs = [[sentence + " " for sentence in run] for is_valid, run in groupby(stripped, fits) if is_valid]
    length = config.sentences
    return ["".join(run[i : i + length]) for run in runs for i in range(len(run) - length + 1)]


def number_of_crops(text: str) -> int:
    """How many crops a text has under the paper's settings; training needs two."""
    return len(crops(text, _PAPERS))


_PAPERS = CropConfig()


class Crop(Augmentation[CropConfig]):
    """Two different crops of one text; a text with fewer than two is not used."""

    key = "crop"
    title = "Text crops"
    sentence = "Two different runs of sentences cut from one text; they may overlap."
    paper = "crops, section 3.2"
    cites = ("crops",)
    config_class = CropConfig

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """Two crops from different positions."""
        return two_crops(self.corpus.texts[row], self.config, rng)


class IdentityConfig(CropConfig):
    """The string that is read twice: a crop or the whole text."""

    unit: Literal["crop", "text"] = Field(
        "crop",
        description="Show one crop twice (texts with fewer than two are left out, as in the paper) or the whole text.",
    )


class Identity(Augmentation[IdentityConfig]):
    """One crop, or the whole text, read twice."""

    key = "identity"
    title = "Dropout pairs"
    sentence = "The same crop, or the same text, twice: the encoder's dropout alone makes the two views differ."
    paper = "crops, section 3.2; SimCSE"
    needs = frozenset({"dropout"})
    config_class = IdentityConfig

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The same string as anchor and positive."""
        text = self.corpus.texts[row]
        view = text if self.config.unit == "text" else drawn_crop(text, self.config, rng)
        return (view, view) if view and view.strip() else None


def two_crops(text: str, config: CropConfig, rng: random.Random) -> tuple[str, str] | None:
    """Two different crops of a text, or None."""
    candidates = crops(text, config)
    if len(candidates) < 2:
        return None
    anchor, positive = rng.sample(candidates, 2)
    return anchor, positive


def drawn_crop(text: str, config: CropConfig, rng: random.Random) -> str | None:
    """One crop; None for a text with fewer than two, which the crops paper leaves out."""
    candidates = crops(text, config)
    return rng.choice(candidates) if len(candidates) > 1 else None
