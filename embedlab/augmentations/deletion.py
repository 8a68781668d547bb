"""Damaged text: words deleted, swapped, masked, replaced or added, to be rebuilt (TSDAE, section 3.1 and Table 5)."""

import random
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import DAMAGED, PAIRS, Augmentation, Vocabulary
from embedlab.augmentations.masking import masked
from embedlab.config import Config
from embedlab.counting import pieces_of


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


def damaged(items: list, noise: str, rate: float, rng: random.Random, fresh: Callable[[], object]) -> list:
    """A copy of ``items`` with each chosen with probability ``rate`` and then treated; ``fresh`` draws another item.

    ``delete`` keeps one at random where none is left (the authors' rule).
    """
    chosen = [rng.random() < rate for _ in items]
    if noise == "delete":
        kept = [item for item, gone in zip(items, chosen, strict=True) if not gone]
        return kept or ([rng.choice(items)] if items else [])
    if noise == "replace":
        return [fresh() if is_chosen else item for item, is_chosen in zip(items, chosen, strict=True)]
    if noise == "add":
        added = ([item, fresh()] if is_chosen else [item] for item, is_chosen in zip(items, chosen, strict=True))
        return [item for both in added for item in both]
    return _swapped(items, [place for place, is_chosen in enumerate(chosen) if is_chosen], rng)


def _swapped(items: list, places: list[int], rng: random.Random) -> list:
    """The items at these places in another order among themselves; a single one changes places with any other."""
    if len(places) == 1 and len(items) > 1:
        places = [places[0], rng.choice([place for place in range(len(items)) if place != places[0]])]
    moved = list(items)
    for place, source in zip(places, _turned(places, rng), strict=True):
        moved[place] = items[source]
    return moved


def _turned(places: list[int], rng: random.Random) -> list[int]:
    """A random order in which no place keeps its own: one cycle through all of them."""
    cycle = rng.sample(places, len(places))
    follower = dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    return [follower[place] for place in places]


class Deletion(Augmentation):
    """A damaged text, and the text itself as what is to be written."""

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
        """Only where masks are put in."""
        return self.config.noise == "mask"

    def views(self, row: int, rng: random.Random, place: int = 0) -> tuple[str, str] | None:
        """The damaged text and the text."""
        text = self.corpus.texts[row]
        words, blank = pieces_of(text)
        if not words:
            return None
        if self._on_tokens:
            return text, text
        config = self.config
        return blank.join(damaged(words, config.noise, config.deletion_rate, rng, lambda: self._any_word(rng))), text

    def on_tokens(
        self, views: tuple[list[int], ...], vocabulary: Vocabulary, rng: random.Random
    ) -> tuple[list[int], ...]:
        """The first view damaged, where it is not yet; special tokens stay."""
        config, (tokens, whole) = self.config, views
        if config.noise == "mask":
            return masked(tokens, config.deletion_rate, vocabulary, rng), whole
        if not self._on_tokens:
            return views
        own = [token for token in tokens if token not in vocabulary.special]
        found = damaged(own, config.noise, config.deletion_rate, rng, lambda: vocabulary.any_token(rng))
        places = [place for place, token in enumerate(tokens) if token not in vocabulary.special]
        if not places:
            return views
        return (tokens[: places[0]] + found + tokens[places[-1] + 1 :])[: vocabulary.longest], whole

    @property
    def _on_tokens(self) -> bool:
        return self.config.unit == "token" or self.config.noise == "mask"

    def _any_word(self, rng: random.Random) -> str:
        """A random word of a random text."""
        while not (words := pieces_of(self.corpus.texts[rng.choice(self.rows)])[0]):
            pass
        return rng.choice(words)
