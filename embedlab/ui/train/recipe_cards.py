"""The best recipes and all as cards, the card of the chosen one with its picture, and five training pairs.

The picture shows what a recipe makes of an example of four sentences: the colors of the words of its views.
"""

import random
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import Augmentation
from embedlab.augmentations.crop import Identity, IdentityConfig
from embedlab.augmentations.fit import ENOUGH, TwoViews, unfit_reason
from embedlab.augmentations.preview import MASKED, UNREAD, WORDS_READ, count_usable, pairs_of, words_read
from embedlab.config import Config, validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import GivenPairs
from embedlab.errors import EmbedlabError
from embedlab.figures.recipe_pictures import HIDDEN, NOT_ASKED, Row, small_views_drawn, views_drawn, wiring_picture
from embedlab.numbers import count, percent
from embedlab.training.best_recipes import usable_share
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import OWN_COMBINATION, RECIPES, own_combinations, recipe_of
from embedlab.ui.components.own_files import pairs_choice
from embedlab.ui.components.train_fields import FAMILY, choose_recipe
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.layout import escaped, show_error, show_text, without_options
from embedlab.ui.frame.state import is_dark, one_of, remember

_IN_A_ROW, _WIDE, _NARROW, _PICTURE = 4, 219, 177, 490  # pixels
_CARD = 188  # five in one row at 1400 pixels
ALL = f"All {len(RECIPES)}"


def best_cards(best: Sequence[Recipe], chosen: Recipe, shares: TwoViews) -> None:
    """Draw the recipes that suit encoder and corpus best in a row, each with its picture."""
    st.markdown("Augmentation or method")
    row = st.container(horizontal=True)
    for recipe in best:
        with row.container(border=True, height="stretch", width=_CARD):
            _button(recipe, key=f"train.card-{recipe.key}", is_chosen=recipe == chosen)
            svg, alt = small_views_drawn(_rows_of(recipe), dark=is_dark())
            st.image(svg, alt=alt)
            share = usable_share(recipe, shares)
            few = f" Only {percent(share, 0)} of these texts can be used." if share < ENOUGH else ""
            st.caption(escaped(f"{recipe.sentence}{few}", 300))


def _rows_of(recipe: Recipe) -> list[Row]:
    """The views of the example under the recipe's own settings; its text alone where nothing is trained."""
    part = recipe.augmentation_part
    if part is None:
        return example_rows(Identity, IdentityConfig(unit="text"))[:1]
    return example_rows(part, validated(part.config_class, recipe.settings.get("augmentation", {})))


def unfit_reasons(has: set[str]) -> dict[str, str]:
    """Why recipes and own combinations do not fit what encoder, corpus and pairs offer; those that fit are left out."""
    reasons = {each.key: unfit_reason(each.needs, has) for each in (*RECIPES, *own_combinations())}
    return {key: reason for key, reason in reasons.items() if reason}


def recipe_cards(chosen: Recipe, unfit: dict[str, str]) -> None:
    """Draw the recipes of a family; those that do not fit are greyed and say why."""
    families = list(dict.fromkeys(each.family for each in (*RECIPES, *own_combinations())))
    st.session_state.setdefault(FAMILY, chosen.family)
    family = one_of("Kind of recipe", families, key=FAMILY, is_labelled=False)
    if family == OWN_COMBINATION:
        _own_combination(chosen, unfit)
        return
    in_family = [recipe for recipe in RECIPES if recipe.family == family]
    if all(recipe.trains_on_pairs for recipe in in_family):
        pairs_choice()
    row = st.container(horizontal=True)
    width = _WIDE if len(in_family) <= _IN_A_ROW else _NARROW  # in one row at 1400 pixels
    for recipe in in_family:
        with row.container(border=True, height="stretch", width=width):
            _small_card(recipe, unfit.get(recipe.key), is_chosen=recipe == chosen)


def _own_combination(chosen: Recipe, unfit: dict[str, str]) -> None:
    """Any objective, with an augmentation that makes the kind of views it takes."""
    parts = (part for each in own_combinations() for part in (each.objective_part, each.augmentation_part))
    titles = {part.key: part.title for part in parts if part is not None}

    with st.container(horizontal=True):
        objectives = list(dict.fromkeys(each.objective for each in own_combinations()))
        objective = st.selectbox("Objective", objectives, key="train.own-objective", format_func=titles.__getitem__,
                                 persist_state="session", width=330)  # fmt: skip
        fitting = [each.augmentation for each in own_combinations() if each.objective == objective]
        augmentation = st.selectbox("Augmentation", fitting, key=f"train.own-augmentation-{objective}",
                                    format_func=titles.__getitem__, persist_state="session", width=330)  # fmt: skip
    combination = recipe_of(f"{objective}+{augmentation}")
    with st.container(horizontal=True, vertical_alignment="center"):
        reason = unfit.get(combination.key)
        st.button("Use this combination", key="train.own", on_click=choose_recipe, args=(combination,),
                  disabled=reason is not None or combination == chosen)  # fmt: skip
        st.caption(escaped(reason or combination.when, 300))


def recipe_card(recipe: Recipe, settings: dict, objective_settings: dict) -> None:
    """One sentence, the pictures of its views and of its two sides under these settings, formula, use and paper."""
    objective, augmentation = recipe.objective_part, recipe.augmentation_part
    with st.container(border=True):
        st.markdown(f"**{escaped(recipe.title)}**. {escaped(recipe.sentence, 300)}")
        if objective is not None and augmentation is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="large"):  # below it where narrow
                with st.container(width=_PICTURE):
                    _picture(augmentation, settings, takes=objective.takes)
                st.latex(objective.formula, width="content")
            if objective.wirings:
                wiring = next(each for each in objective.wirings if each.key == objective_settings["wiring"])
                st.image(wiring_picture(wiring, objective_settings, dark=is_dark()), alt=f"Wiring: {wiring.title}.")
        st.caption(escaped(f"{without_options(recipe.when)} Source: {recipe.paper}.", 400))


def _picture(part: type[Augmentation], settings: dict, *, takes: str) -> None:
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError:
        return  # the form says what is wrong
    rows = example_rows(part, config)
    svg, alt = views_drawn(rows, dark=is_dark())
    st.image(svg, alt=alt)
    aim = part.read_as.get(takes, part.aim)
    st.caption(aim if len(rows) > 2 else "These settings yield no pair from the example's four sentences.")


def _small_card(recipe: Recipe, reason: str | None, *, is_chosen: bool) -> None:
    _button(recipe, key=f"train.recipe-{recipe.key}", is_chosen=is_chosen, disabled=reason is not None)
    st.caption(escaped(f"Does not fit: {reason}" if reason else recipe.sentence, 300))


def _button(recipe: Recipe, *, key: str, is_chosen: bool, disabled: bool = False) -> None:
    """Draw the button that chooses a recipe; that of the chosen one has a tick, and by it a color from frame.css.

    Its type stays the same: Streamlit would draw a button of another type anew, and the keyboard would lose its place.
    """
    st.button(
        recipe.title,
        key=key,
        icon=":material/check:" if is_chosen else None,
        width="stretch",
        disabled=disabled,
        on_click=choose_recipe,
        args=(recipe,),
        help=f"{without_options(recipe.when)} Source: {recipe.paper}.",
    )


def show_pairs(
    source: Corpus | GivenPairs, augmentation_key: str, settings: dict, *, longest: int | None = None
) -> int | None:
    """Draws five pairs below the number of usable texts or given pairs; returns that number, None while counting."""
    part = AUGMENTATIONS[augmentation_key]
    if "pairs" in part.needs and not isinstance(source, GivenPairs):
        st.warning(f"No pairs are chosen yet: add a file of pairs under {ALL}, Given pairs.")
        return 0
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError as error:
        show_error(error)
        return 0
    augmentation = part(source, source.kept.tolist(), config)
    draw = st.session_state.setdefault("train.draw", 0)
    made = None
    if isinstance(source, Corpus) and "summaries" in part.needs:
        made = source.made_summaries and source.made_summaries.sha256
    key = ("usable", source.fingerprint, made, augmentation_key, tuple(sorted(settings.items())))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        usable = awaited(key, partial(count_usable, augmentation), "Counting usable pairs")
        if usable is not None:
            st.markdown(_usable_line(usable, source), width="content")
        st.button("Show five other pairs", key="train.other", on_click=remember, args=("train.draw", draw + 1))
    pairs = pairs_of(augmentation, seed=draw, longest=longest or WORDS_READ)
    if pairs:
        names = [*part.view_names, *["Negative"] * (len(pairs[0]) - 1 - len(part.view_names))]
        for head, name in zip(st.columns(len(names)), names, strict=True):
            head.caption(name)
    for row, *views in pairs:
        score = augmentation.target(row)
        score_line = f"Score {score:.2f}" if score is not None else None
        _pair(views, source.labels[row] if source.labels is not None else score_line)
    if not pairs:
        st.warning(_no_pairs(part, source))
    return usable


def _pair(views: Sequence[str], label: str | None) -> None:
    with st.container(border=True):
        for column, view in zip(st.columns(len(views)), views, strict=True):
            with column:
                show_text(view.strip(), characters=600)
        if label:
            st.caption(escaped(label, 60))


def _usable_line(usable: int, source: Corpus | GivenPairs) -> str:
    there = len(source.kept)
    if isinstance(source, GivenPairs):
        return f"**Preview training pairs.** {count(usable)} of {count(there)} given pairs can be trained on."
    share = f"{count(usable)} of {count(there)} texts give pairs ({percent(usable / there)})."
    return f"**Preview training pairs.** {share}"


def _no_pairs(part: type[Augmentation], corpus: Corpus | GivenPairs) -> str:
    if isinstance(corpus, GivenPairs):
        return "None of these pairs has a high enough score. Lower the least score under Advanced."
    if "summaries" in part.needs and not corpus.has_summaries:
        return "This corpus has no summaries yet. The page Data can make them, with a language model or without."
    if "labels" in part.needs and corpus.labels is None:
        return "This corpus has no labels, so there is no supervised reference."
    return (
        "None of the sampled texts yields a pair. Ask for fewer or shorter sentences above, or choose another recipe."
    )


WORDS, LETTERS = 6, 19  # a sentence of 120 characters, as crops ask for
SENTENCES = 4
TITLE, SUMMARY, SECOND = 4, 5, 6  # colours after those of the four sentences; another text's sentences share one


def example_rows(augmentation: type[Augmentation], settings: Config) -> list[Row]:
    """The text, and its two views with these settings; two pairs if the position in the batch matters."""
    corpus, colours = _example()
    made = augmentation(corpus, [0, 1], settings)
    rows = [Row("Text", [colours[word] for word in _words(corpus.texts[0])])]
    if "summaries" in augmentation.needs:
        rows.append(Row("Its summaries", [SUMMARY] * 3 + [NOT_ASKED] + [SUMMARY + 2] * 3))
    shades = colours | {MASKED: HIDDEN, UNREAD: NOT_ASKED}
    for position in augmentation.example_positions:
        rng = random.Random(augmentation.example_seed)
        views = made.views(0, rng, position)
        if views is None:
            return rows
        read = words_read([_words(view) for view in views], made, rng, vocabulary=list(colours), longest=3 * WORDS)
        for name, words in zip(augmentation.view_names, read, strict=True):
            rows.append(Row(name, [shades[word] for word in words]))
    return rows


def _example() -> tuple[Any, dict[str, int]]:
    """A stand-in corpus: two texts with titles, summaries, a label and pairs; and the colour of each word."""
    colours: dict[str, int] = {}

    def written(name: str, words: int, colour: int) -> str:
        made = [f"{name}{number}".ljust(LETTERS, "x") for number in range(words)]
        colours.update(dict.fromkeys(made, colour))
        return " ".join(made)

    texts = [
        ". ".join(written(f"{'ab'[text]}{n}w", WORDS, n if text == 0 else SECOND) for n in range(SENTENCES)) + "."
        for text in range(2)
    ]
    titles = [written(f"t{text}w", 3, TITLE) for text in range(2)]
    summaries = [[written(f"s{text}{n}w", 4, SUMMARY + 2 * n) for n in range(2)] for text in range(2)]
    sentences = [text.rstrip(".").split(". ") for text in texts]
    pairs = [(". ".join(each[:2]) + ".", ". ".join(each[2:]) + ".") for each in sentences]
    columns = {"titles": titles, "summaries": summaries, "labels": ["one", "one"], "pairs": pairs, "scores": [1.0, 1.0]}
    return SimpleNamespace(texts=texts, **columns), colours


def _words(text: str) -> list[str]:
    return [word.rstrip(".") for word in text.split() if word.rstrip(".")]
