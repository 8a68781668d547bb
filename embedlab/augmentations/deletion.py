"""Damaged text: words deleted, swapped, masked, replaced or added, to be rebuilt (TSDAE, section 3.1 and Table 5)."""

import random
from collections.abc import Callable
from typing import Literal, TypeVar

from pydantic import Field

from embedlab.augmentations.base import DAMAGED, PAIRS, Augmentation, TokenViews, Vocabulary
from embedlab.augmentations.elongation import split_specials
from embedlab.augmentations.masking import masked
from embedlab.config import Config
from embedlab.counting import pieces_of

Item = TypeVar("Item", str, int)  # a word, or a token


class DeletionConfig(Config):
    """How a text is damaged."""

    noise: Literal["delete", "swap", "mask", "replace", "add"] = Field(
        "delete",
        description="What is done to the chosen words. The paper names the kinds without defining them: swap "
        "exchanges their positions, replace inserts a random word of the corpus instead, add appends one; mask always "
        "works on tokens.",
    )
    deletion_rate: float = Field(
        0.6,
        ge=0.0,
        le=0.95,
        description="Share of the words that are deleted (or swapped, masked, replaced, added to).",
    )
    unit: Literal["word", "token"] = Field(
        "word",
        description="Words, as the authors' code (characters, of scripts without blanks), or the encoder's tokens, as "
        "the paper's text.",
    )


def damaged(items: list[Item], noise: str, rate: float, rng: random.Random, fresh: Callable[[], Item]) -> list[Item]:
    """A copy of ``items``, each chosen with probability ``rate`` and then treated; ``fresh`` draws another item.

    ``delete`` keeps one at random where none is left (the authors' rule); ``swap`` gives a single one another's place.
    """
    chosen = [rng.random() < rate for _ in items]
    if noise == "delete":
        remaining = [item for item, gone in zip(items, chosen, strict=True) if not gone]
        return remaining or ([rng.choice(items)] if items else [])
    if noise == "replace":
        return [fresh() if is_chosen else item for item, is_chosen in zip(items, chosen, strict=True)]
    if noise == "add":
        added = ([item, fresh()] if is_chosen else [item] for item, is_chosen in zip(items, chosen, strict=True))
        return [item for both in added for item in both]
    positions = [index for index, is_chosen in enumerate(chosen) if is_chosen]
    if len(positions) == 1 and len(items) > 1:
        positions.append(rng.choice([other for other in range(len(items)) if other != positions[0]]))
    cycle = rng.sample(positions, len(positions))  # one cycle through all of them leaves none in its place
    moved = list(items)
    for target, source in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        moved[target] = items[source]
    return moved


class Deletion(Augmentation[DeletionConfig]):
    """A damaged text, and the original as the target to reconstruct."""

    key = "deletion"
    title = "Damaged text"
    sentence = "The text with most of its words deleted, and the whole text."
    paper = "TSDAE, section 3.1, Tables 5 and 6"
    cites = ("wang2021tsdae",)
    example_seed = 5
    kind = DAMAGED
    config_class = DeletionConfig
    view_names = ("Damaged", "Original")
    aim = "The decoder has to reconstruct the original from the single vector of the damaged text."
    read_as = {PAIRS: "The damaged text should be close to the whole one."}

    @property
    def mask_is_needed(self) -> bool:
        """Only if masks are inserted."""
        return self.config.noise == "mask"

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The damaged text and the text."""
        text = self.corpus.texts[row]
        words, blank = pieces_of(text)
        if not words:
            return None
        if self._on_tokens:
            return text, text

        def any_word() -> str:
            while not (others := pieces_of(self.corpus.texts[rng.choice(self.rows)])[0]):
                pass
            return rng.choice(others)

        return blank.join(damaged(words, self.config.noise, self.config.deletion_rate, rng, any_word)), text

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """Damage the first view if words were not damaged already; special tokens stay."""
        config, (tokens, whole) = self.config, views
        if config.noise == "mask":
            return masked(tokens, config.deletion_rate, vocabulary, rng), whole
        if not self._on_tokens:
            return views
        before, _, after = split_specials(tokens, vocabulary)
        words = [token for token in tokens if token not in vocabulary.special]
        if not words:
            return views
        noisy = damaged(words, config.noise, config.deletion_rate, rng, lambda: vocabulary.any_token(rng))
        return (before + noisy + after)[: vocabulary.longest], whole

    @property
    def _on_tokens(self) -> bool:
        return self.config.unit == "token" or self.config.noise == "mask"
