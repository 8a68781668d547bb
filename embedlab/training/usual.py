"""What a run takes where neither its recipe nor its user says otherwise, by the encoder that it starts from."""

from embedlab.encoder_catalog.names import is_made_here, kind_of
from embedlab.store_root import Json
from embedlab.training.recipe import Recipe

# Chosen on development texts (tests/benchmarks/README.md).
TOKEN_LEARNING_RATE = 0.01
WORDS_LEARNING_RATE = 0.001  # of token layers that start from word statistics and have something to lose
TRANSFORMER_LEARNING_RATE = 2e-5
NARROW = 256  # dimensions up to which a transformer's weights have to move farther than the papers' encoders of 768
NARROW_LEARNING_RATE = 5e-4
SCRATCH_LEARNING_RATE = 1e-3  # of layers with random weights that train for a fitted length
WORDS_TEMPERATURE = 0.1  # of a loss that has one
ADAPTER_TIMES = 10  # an adapter's rate against that of the weights themselves, as in LoRA Without Regret (2025)


def usual_rate(recipe: Recipe, *, width: int, is_token: bool, is_words: bool, has_adapter: bool = False) -> float:
    """Return the default peak learning rate.

    width: dimensions of a transformer's hidden states
    is_words: whether it is a token layer made from word statistics
    """
    if is_token:
        return WORDS_LEARNING_RATE if is_words else TOKEN_LEARNING_RATE
    rate = recipe.learning_rate or TRANSFORMER_LEARNING_RATE
    if width <= NARROW:
        rate = max(rate, NARROW_LEARNING_RATE)
    return ADAPTER_TIMES * rate if has_adapter else rate


def start_of(encoder: str, settings: Json, recipe_rate: float | None = None) -> dict[str, str | float]:
    """Settings that lie under those of recipe and user: a length that fits the texts, and the rate of random layers
    where the recipe has none of its own."""
    if not is_made_here(encoder) or {"epochs", "max_steps"} & settings.keys():  # its length is set
        return {}
    is_usual = recipe_rate is None and settings.get("schedule", "fitted") == "fitted" and not settings.get("adapter")
    rate = {"learning_rate": SCRATCH_LEARNING_RATE} if kind_of(encoder) == "scratch" and is_usual else {}
    return {"schedule": "fitted", **rate}
