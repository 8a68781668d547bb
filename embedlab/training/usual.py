"""What a run takes where neither its recipe nor its user says otherwise, by the encoder that it starts from."""

from collections.abc import Container
from typing import Any

from embedlab.encoder_catalog.names import is_made_here, kind_of
from embedlab.training.recipe import Recipe

# Chosen on development texts (tests/benchmarks/README.md).
TOKEN_LEARNING_RATE = 0.01
WORDS_LEARNING_RATE = 0.001  # of token layers that start from word statistics and have something to lose
TRANSFORMER_LEARNING_RATE = 2e-5
SCRATCH_LEARNING_RATE = 1e-3  # of layers with random weights that train for a fitted length
ADAPTER_TIMES = 10  # an adapter's rate against that of the weights themselves, as in LoRA Without Regret (2025)


def usual_rate(recipe: Recipe, *, is_token: bool, is_words: bool, has_adapter: bool = False) -> float:
    """The default peak learning rate. is_words: a token layer made from word statistics"""
    if is_token:
        return WORDS_LEARNING_RATE if is_words else TOKEN_LEARNING_RATE
    rate = recipe.learning_rate or TRANSFORMER_LEARNING_RATE
    return ADAPTER_TIMES * rate if has_adapter else rate


_LENGTH = {"epochs", "max_steps"}  # who sets one of these says how long it trains


def start_of(encoder: str, settings: dict, recipe_rate: float | None = None) -> dict[str, Any]:
    """Settings that lie under those of recipe and user: a length that fits the texts, word statistics' own τ, and the
    rate of random layers where the recipe has none of its own."""
    start: dict[str, Any] = {}
    if is_made_here(encoder) and not _LENGTH & settings.keys():
        start["schedule"] = "fitted"
        is_usual = (
            recipe_rate is None and settings.get("schedule", "fitted") == "fitted" and not settings.get("adapter")
        )
        if kind_of(encoder) == "scratch" and is_usual:
            start["learning_rate"] = SCRATCH_LEARNING_RATE
    return start | ({"objective": {"temperature": 0.1}} if kind_of(encoder) == "words" else {})


def laid_under(start: dict, recipe: dict, part: str, fields: Container[str]) -> dict[str, Any]:
    """The settings of an objective or augmentation: the start's for its ``fields``, overridden by the recipe's."""
    return {name: value for name, value in start.get(part, {}).items() if name in fields} | recipe.get(part, {})


def without_parts(settings: dict) -> dict[str, Any]:
    """The run's own settings, without those of objective and augmentation."""
    return {name: value for name, value in settings.items() if not isinstance(value, dict)}
