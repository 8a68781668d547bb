"""Two different sentences of one text, or a sentence and the rest, of any length (ours, after two papers)."""

import random
from functools import lru_cache
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation
from embedlab.config import Config
from embedlab.copies import normalised
from embedlab.sentences import sentences

REMEMBERED_TEXTS = 2**16  # whose sentences are looked for once, not at every epoch or training


class SentencePairsConfig(Config):
    """The two sides of a pair, and how many sentences each has."""

    against: Literal["sentence", "rest"] = Field(
        "sentence", description="The other view: another sentence, or the whole rest of the text."
    )
    sentences: int = Field(
        1, ge=1, le=10, description="Consecutive sentences in a view; fewer if the text has less than twice as many."
    )
    overlap: bool = Field(False, description="Allow the two views to share sentences, as crops may.")


@lru_cache(REMEMBERED_TEXTS)
def different_sentences(text: str) -> list[str]:
    """The sentences of a text that contain a word, without repetitions; joined they read as the text does."""
    distinct: dict[str, str] = {}
    for sentence in sentences(text):
        if sentence.strip():
            distinct.setdefault(normalised(sentence), sentence)
    return list(distinct.values())


class SentencePairs(Augmentation[SentencePairsConfig]):
    """Crops by sentence: two different sentences suffice, and none is too short or too long."""

    key = "sentence-pairs"
    title = "Pairs of sentences"
    sentence = "Two different sentences of one text, or a sentence and the rest; no sentence is too short or too long."
    paper = "ours, after crops, section 3.2, and COCO-DR (LA(SER)³, section 4)"
    cites = ("crops", "laser3", "yu2022cocodr")
    config_class = SentencePairsConfig
    view_names = ("One", "Other")
    aim = "Two sentences of one text should be close to each other."

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """Two runs of sentences at different places, in either order; None without two different sentences."""
        choices = different_sentences(self.corpus.texts[row])
        if len(choices) < 2:
            return None
        against_rest = self.config.against == "rest"
        most = len(choices) - 1 if against_rest or self.config.overlap else len(choices) // 2
        length = min(self.config.sentences, most)
        if against_rest:
            start = rng.randrange(len(choices) - length + 1)
            runs = [choices[start : start + length], choices[:start] + choices[start + length :]]
        else:
            apart = 0 if self.config.overlap else length - 1  # runs that share nothing lie so much further apart
            one, other = sorted(rng.sample(range(len(choices) - length + 1 - apart), 2))
            runs = [choices[one : one + length], choices[other + apart : other + apart + length]]
            rng.shuffle(runs)
        return "".join(runs[0]).strip(), "".join(runs[1]).strip()

    def usable(self, row: int) -> bool:
        """Whether the text has two different sentences."""
        return len(different_sentences(self.corpus.texts[row])) > 1
