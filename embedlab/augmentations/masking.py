"""Masked tokens: in two crops or a text read twice (crops paper, A.1), or in one text to be predicted (BERT)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import HIDDEN, IGNORED, Augmentation, TokenViews, Vocabulary
from embedlab.augmentations.crop import CropConfig, two_crops
from embedlab.config import Config


class MaskingConfig(CropConfig):
    """How much is masked, and of what."""

    unit: Literal["crop", "text"] = Field(
        "crop", description="Mask two crops of a text, or the whole text twice, each time at different positions."
    )
    masking_rate: float = Field(0.1, ge=0.0, le=0.9, description="Share of each view's tokens replaced by [MASK].")


def masked(tokens: list[int], rate: float, vocabulary: Vocabulary, rng: random.Random) -> list[int]:
    """Exactly ``round(n * rate)`` of the ``n`` non-special tokens become the mask token."""
    candidates = [i for i, token in enumerate(tokens) if token not in vocabulary.special]
    chosen = set(rng.sample(candidates, round(len(candidates) * rate)))
    return [vocabulary.required_mask if i in chosen else token for i, token in enumerate(tokens)]


class Masking(Augmentation[MaskingConfig]):
    """Two crops, or one text twice, each masked independently."""

    key = "crop-masking"
    title = "Crops with masking"
    sentence = "Two crops of one text (or all of it twice), each with a share of its tokens hidden, independently."
    paper = "crops, A.1"
    cites = ("crops",)
    config_class = MaskingConfig
    mask_is_needed = True  # masking is all that it adds

    @classmethod
    def needs_of(cls, config: MaskingConfig) -> frozenset[str]:
        """Without masking, a text read twice is the same text twice."""
        return frozenset({"dropout"}) if config.unit == "text" and config.masking_rate == 0 else cls.needs

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """Two crops, or the text twice; tokens are masked later."""
        text = self.corpus.texts[row]
        if self.config.unit == "crop":
            return two_crops(text, self.config, rng)
        return (text, text) if text.strip() else None

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """Hide a share of the tokens of each view."""
        return tuple(masked(view, self.config.masking_rate, vocabulary, rng) for view in views)


class MLMMaskingConfig(Config):
    """How many tokens are predicted, and what replaces them."""

    masking_rate: float = Field(0.15, gt=0.0, le=0.9, description="Share of the tokens that have to be predicted.")
    masked_share: float = Field(0.8, ge=0.0, le=1.0, description="Share of these that become [MASK].")
    random_share: float = Field(
        0.1, ge=0.0, le=0.5, description="Share of these that become any token; the rest stays as it is."
    )


class MLMMasking(Augmentation[MLMMaskingConfig]):
    """The text with masked tokens, and the tokens to predict.

    transformers' collator draws for a whole batch at once; here what is hidden in a text depends on its own seed alone.
    """

    key = "mlm-masking"
    title = "Hidden tokens"
    sentence = "The text with some of its tokens hidden, and the hidden tokens, which have to be predicted."
    paper = "TSDAE, section 5.2; BERT"
    cites = ("devlin2019bert",)
    example_seed = 7
    kind = HIDDEN
    config_class = MLMMaskingConfig
    view_names = ("Read", "To predict")
    aim = "The tokens on the right have to be predicted from the text on the left."
    mask_is_needed = True  # masking is all that it adds

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The text twice; tokens are masked in the first and unchanged in the second."""
        text = self.corpus.texts[row]
        return (text, text) if text.strip() else None

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """The tokens to read and the tokens to predict (``IGNORED`` elsewhere); special tokens are never chosen."""
        config, read, guessed = self.config, list(views[0]), [IGNORED] * len(views[0])
        for index, token in enumerate(views[0]):
            if token in vocabulary.special or rng.random() >= config.masking_rate:
                continue
            guessed[index], kind = token, rng.random()
            if kind < config.masked_share:
                read[index] = vocabulary.required_mask
            elif kind < config.masked_share + config.random_share:
                read[index] = vocabulary.any_token(rng)
        return read, guessed
