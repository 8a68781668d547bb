"""Which recipe the form of Train stands on: the one somebody chose, else the one that the corpus is proposed."""

import streamlit as st

from embedlab.augmentations.proposal import ProposedRecipe
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import recipe_of

RECIPE, FAMILY = "train.recipe", "train.family"

CHOSEN_BY_HAND = "train.recipe_is_chosen"


def chosen_recipe(proposed: ProposedRecipe) -> Recipe:
    """The recipe that is chosen; while nobody chose one, the one that the corpus is proposed."""
    if not st.session_state.get(CHOSEN_BY_HAND) and st.session_state.get(RECIPE) != proposed.recipe:
        st.session_state[RECIPE], st.session_state[FAMILY] = proposed.recipe, recipe_of(proposed.recipe).family
    return recipe_of(st.session_state[RECIPE])


def choose_recipe(recipe: Recipe) -> None:
    """For callbacks."""
    st.session_state[RECIPE], st.session_state[FAMILY] = recipe.key, recipe.family
    st.session_state[CHOSEN_BY_HAND] = True
