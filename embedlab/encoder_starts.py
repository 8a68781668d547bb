"""What a run takes where neither its recipe nor its user says otherwise, by the encoder that it starts from. Data only.

Chosen on development texts (tests/benchmarks/README.md).
"""

from embedlab.encoder_names import is_made_here, kind_of

_LENGTH = {"epochs", "max_steps"}  # who sets one of these says how long it trains


def start_of(encoder: str, said: dict) -> dict:
    """Settings that lie under what recipe and user ``said``: a length that fits the texts, word statistics' own τ."""
    found = {"schedule": "fitted"} if is_made_here(encoder) and not _LENGTH & said.keys() else {}
    return found | ({"objective": {"temperature": 0.1}} if kind_of(encoder) == "words" else {})


def laid_under(start: dict, recipe: dict, part: str, fields) -> dict:
    """The settings of an objective or augmentation: the start's as far as it has such ``fields``, then the recipe's."""
    return {name: value for name, value in start.get(part, {}).items() if name in fields} | recipe.get(part, {})


def without_parts(settings: dict) -> dict:
    """Those of the run itself, none of its objective or augmentation."""
    return {name: value for name, value in settings.items() if not isinstance(value, dict)}
