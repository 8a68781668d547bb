"""What a run takes where neither its recipe nor its user says otherwise, by the encoder that it starts from. Data only.

Chosen on the development parts of four corpora (tests/benchmarks/README.md).
"""

from embedlab.encoder_names import is_made_here, kind_of

_LENGTH = {"epochs", "max_steps"}  # a recipe that sets one of these says how long it trains


def start_of(encoder: str, recipe: dict) -> dict:
    """Settings that lie under those of a recipe: its length fits the texts, word statistics train at their own τ."""
    found = {"schedule": "fitted"} if is_made_here(encoder) and not _LENGTH & recipe.keys() else {}
    return found | ({"objective": {"temperature": 0.1}} if kind_of(encoder) == "words" else {})
