"""Masks to be guessed: 15 % of a text's tokens chosen, most of them hidden (masked language modelling; BERT).

transformers' collator draws for a whole batch at once; here what is hidden in a text depends on its own seed alone.
"""

import random

from pydantic import Field

from embedlab.augmentations.base import HIDDEN, IGNORED, Augmentation, Vocabulary
from embedlab.config import Config


class MLMMaskingConfig(Config):
    """How many tokens are to be guessed, and what is read in their place."""

    masking_rate: float = Field(0.15, gt=0.0, le=0.9, description="Share of the tokens that have to be predicted.")
    masked_share: float = Field(0.8, ge=0.0, le=1.0, description="Share of these that become [MASK].")
    random_share: float = Field(
        0.1, ge=0.0, le=0.5, description="Share of these that become any token; the rest stays as it is."
    )


class MLMMasking(Augmentation):
    """The text with tokens hidden, and those tokens as what is to be guessed."""

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
    mask_is_needed = True

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """The text twice; tokens are hidden in the first and left alone in the second."""
        text = self.corpus.texts[row]
        return (text, text) if text.strip() else None

    def on_tokens(
        self, views: tuple[list[int], ...], vocabulary: Vocabulary, rng: random.Random
    ) -> tuple[list[int], ...]:
        """What is read, and what is to be guessed (``IGNORED`` elsewhere); special tokens are never chosen."""
        config, read, guessed = self.config, list(views[0]), [IGNORED] * len(views[0])
        for place, token in enumerate(views[0]):
            if token in vocabulary.special or rng.random() >= config.masking_rate:
                continue
            guessed[place], kind = token, rng.random()
            if kind < config.masked_share:
                read[place] = vocabulary.mask
            elif kind < config.masked_share + config.random_share:
                read[place] = vocabulary.any_token(rng)
        return read, guessed
