"""What Train's form stands on: the recipe somebody chose, else the proposed one, or all that a run was asked."""

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.fit import ProposedRecipe
from embedlab.encoder_names import is_made_here, kind_of
from embedlab.errors import EmbedlabError
from embedlab.objectives import OBJECTIVES
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.store import read_settings
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import recipe_of
from embedlab.training.settings import RunSettings
from embedlab.ui.components.encoder_choice import ENCODER
from embedlab.ui.components.form import fill_form
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import CORPUS, NEW_VIEW, TRAIN_VIEW

RECIPE, FAMILY, CHOSEN_BY_HAND = "train.recipe", "train.family", "train.recipe_is_chosen"
NAME, DEVICE, JUDGE, TARGET, PAIRS = "train.name", "train.device", "train.judge", "train.target", "train.pairs"


def chosen_recipe(proposed: ProposedRecipe) -> Recipe:
    """The recipe that is chosen; while nobody chose one, the one that the corpus is proposed."""
    if not st.session_state.get(CHOSEN_BY_HAND) and st.session_state.get(RECIPE) != proposed.recipe:
        st.session_state[RECIPE], st.session_state[FAMILY] = proposed.recipe, recipe_of(proposed.recipe).family
    return recipe_of(st.session_state[RECIPE])


def choose_recipe(recipe: Recipe) -> None:
    """For callbacks."""
    st.session_state[RECIPE], st.session_state[FAMILY] = recipe.key, recipe.family
    st.session_state[CHOSEN_BY_HAND] = True


def settings_key(recipe: str, encoder: str) -> str:
    """What the fields of the settings are kept under: a recipe's own, and those of encoders made from scratch apart."""
    return f"train.{recipe}" + (f".{kind_of(encoder)}" if is_made_here(encoder) else "")


def edit_and_rerun(run: RunFolder) -> None:
    """The button that opens Train; nothing for imported embeddings, which no form describes."""
    if is_own(run):
        return
    explained = "Opens the form with the settings of this run."
    if st.button("Edit and rerun", key=f"rerun-{run.id}", on_click=_open_form, args=(run,), help=explained):
        go_to("train")


def _open_form(run: RunFolder) -> None:
    try:
        asked = read_settings(run)
        fill_train_form(asked["settings"], name=asked["name"])
    except EmbedlabError:
        return  # another tab deleted it: the page shows that
    st.session_state[TRAIN_VIEW] = NEW_VIEW


def fill_train_form(settings: dict, *, name: str) -> None:
    """Put a request to fine-tune into the form's fields; for callbacks."""
    recipe = recipe_of(settings["recipe"])
    choose_recipe(recipe)
    st.session_state[CORPUS], st.session_state[ENCODER] = settings["corpus"], settings["encoder"]
    st.session_state[NAME] = name
    for field, key in (("device", DEVICE), ("judge", JUDGE), ("target", TARGET), ("pairs", PAIRS)):
        st.session_state[key] = settings.get(field)
    key = settings_key(recipe.key, settings["encoder"])
    fill_form(RunSettings.model_json_schema(), key=key, values=settings)
    for part, parts, chosen in (
        ("objective", OBJECTIVES, recipe.objective),
        ("augmentation", AUGMENTATIONS, recipe.augmentation),
    ):
        if chosen:
            schema = parts[chosen].config_class.model_json_schema()
            fill_form(schema, key=f"{key}.{part}", values=settings.get(part) or {})
