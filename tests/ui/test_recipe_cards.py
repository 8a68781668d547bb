"""The picture of a recipe's views is what its augmentation makes; the preview shows texts as an encoder reads them."""

import random

import pytest
from toy_corpora import over_texts

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.deletion import Deletion
from embedlab.augmentations.elongation import Elongation, ElongationConfig
from embedlab.augmentations.masking import MLMMasking
from embedlab.augmentations.preview import as_read, pairs_of
from embedlab.config import validated
from embedlab.figures.recipe_pictures import HIDDEN, NOT_ASKED, Row, small_views_drawn, views_drawn
from embedlab.training.recipes import RECIPES
from embedlab.ui.train.recipe_cards import SUMMARY, TITLE, example_rows

TRAINING = [recipe for recipe in RECIPES if recipe.augmentation]


def rows_of(key: str, **settings) -> list[Row]:
    part = AUGMENTATIONS[key]
    return example_rows(part, validated(part.config_class, settings))


@pytest.mark.parametrize("recipe", TRAINING, ids=lambda recipe: recipe.key)
def test_every_recipe_has_a_picture_of_two_views(recipe):
    rows = rows_of(recipe.augmentation, **recipe.settings.get("augmentation", {}))
    names = AUGMENTATIONS[recipe.augmentation].view_names
    assert [row.name for row in rows[-2:]] == list(names) and all(row.words for row in rows)
    assert rows[0].words == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6, "four sentences of six words"
    for dark in (False, True):
        svg, alt = views_drawn(rows, dark=dark)
        assert all(f"{row.name}, {len(row.words)}" in alt for row in rows)
        assert svg.startswith("<svg") and svg.count("<rect") == sum(min(len(row.words), 26) for row in rows)


def test_the_pictures_show_what_the_recipes_do():
    _, anchor, positive = rows_of("crop")
    assert len(anchor.words) == len(positive.words) == 12 and anchor.words != positive.words
    _, damaged, whole = rows_of("deletion")
    assert len(damaged.words) < len(whole.words) == 24
    _, read, guessed = rows_of("mlm-masking")
    hidden = [place for place, word in enumerate(read.words) if word == HIDDEN]
    assert hidden and all(guessed.words[place] >= 0 for place in hidden) and NOT_ASKED in guessed.words
    _, once, repeated = rows_of("elongation", elongation="twice")
    assert repeated.words == once.words * 2
    _, once, repeated = rows_of("elongation")
    assert repeated.words == once.words * 3, "the picture of the default, a random number of copies, shows several"
    *_, summary, other = rows_of("summary-pairs")
    assert set(summary.words) <= {SUMMARY, SUMMARY + 2} and set(other.words) <= {
        0,
        1,
        2,
        3,
        TITLE,
        SUMMARY,
        SUMMARY + 2,
    }
    assert len(rows_of("sampled-pairs")) == 5, "a pair of equal and one of different texts"
    assert rows_of("sampled-pairs")[1].words == rows_of("sampled-pairs")[2].words
    assert rows_of("crop", min_characters=2000) == [rows_of("crop")[0]], "no pair of the example under these settings"


def test_the_pictures_of_the_cards_fit_a_card_and_have_every_word():
    for recipe in TRAINING:
        rows = rows_of(recipe.augmentation, **recipe.settings.get("augmentation", {}))
        svg, alt = small_views_drawn(rows, dark=False)
        assert svg.count("<rect") == sum(min(len(row.words), 26) for row in rows)
        assert 'width="156"' in svg.partition(">")[0] and alt == views_drawn(rows, dark=False)[1]


def test_a_long_row_is_cut_with_a_sign():
    assert "…" in views_drawn([Row("Long", [0] * 40)], dark=False)[0]
    assert "&lt;b&gt;" in views_drawn([Row("<b>", [0])], dark=False)[0]


def test_the_preview_shows_damaged_repeated_and_hidden_texts():
    text = " ".join(f"word{number}" for number in range(40)) + "."
    damaged = over_texts(Deletion, [text])
    shown = as_read(damaged.views(0, random.Random(0)), damaged, random.Random(0))
    assert len(shown[0].split()) < 30 and shown[1] == text
    short = "Three words here."
    repeated = over_texts(Elongation, [short], ElongationConfig(elongation="twice"))
    assert as_read((short, short), repeated, random.Random(0)) == (short, f"{short} {short}")
    hidden = over_texts(MLMMasking, [text])
    read, guessed = as_read((text, text), hidden, random.Random(1))
    places = [place for place, word in enumerate(read.split()) if word == "[MASK]"]
    assert places and [guessed.split()[place] for place in places] == [text.split()[place] for place in places]
    assert guessed.split().count("·") > 20


@pytest.mark.parametrize("recipe", TRAINING, ids=lambda recipe: recipe.key)
def test_every_recipe_previews_five_pairs_of_a_corpus(summarised_corpus, given_pairs, recipe):
    source = given_pairs if recipe.trains_on_pairs else summarised_corpus
    part = AUGMENTATIONS[recipe.augmentation]
    config = validated(part.config_class, recipe.settings.get("augmentation", {}))
    augmentation = part(source, source.kept.tolist(), config)
    pairs = pairs_of(augmentation, seed=0)
    assert len(pairs) == 5 and all(all(views) for _, *views in pairs)
    assert pairs == pairs_of(augmentation, seed=0) != pairs_of(augmentation, seed=1)
