"""What a corpus is proposed: by its texts the recipe; the start from its own words, where no encoder is named."""

import random
from dataclasses import dataclass

from embedlab.augmentations.crop import CropConfig, number_of_crops
from embedlab.augmentations.sentence_pairs import different_sentences
from embedlab.encoder_names import is_token_layer

ENCODER = "words"  # where nobody names one
ENOUGH = 0.6  # of the texts; below, crops leave too much of a corpus unused
ENOUGH_PAIRS = 0.1  # of the texts with two sentences; below, training sees too little of a corpus to be worth it
LOOKED_AT = 2_000  # texts; a share of so many is known to two points
CROPS, SENTENCES, UNTOUCHED = "crops", "sentences", "untouched"


@dataclass(frozen=True)
class ProposedRecipe:
    """A recipe's key, and why it is proposed; no reason where it is the usual one for its encoder."""

    recipe: str
    reason: str = ""


def proposed_recipe(corpus, encoder: str = ENCODER) -> ProposedRecipe:
    """By the texts alone, at most 2,000 of them drawn by a fixed seed.

    Token layers take pairs of sentences, or with hardly any nothing but their start; others text crops, unless pairs of
    sentences use far more texts.
    """
    places = range(len(corpus.kept))
    looked_at = places if len(places) <= LOOKED_AT else random.Random(0).sample(places, LOOKED_AT)
    texts = [corpus.texts[corpus.kept[place]] for place in looked_at]
    two_sentences = _share(len(different_sentences(text)) > 1 for text in texts)
    if is_token_layer(encoder):
        if two_sentences >= ENOUGH_PAIRS:
            return ProposedRecipe(SENTENCES)
        return ProposedRecipe(
            UNTOUCHED,
            f"Only {100 * two_sentences:.0f} % of these texts have two different sentences to train on, so the "
            f"encoder is measured with its word statistics alone.",
        )
    two_crops = _share(number_of_crops(text) > 1 for text in texts)
    if two_crops >= ENOUGH or two_sentences <= two_crops:
        return ProposedRecipe(CROPS)
    asked = CropConfig()
    return ProposedRecipe(
        SENTENCES,
        f"Text crops could use {100 * two_crops:.0f} % of these texts (two crops of {asked.sentences} sentences of "
        f"{asked.min_characters} to {asked.max_characters} characters), pairs of sentences {100 * two_sentences:.0f} "
        "%.",
    )


def _share(found) -> float:
    values = list(found)
    return sum(values) / max(len(values), 1)
