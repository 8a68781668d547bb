"""Candidates are called by titles, as encoders and recipes are everywhere, and not by their keys."""

import pytest

from embedlab.finds.in_words import untouched_title
from embedlab.finds.sampler import TrainingWay


@pytest.mark.parametrize(
    ("encoder", "title"),
    [
        ("words", "Words of the corpus, untouched"),
        ("minilm", "MiniLM (packaged), untouched"),
        ("hf:owner/name", "owner/name, untouched"),
    ],
)
def test_an_encoder_as_it_is_has_its_title(encoder, title):
    assert untouched_title(encoder) == title


@pytest.mark.parametrize(
    ("way", "title"),
    [
        (TrainingWay("words", "sentences", "sentence"), "Sentence against sentence on Words of the corpus"),
        (TrainingWay("minilm", "sentences", "rest"), "Sentence against the rest on MiniLM (packaged)"),
        (TrainingWay("minilm", "crops"), "Text crops on MiniLM (packaged)"),
        (TrainingWay("hf:owner/name", "simcse"), "SimCSE on owner/name"),
    ],
)
def test_a_training_has_the_titles_of_its_recipe_and_its_encoder(way, title):
    assert way.title == title
