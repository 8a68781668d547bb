"""The recipes as cards, a family at a time, and the card of the chosen one: what it does, its picture, its formula."""

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.fit import unfit_reason
from embedlab.augmentations.proposal import ProposedRecipe
from embedlab.config import validated
from embedlab.errors import EmbedlabError
from embedlab.figures.views_picture import views_picture
from embedlab.figures.wiring_picture import wiring_picture
from embedlab.ui.components.recipe_choice import FAMILY, choose_recipe
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import escaped
from embedlab.ui.train.example_views import example_rows
from embedlab.ui.train.pairs_choice import pairs_choice

_IN_A_ROW, _WIDE, _NARROW, _PICTURE = 4, 219, 177, 490  # pixels


def proposal_line(parts: dict, proposed: ProposedRecipe) -> None:
    """Why another recipe than text crops is proposed; nothing where it is not."""
    if proposed.reason:
        title = next(each["title"] for each in parts["recipes"] if each["key"] == proposed.recipe)
        st.caption(escaped(f"Proposed for these texts: {title}. {proposed.reason}", 300))


def recipe_cards(parts: dict, chosen: dict, has: set[str]) -> set[str]:
    """The recipes of a family; those that do not fit are greyed and say why. The keys of all unfit ones."""
    offered = [*parts["recipes"], *parts["own_combinations"]]
    reasons = {each["key"]: unfit_reason(each["needs"], has) for each in offered}
    families = list(dict.fromkeys(each["family"] for each in offered))
    st.session_state.setdefault(FAMILY, chosen["family"])
    family = st.segmented_control(
        "Kind of recipe", families, key=FAMILY, label_visibility="collapsed", required=True, persist_state="session"
    )
    if family == parts["own_combinations"][0]["family"]:
        _own_combination(parts, chosen, reasons)
        return {key for key, reason in reasons.items() if reason}
    shown = [recipe for recipe in parts["recipes"] if recipe["family"] == family]
    if all("pairs" in recipe["needs"] for recipe in shown):
        pairs_choice()
    row = st.container(horizontal=True)
    width = _WIDE if len(shown) <= _IN_A_ROW else _NARROW  # in one row at 1400 pixels
    for recipe in shown:
        with row.container(border=True, height="stretch", width=width):
            _small_card(recipe, reasons[recipe["key"]], is_chosen=recipe["key"] == chosen["key"])
    return {key for key, reason in reasons.items() if reason}


def _own_combination(parts: dict, chosen: dict, reasons: dict[str, str | None]) -> None:
    """Any objective, with an augmentation that makes the kind of views it takes."""
    cards = {each["key"]: each for each in parts["own_combinations"]}
    titles = {card["key"]: card["title"] for kind in ("objectives", "augmentations") for card in parts[kind]}
    choices = {"format_func": titles.get, "persist_state": "session", "width": 330}
    with st.container(horizontal=True):
        objectives = list(dict.fromkeys(each["objective"] for each in cards.values()))
        objective = st.selectbox("Objective", objectives, key="train.own-objective", **choices)
        fitting = [each["augmentation"] for each in cards.values() if each["objective"] == objective]
        augmentation = st.selectbox("Augmentation", fitting, key=f"train.own-augmentation-{objective}", **choices)
    card = cards[f"{objective}+{augmentation}"]
    with st.container(horizontal=True, vertical_alignment="center"):
        reason = reasons[card["key"]]
        stands = {"disabled": reason is not None or card["key"] == chosen["key"]}
        st.button("Take this combination", key="train.own", on_click=choose_recipe, args=(card,), **stands)
        st.caption(escaped(reason or card["when"], 300))


def recipe_card(parts: dict, recipe: dict, settings: dict, objective_settings: dict) -> None:
    """One sentence, the pictures of its views and of its two sides under these settings, formula, use and paper."""
    objective = next((each for each in parts["objectives"] if each["key"] == recipe["objective"]), None)
    with st.container(border=True):
        st.markdown(f"**{escaped(recipe['title'])}**. {escaped(recipe['sentence'], 300)}")
        if objective is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="large"):  # below it where narrow
                with st.container(width=_PICTURE):
                    _picture(recipe, settings, takes=objective["takes"])
                st.latex(objective["formula"], width="content")
            if objective["wirings"]:
                wiring = objective["wirings"][objective_settings["wiring"]]
                st.image(wiring_picture(wiring, objective_settings, dark=is_dark()))
        st.caption(escaped(f"{recipe['when']} ({recipe['paper']})", 400))


def _picture(recipe: dict, settings: dict, *, takes: str) -> None:
    part = AUGMENTATIONS[recipe["augmentation"]]
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError:
        return  # the form says what is wrong
    rows = example_rows(part, config)
    st.image(views_picture(rows, dark=is_dark()))
    aim = part.read_as.get(takes, part.aim)
    st.caption(aim if len(rows) > 2 else "These settings give no pair of the example's four sentences.")


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
    st.caption(escaped(f"Does not fit: {reason}" if reason else recipe["sentence"], 300))
