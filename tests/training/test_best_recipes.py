"""The five recipes that are offered first, by what encoder and corpus offer and by how many texts they can use."""

import pytest

from embedlab.augmentations.fit import TwoViews, proposed_recipe, unfit_reason
from embedlab.encoder_catalog.catalog import ENCODERS, provided_by
from embedlab.training.best_recipes import ORDER, best_recipes, usable_share
from embedlab.training.recipes import RECIPES

BERT = set(provided_by("bert"))
LONG, SHORT, SINGLE = (TwoViews(crops=crops, sentences=several) for crops, several in ((1, 1), (0.15, 1), (0, 0)))


def keys_of(shares: TwoViews, offered: set[str], encoder: str) -> list[str]:
    return [each.key for each in best_recipes(shares, offered, proposed_recipe(shares, encoder).recipe)]


@pytest.mark.parametrize(
    ("shares", "offered", "encoder", "keys"),
    [
        (LONG, BERT, "bert", ["crops", "sentences", "dropout", "tsdae", "elongation-self"]),
        (SHORT, BERT, "bert", ["sentences", "crops", "dropout", "tsdae", "elongation-self"]),
        (LONG, BERT | {"summaries"}, "bert", ["crops", "sentences", "semcse", "dropout", "tsdae"]),
        (SINGLE, BERT, "bert", ["simcse", "tsdae", "elongation-self", "mlm", "contrastive-tension"]),
        (LONG, set(), "words", ["sentences", "crops", "coco-dr", "contrastive-tension", "crops-masking"]),
        (SINGLE, set(), "words", ["untouched", "contrastive-tension"]),
        (SINGLE, {"context"}, "smollm2-135m", ["contrastive-tension", "elongation-self", "untouched"]),
    ],
)
def test_the_proposed_recipe_leads_and_each_idea_comes_once(shares, offered, encoder, keys):
    assert keys_of(shares, offered, encoder) == keys


def test_what_is_offered_first_fits_and_can_use_the_texts():
    for encoder in ENCODERS.keys():
        offered = set(provided_by(encoder))
        for shares in (LONG, SHORT, SINGLE):
            for recipe in best_recipes(shares, offered, proposed_recipe(shares, encoder).recipe):
                assert unfit_reason(recipe.needs, offered) is None, (encoder, recipe.key)
                assert usable_share(recipe, shares) >= 0.1, (encoder, recipe.key)


def test_no_recipe_of_labels_or_given_pairs_is_among_them():
    assert not any(RECIPES[key].is_supervised or RECIPES[key].trains_on_pairs for key in ORDER)
