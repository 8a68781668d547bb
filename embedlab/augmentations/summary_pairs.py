"""A summary of a text, and another summary, its title or one of its sentences (SemCSE, section 4)."""

import random
from typing import Literal

from pydantic import Field

from embedlab.augmentations.base import Augmentation
from embedlab.config import Config
from embedlab.sentences import sentences


class SummaryPairsConfig(Config):
    """The kinds of positives that a summary gets."""

    positives: Literal["mixed", "just summaries", "same input"] = Field(
        "mixed",
        description="Other summaries, titles and sentences, as in the paper, or its ablations: other summaries "
        "alone, or the same summary again, made different by dropout (Table 3).",
    )
    title_share: float = Field(0.15, ge=0.0, le=1.0, description="Share of the positives that are the text's title.")
    sentence_share: float = Field(
        0.35, ge=0.0, le=1.0, description="Share of the positives that are a sentence of the text."
    )


class SummaryPairs(Augmentation[SummaryPairsConfig]):
    """The anchor is always a summary. Kinds of positives that a text lacks are replaced by the other kinds."""

    key = "summary-pairs"
    title = "Summaries"
    sentence = "A summary of a text, and another summary, the title or a sentence of the same text."
    paper = "SemCSE, sections 3 and 4"
    cites = ("semcse",)
    example_seed = 3
    needs = frozenset({"summaries"})
    config_class = SummaryPairsConfig
    view_names = ("Summary", "Positive")

    @classmethod
    def needs_of(cls, config: SummaryPairsConfig) -> frozenset[str]:
        """Dropout, if the same summary is both anchor and positive."""
        return cls.needs | {"dropout"} if config.positives == "same input" else cls.needs

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """Summary and positive; None for a text without a summary or without any positive."""
        given = None if self.corpus.summaries is None else self.corpus.summaries[row]
        summaries = list(dict.fromkeys(each.strip() for each in given or () if each and each.strip()))
        if not summaries:
            return None
        anchor = rng.choice(summaries)
        if self.config.positives == "same input":
            return anchor, anchor
        share = max(0.0, 1 - self.config.title_share - self.config.sentence_share)
        kinds = {"summary": ([each for each in summaries if each != anchor], share)}
        if self.config.positives == "mixed":
            title = (self.corpus.titles[row] or "").strip() if self.corpus.titles is not None else ""
            kinds["title"] = ([title] if title and title != anchor else [], self.config.title_share)
            whole = [each.strip() for each in sentences(self.corpus.texts[row])]
            kinds["sentence"] = ([each for each in whole if each and each != anchor], self.config.sentence_share)
        there = [(choices, share) for choices, share in kinds.values() if choices]
        if not there:
            return None
        shares = [share for _, share in there]
        choices = rng.choices([choices for choices, _ in there], shares if sum(shares) else None)[0]
        return anchor, rng.choice(choices)
