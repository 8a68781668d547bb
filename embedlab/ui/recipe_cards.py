"""The recipes as cards, a family at a time, and the card of the chosen one: what it does, its picture, its formula."""

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.proposal import ProposedRecipe
from embedlab.config import validated
from embedlab.errors import EmbedlabError
from embedlab.figures.views_picture import views_picture
from embedlab.ui.example_views import example_rows
from embedlab.ui.state import is_dark
from embedlab.ui.text import escaped

RECIPE, FAMILY = "train.recipe", "train.family"
_IN_A_ROW, _WIDE, _NARROW = 4, 226, 177  # pixels
CHOSEN_BY_HAND = "train.recipe_is_chosen"


def chosen_recipe(parts: dict, proposed: ProposedRecipe) -> dict:
    """The card of the recipe that is chosen; while nobody chose one, of the one that the corpus is proposed."""
    cards = {each["key"]: each for each in parts["recipes"]}
    if not st.session_state.get(CHOSEN_BY_HAND) and st.session_state.get(RECIPE) != proposed.recipe:
        st.session_state[RECIPE] = proposed.recipe
        st.session_state[FAMILY] = cards[proposed.recipe]["family"]
    return cards[st.session_state[RECIPE]]


def proposal_line(parts: dict, proposed: ProposedRecipe) -> None:
    """Why another recipe than text crops is proposed; nothing where it is not."""
    if proposed.reason:
        title = next(each["title"] for each in parts["recipes"] if each["key"] == proposed.recipe)
        st.caption(escaped(f"Proposed for these texts: {title}. {proposed.reason}", 300))


def recipe_cards(parts: dict, chosen: dict, has: set[str]) -> set[str]:
    """The recipes of a family; those that do not fit are greyed and say why. The keys of all unfit ones."""
    reasons = {each["key"]: unfit_reason(parts, each, has) for each in parts["recipes"]}
    families = list(dict.fromkeys(each["family"] for each in parts["recipes"]))
    st.session_state.setdefault(FAMILY, chosen["family"])
    family = st.segmented_control(
        "Kind of recipe", families, key=FAMILY, label_visibility="collapsed", required=True, persist_state="session"
    )
    row = st.container(horizontal=True)
    shown = [recipe for recipe in parts["recipes"] if recipe["family"] == family]
    width = _WIDE if len(shown) <= _IN_A_ROW else _NARROW  # in one row at 1400 pixels
    for recipe in shown:
        with row.container(border=True, height="stretch", width=width):
            _small_card(recipe, reasons[recipe["key"]], is_chosen=recipe["key"] == chosen["key"])
    return {key for key, reason in reasons.items() if reason}


def unfit_reason(parts: dict, recipe: dict, has: set[str]) -> str | None:
    """Why this recipe cannot be used here, or None."""
    missing = [need for need in recipe["needs"] if need not in has]
    return f"Does not fit: {parts['unfit_reasons'][missing[0]]}." if missing else None


def recipe_card(parts: dict, recipe: dict, settings: dict) -> None:
    """One sentence, the picture of its views under these settings, the formula, when to use it, the paper."""
    objective = next((each for each in parts["objectives"] if each["key"] == recipe["objective"]), None)
    with st.container(border=True):
        st.markdown(f"**{escaped(recipe['title'])}**. {escaped(recipe['sentence'], 300)}")
        if objective is not None:
            left, right = st.columns([1, 1], vertical_alignment="center")
            with left:
                _picture(recipe, settings)
            with right:
                st.latex(objective["formula"])
        st.caption(escaped(f"{recipe['when']} ({recipe['paper']})", 400))


def _picture(recipe: dict, settings: dict) -> None:
    part = AUGMENTATIONS[recipe["augmentation"]]
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError:
        return  # the form says what is wrong
    rows = example_rows(part, config)
    st.image(views_picture(rows, dark=is_dark()))
    st.caption(part.aim if len(rows) > 2 else "These settings give no pair of the example's four sentences.")


def _small_card(recipe: dict, reason: str | None, *, is_chosen: bool) -> None:
    st.button(
        recipe["title"],
        key=f"train.recipe-{recipe['key']}",
        type="primary" if is_chosen else "secondary",
        width="stretch",
        disabled=reason is not None,
        on_click=choose_recipe,
        args=(recipe,),
        help=f"{recipe['when']} ({recipe['paper']})",
    )
    st.caption(escaped(reason or recipe["sentence"], 300))


def choose_recipe(card: dict) -> None:
    """For callbacks."""
    st.session_state[RECIPE], st.session_state[FAMILY] = card["key"], card["family"]
    st.session_state[CHOSEN_BY_HAND] = True
