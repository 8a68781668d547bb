"""Elongation: a text repeated m times, as long as it fits (LA(SER)³, sections 2 and 4)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation, TokenViews, Vocabulary
from embedlab.config import Config
from embedlab.sentences import sentences

Mode = Literal["none", "twice", "random"]
_MODE = "None, twice, or m times with m drawn from 1 to the most copies that fit into the tokens read."


class ElongationConfig(Config):
    """What is repeated, and how often."""

    unit: Literal["first", "random", "text"] = Field(
        "first", description="The text's first sentence, as in the paper, a random one, or the whole text."
    )
    elongation: Mode = Field("random", description=_MODE)


class SentenceRestConfig(Config):
    """Which sentence is the anchor, and how often it is repeated."""

    anchor: Literal["first", "random"] = Field("first", description="The text's first sentence, or a random one.")
    elongation: Mode = Field("random", description=_MODE)


def most_copies(tokens: list[int], vocabulary: Vocabulary) -> int:
    """How many copies of the non-special tokens fit: ``⌊(longest - specials) / n⌋``, at least 1 (section 4)."""
    before, body, after = split_specials(tokens, vocabulary)
    return max(1, (vocabulary.longest - len(before) - len(after)) // len(body)) if body else 1


def elongated(tokens: list[int], copies: int, vocabulary: Vocabulary) -> list[int]:
    """The non-special tokens repeated; [CLS] and [SEP] stay single (section 2)."""
    before, body, after = split_specials(tokens, vocabulary)
    return before + body * copies + after


def drawn_copies(tokens: list[int], mode: Mode, vocabulary: Vocabulary, rng: random.Random) -> int:
    """m: 1, 2, or uniform from 1 to the maximum that fits, inclusive."""
    most = most_copies(tokens, vocabulary)
    return {"none": 1, "twice": min(2, most)}.get(mode) or rng.randint(1, most)


def split_specials(tokens: list[int], vocabulary: Vocabulary) -> tuple[list[int], list[int], list[int]]:
    """Leading special tokens, the tokens between, trailing special tokens."""
    words = [index for index, token in enumerate(tokens) if token not in vocabulary.special]
    if not words:
        return tokens, [], []
    return tokens[: words[0]], tokens[words[0] : words[-1] + 1], tokens[words[-1] + 1 :]


class Elongation(Augmentation[ElongationConfig]):
    """Self-reference: a sentence, and the same sentence repeated."""

    key = "elongation"
    title = "Elongation"
    sentence = "A sentence, and the same sentence repeated m times: its meaning does not change."
    paper = "LA(SER)³, sections 3 and 4"
    cites = ("laser3",)
    example_seed = 5
    needs = frozenset({"context"})
    config_class = ElongationConfig
    view_names = ("Sentence", "Repeated")
    aim = "The repeated sentence should be close to the sentence itself."

    @classmethod
    def needs_of(cls, config: ElongationConfig) -> frozenset[str]:
        """Without repetition the two views are identical."""
        return cls.needs | {"dropout"} if config.elongation == "none" else cls.needs

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The same piece of text twice; the second is repeated on its tokens."""
        text = self.corpus.texts[row]
        if self.config.unit == "text":
            return (text, text) if text.strip() else None
        drawn = drawn_sentence(text, self.config.unit, rng)
        return None if drawn is None else (drawn[0], drawn[0])

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """Repeat the positive."""
        anchor, positive = views
        copies = drawn_copies(positive, self.config.elongation, vocabulary, rng)
        return anchor, elongated(positive, copies, vocabulary)


class SentenceRest(Augmentation[SentenceRestConfig]):
    """Intra-reference: a sentence, repeated or not, and the rest of its text."""

    key = "sentence-rest"
    title = "Sentence and rest"
    sentence = "One sentence of a text, optionally repeated m times, and the rest of the text."
    paper = "LA(SER)³, sections 3 and 4; COCO-DR"
    cites = ("laser3", "yu2022cocodr")
    example_seed = 5
    config_class = SentenceRestConfig
    view_names = ("Sentence", "Rest")
    aim = "The rest of the text should be close to its sentence."

    @classmethod
    def needs_of(cls, config: SentenceRestConfig) -> frozenset[str]:
        """Repetition changes nothing for an encoder without context."""
        return cls.needs if config.elongation == "none" else cls.needs | {"context"}

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """The sentence and the rest; None for a text of one sentence."""
        drawn = drawn_sentence(self.corpus.texts[row], self.config.anchor, rng)
        return drawn if drawn is not None and drawn[1] else None

    def on_tokens(self, views: TokenViews, vocabulary: Vocabulary, rng: random.Random) -> TokenViews:
        """Repeat the anchor; the rest is unchanged."""
        anchor, rest = views
        return elongated(anchor, drawn_copies(anchor, self.config.elongation, vocabulary, rng), vocabulary), rest


def drawn_sentence(text: str, which: str, rng: random.Random) -> tuple[str, str] | None:
    """The ``first`` or a ``random`` sentence, and the rest of the text; None without two sentences."""
    candidates = [sentence for sentence in sentences(text) if sentence.strip()]
    if not candidates:
        return None
    chosen = 0 if which == "first" else rng.randrange(len(candidates))
    return candidates[chosen].strip(), "".join(candidates[:chosen] + candidates[chosen + 1 :]).strip()
