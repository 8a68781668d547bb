"""Given pairs: an anchor with a matching text and non-matching ones, or two texts and a score."""

import random

from pydantic import Field

from embedlab.augmentations.base import GIVEN, SCORED, Augmentation
from embedlab.config import Config, NoSettings
from embedlab.copies import normalised


class GivenPairsConfig(Config):
    """Which scored pairs count as matching."""

    least_score: float = Field(
        0.8,
        ge=0.0,
        le=1.0,
        description="Only scored pairs with at least this score, out of 1, are positives: 4 of 5 in STS.",
    )


class GivenPairs(Augmentation[GivenPairsConfig]):
    """Views come from the file. Pairs with the same anchor are not negatives of each other."""

    key = "given-pairs"
    title = "Given pairs"
    sentence = "A text and its matching text, as given by people, with non-matching texts if there are any."
    paper = "Sentence-BERT; LA(SER)³, section 3 (proof of concept)"
    cites = ("reimers2019sbert",)
    kind = GIVEN
    needs = frozenset({"pairs"})
    config_class = GivenPairsConfig

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, ...] | None:
        """Anchor, positive and the negatives; None for a row without a pair or with too low a score."""
        texts = None if self.corpus.pairs is None else self.corpus.pairs[row]
        if not texts or not all(texts):
            return None
        score = None if self.corpus.scores is None else self.corpus.scores[row]
        return None if score is not None and score < self.config.least_score else tuple(texts)

    def group(self, row: int) -> object | None:
        """The anchor: a query with two answers appears in two pairs."""
        return normalised(self.corpus.pairs[row][0])


class ScoredPairs(Augmentation[NoSettings]):
    """Two texts and their scored similarity, which is the training target."""

    key = "scored-pairs"
    title = "Scored pairs"
    sentence = "Two texts and the similarity score that people gave them."
    paper = "Sentence-BERT, section 3; TSDAE, Table 2 (STS)"
    cites = ("reimers2019sbert",)
    kind = SCORED
    needs = frozenset({"pairs", "scores"})
    view_names = ("Text", "Compared with")
    aim = "The cosine of the two should match the score."

    def views(self, row: int, rng: random.Random, position: int = 0) -> tuple[str, str] | None:
        """Both texts; None for a row without two texts or without a score."""
        texts = None if self.corpus.pairs is None else self.corpus.pairs[row]
        has_score = self.corpus.scores is not None and self.corpus.scores[row] is not None
        return (texts[0], texts[1]) if has_score and texts and texts[0] and texts[1] else None

    def target(self, row: int) -> float | None:
        """The score, from 0 to 1."""
        return self.corpus.scores[row]
