"""An objective with an augmentation that no recipe names: it runs, what does not fit is a sentence."""

import pytest

from embedlab.errors import UnfitError
from embedlab.runs.label_lineage import trains_by_labels
from embedlab.runs.result import read_result
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS
from embedlab.training.recipes import RECIPES, own_combinations, recipe_of
from embedlab.training.settings import RunSettings


def test_it_is_both_parts_with_their_own_defaults():
    settings = RunSettings(corpus="docs", recipe="barlow-twins+crop")
    recipe = settings.recipe_part
    assert (recipe.objective, recipe.augmentation, recipe.settings) == ("barlow-twins", "crop", {})
    assert (
        settings.objective["off_diagonal_weight"]
        == RunSettings(corpus="docs", recipe="barlow-twins").objective["off_diagonal_weight"]
    )
    assert recipe_of("crops") is RECIPES["crops"]


def test_every_recipe_is_one_that_fits():
    fitting = {(each.objective, each.augmentation) for each in own_combinations()}
    assert {(each.objective, each.augmentation) for each in RECIPES if each.objective} <= fitting
    assert len(fitting) == len(own_combinations())


@pytest.mark.parametrize(
    "reference", ["vicreg+sampled-pairs", "tsdae+crop", "mlm+sampled-pairs", "infonce+mlm-masking"]
)
def test_another_kind_of_views_is_refused_with_what_fits(reference):
    with pytest.raises(UnfitError, match=r"takes .+, but .+ makes .+ Choose from: ") as error:
        recipe_of(reference)
    assert recipe_of(f"{reference.partition('+')[0]}+{str(error.value).rstrip('.').split(', ')[-1].split(': ')[-1]}")


def test_pairs_made_of_labels_are_known_as_such():
    assert trains_by_labels("vicreg+same-class") and trains_by_labels("supervised")
    assert not trains_by_labels("vicreg+crop") and not trains_by_labels(None) and not trains_by_labels("gone+gone")
    assert recipe_of("vicreg+same-class").is_supervised


@pytest.mark.parametrize("reference", ["vicreg+sentence-pairs", "infonce+deletion", "barlow-twins+summary-pairs"])
def test_it_trains(summarised_corpus, reference):
    from embedlab.jobs.progress import FolderProgress

    told = {"corpus": summarised_corpus.fingerprint, "encoder": "token", "recipe": reference, "batch_size": 16}
    told |= {"max_steps": 3, "vocabulary_size": 300, "maps": False, "inside": False}
    folder = create_run("train", told)
    TASKS["train"].run(folder, TASKS["train"].read(told), FolderProgress(folder))
    found = read_result(folder)
    assert found.steps == 3 and found.recipe == reference and not found.supervised


def test_a_combination_that_is_a_recipe_says_so():
    assert recipe_of("infonce+crop").when.endswith("this is the recipe Text crops.")
    assert recipe_of("barlow-twins+crop").when.endswith("no recipe here has these two parts.")
