"""Which recipe the form of Train stands on: the one somebody chose, else the one that the corpus is proposed."""

import streamlit as st

from embedlab.augmentations.proposal import ProposedRecipe

RECIPE, FAMILY = "train.recipe", "train.family"

CHOSEN_BY_HAND = "train.recipe_is_chosen"


def chosen_recipe(parts: dict, proposed: ProposedRecipe) -> dict:
    """The card of the recipe that is chosen; while nobody chose one, of the one that the corpus is proposed."""
    cards = {each["key"]: each for each in [*parts["recipes"], *parts["own_combinations"]]}
    if not st.session_state.get(CHOSEN_BY_HAND) and st.session_state.get(RECIPE) != proposed.recipe:
        st.session_state[RECIPE] = proposed.recipe
        st.session_state[FAMILY] = cards[proposed.recipe]["family"]
    return cards[st.session_state[RECIPE]]


def choose_recipe(card: dict) -> None:
    """For callbacks."""
    st.session_state[RECIPE], st.session_state[FAMILY] = card["key"], card["family"]
    st.session_state[CHOSEN_BY_HAND] = True
