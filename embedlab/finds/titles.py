"""What a Find's candidates are called: by the titles of their recipe and their encoder."""

from embedlab.report.citations import encoder_card
from embedlab.training.recipes import RECIPES

_AGAINST = {"sentence": "Sentence against sentence", "rest": "Sentence against the rest"}


def untouched_title(encoder: str) -> str:
    """``Words of the corpus, untouched``"""
    return f"{_encoder_title(encoder)}, untouched"


def trained_title(encoder: str, recipe: str, against: str = "") -> str:
    """``Sentence against the rest on Words of the corpus``"""
    return f"{_AGAINST.get(against, RECIPES[recipe].title)} on {_encoder_title(encoder)}"


def _encoder_title(reference: str) -> str:
    card = encoder_card(reference)
    return reference.removeprefix("hf:") if card is None else card.title
