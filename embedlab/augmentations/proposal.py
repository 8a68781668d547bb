"""Which recipe a corpus is proposed: text crops where most texts give two, else pairs of sentences."""

import random
from dataclasses import dataclass

from embedlab.augmentations.crop import CropConfig, number_of_crops
from embedlab.augmentations.sentence_pairs import different_sentences

ENOUGH = 0.6  # of the texts; below, crops leave too much of a corpus unused
LOOKED_AT = 2_000  # texts; a share of so many is known to two points
CROPS, SENTENCES = "crops", "sentences"


@dataclass(frozen=True)
class ProposedRecipe:
    """A recipe's key, and why it is proposed in place of text crops; no reason for crops themselves."""

    recipe: str
    reason: str = ""


def proposed_recipe(corpus) -> ProposedRecipe:
    """By the texts alone, at most 2,000 of them drawn by a fixed seed."""
    places = range(len(corpus.kept))
    looked_at = places if len(places) <= LOOKED_AT else random.Random(0).sample(places, LOOKED_AT)
    texts = [corpus.texts[corpus.kept[place]] for place in looked_at]
    two_crops = _share(number_of_crops(text) > 1 for text in texts)
    if two_crops >= ENOUGH:
        return ProposedRecipe(CROPS)
    two_sentences = _share(len(different_sentences(text)) > 1 for text in texts)
    if two_sentences <= two_crops:
        return ProposedRecipe(CROPS)
    asked = CropConfig()
    return ProposedRecipe(
        SENTENCES,
        f"Text crops could use {100 * two_crops:.0f} % of these texts (two crops of {asked.sentences} sentences of "
        f"{asked.min_characters} to {asked.max_characters} characters), pairs of sentences "
        f"{100 * two_sentences:.0f} %.",
    )


def _share(found) -> float:
    values = list(found)
    return sum(values) / max(len(values), 1)
