"""What a Find's candidates are called: by the titles of their recipe and their encoder."""

from embedlab.encoders.catalog import encoder_title
from embedlab.training.recipes import RECIPES

_AGAINST = {"sentence": "Sentence against sentence", "rest": "Sentence against the rest"}


def untouched_title(encoder: str) -> str:
    """``Words of the corpus, untouched``"""
    return f"{encoder_title(encoder)}, untouched"


def trained_title(encoder: str, recipe: str, against: str = "") -> str:
    """``Sentence against the rest on Words of the corpus``"""
    return f"{_AGAINST.get(against, RECIPES[recipe].title)} on {encoder_title(encoder)}"
