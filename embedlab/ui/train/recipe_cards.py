"""The recipes as cards, a family at a time, and the card of the chosen one: what it does, its picture, its formula."""

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.fit import unfit_reason
from embedlab.augmentations.proposal import ProposedRecipe
from embedlab.config import validated
from embedlab.errors import EmbedlabError
from embedlab.figures.views_picture import views_picture
from embedlab.figures.wiring_picture import wiring_picture
from embedlab.objectives import OBJECTIVES
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import OWN_COMBINATION, RECIPES, own_combinations, recipe_of
from embedlab.ui.components.train_fields import FAMILY, choose_recipe
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import escaped
from embedlab.ui.train.example_views import example_rows
from embedlab.ui.train.pairs_choice import pairs_choice

_IN_A_ROW, _WIDE, _NARROW, _PICTURE = 4, 219, 177, 490  # pixels


def proposal_line(proposed: ProposedRecipe) -> None:
    """Why another recipe than text crops is proposed; nothing where it is not."""
    if proposed.reason:
        st.caption(escaped(f"Proposed for these texts: {RECIPES[proposed.recipe].title}. {proposed.reason}", 300))


def recipe_cards(chosen: Recipe, has: set[str]) -> set[str]:
    """The recipes of a family; those that do not fit are greyed and say why. The keys of all unfit ones."""
    offered = [*RECIPES, *own_combinations()]
    reasons = {each.key: unfit_reason(each.needs, has) for each in offered}
    families = list(dict.fromkeys(each.family for each in offered))
    st.session_state.setdefault(FAMILY, chosen.family)
    family = st.segmented_control(
        "Kind of recipe", families, key=FAMILY, label_visibility="collapsed", required=True, persist_state="session"
    )
    if family == OWN_COMBINATION:
        _own_combination(chosen, reasons)
        return {key for key, reason in reasons.items() if reason}
    shown = [recipe for recipe in RECIPES if recipe.family == family]
    if all(recipe.trains_on_pairs for recipe in shown):
        pairs_choice()
    row = st.container(horizontal=True)
    width = _WIDE if len(shown) <= _IN_A_ROW else _NARROW  # in one row at 1400 pixels
    for recipe in shown:
        with row.container(border=True, height="stretch", width=width):
            _small_card(recipe, reasons[recipe.key], is_chosen=recipe == chosen)
    return {key for key, reason in reasons.items() if reason}


def _own_combination(chosen: Recipe, reasons: dict[str, str | None]) -> None:
    """Any objective, with an augmentation that makes the kind of views it takes."""
    titles = {part.key: part.title for part in (*OBJECTIVES, *AUGMENTATIONS)}
    choices = {"format_func": titles.get, "persist_state": "session", "width": 330}
    with st.container(horizontal=True):
        objectives = list(dict.fromkeys(each.objective for each in own_combinations()))
        objective = st.selectbox("Objective", objectives, key="train.own-objective", **choices)
        fitting = [each.augmentation for each in own_combinations() if each.objective == objective]
        augmentation = st.selectbox("Augmentation", fitting, key=f"train.own-augmentation-{objective}", **choices)
    combination = recipe_of(f"{objective}+{augmentation}")
    with st.container(horizontal=True, vertical_alignment="center"):
        reason = reasons[combination.key]
        stands = {"disabled": reason is not None or combination == chosen}
        st.button("Take this combination", key="train.own", on_click=choose_recipe, args=(combination,), **stands)
        st.caption(escaped(reason or combination.when, 300))


def recipe_card(recipe: Recipe, settings: dict, objective_settings: dict) -> None:
    """One sentence, the pictures of its views and of its two sides under these settings, formula, use and paper."""
    objective = OBJECTIVES[recipe.objective] if recipe.objective else None
    with st.container(border=True):
        st.markdown(f"**{escaped(recipe.title)}**. {escaped(recipe.sentence, 300)}")
        if objective is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="large"):  # below it where narrow
                with st.container(width=_PICTURE):
                    _picture(recipe, settings, takes=objective.takes)
                st.latex(objective.formula, width="content")
            if objective.wirings:
                wiring = next(each for each in objective.wirings if each.key == objective_settings["wiring"])
                st.image(wiring_picture(wiring, objective_settings, dark=is_dark()))
        st.caption(escaped(f"{recipe.when} ({recipe.paper})", 400))


def _picture(recipe: Recipe, settings: dict, *, takes: str) -> None:
    part = AUGMENTATIONS[recipe.augmentation]
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError:
        return  # the form says what is wrong
    rows = example_rows(part, config)
    st.image(views_picture(rows, dark=is_dark()))
    aim = part.read_as.get(takes, part.aim)
    st.caption(aim if len(rows) > 2 else "These settings give no pair of the example's four sentences.")


def _small_card(recipe: Recipe, reason: str | None, *, is_chosen: bool) -> None:
    st.button(
        recipe.title,
        key=f"train.recipe-{recipe.key}",
        type="primary" if is_chosen else "secondary",
        width="stretch",
        disabled=reason is not None,
        on_click=choose_recipe,
        args=(recipe,),
        help=f"{recipe.when} ({recipe.paper})",
    )
    st.caption(escaped(f"Does not fit: {reason}" if reason else recipe.sentence, 300))
