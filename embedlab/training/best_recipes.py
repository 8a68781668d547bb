"""The few recipes that suit an encoder and a corpus best, by one rule; all others stay a click away."""

from collections.abc import Iterable

from embedlab.augmentations.fit import ENOUGH_PAIRS, TwoViews, unfit_reason
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import RECIPES

MOST = 5
# One recipe per idea first, in the order of what the papers report; then their variants. Those that train on labels or
# on given pairs answer another question.
ORDER = (
    *("crops", "sentences", "semcse", "dropout", "tsdae", "elongation-self", "simcse"),
    *("coco-dr", "mlm", "contrastive-tension", "crops-masking", "elongation-intra", "untouched"),
)


def best_recipes(shares: TwoViews, offered: Iterable[str], proposed: str) -> list[Recipe]:
    """Return at most five recipes, the proposed one first.

    The others follow in a fixed order: those that fit what encoder and corpus offer, and can use enough of the texts.
    """
    offered = set(offered)
    suitable = [
        each
        for each in map(RECIPES.__getitem__, ORDER)
        if unfit_reason(each.needs, offered) is None and usable_share(each, shares) >= ENOUGH_PAIRS
    ]
    first = RECIPES[proposed]
    return [first, *(each for each in suitable if each != first)][:MOST]


def usable_share(recipe: Recipe, shares: TwoViews) -> float:
    """Return the share of the corpus's texts that give views under the recipe's own settings."""
    unit = recipe.settings.get("augmentation", {}).get("unit", "crop")
    if recipe.augmentation in ("crop", "crop-masking", "identity") and unit == "crop":
        return shares.crops
    if recipe.augmentation in ("sentence-pairs", "sentence-rest"):
        return shares.sentences
    return 1.0
