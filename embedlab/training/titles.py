"""What a run is called: its own name, or the titles of its encoder and its recipe."""

from collections.abc import Sequence

from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.numbers import counted, duration
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import UNTOUCHED_RECIPE, word_of_before
from embedlab.runs.result import Phase
from embedlab.runs.store import request_if_readable
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import recipe_title


def run_title(run: RunFolder) -> str:
    """The run's own name, otherwise what it trains: ``MiniLM (packaged) · Text crops``."""
    stored = request_if_readable(run)
    if stored is None:
        return run.id
    return stored.name or what_it_trains(stored.settings, word_of_before(run))


def what_it_trains(settings: dict, before: str) -> str:
    """Encoder and recipe; ``before``: the word for an encoder that is not trained."""
    encoder, recipe = (str(settings.get(name, "?")) for name in ("encoder", "recipe"))
    return f"{encoder_title(encoder)} · {before if recipe == UNTOUCHED_RECIPE else recipe_title(recipe)}"


def phases(lineage: Sequence[Phase]) -> str:
    """``"adapted" (mlm), which started from "first" (tsdae)``; the most recent phase first."""
    return ", which started from ".join(
        f"{repr(each.name) if each.name else each.run} ({recipe_title(each.recipe) if each.recipe else 'deleted'})"
        for each in lineage
    )


def length_in_words(settings: dict, *, steps: int | None, seconds: float | None) -> str:
    """Return ``1 epoch, 24 steps, about 20 s``; what is not estimated yet is left out."""
    is_fitted = settings["schedule"] == "fitted"
    epochs = [] if is_fitted or settings["epochs"] is None else [counted(settings["epochs"], "epoch")]
    most = settings.get("max_steps") if steps is None and not epochs else steps
    in_steps = [] if most is None else [f"{'up to ' if is_fitted else ''}{counted(most, 'step')}"]
    length = [*epochs, *in_steps] or ["As many steps as suit these texts"]
    time = [] if seconds is None else [f"{'up to' if is_fitted else 'about'} {duration(seconds)}"]
    words = ", ".join([*length, *time])
    return words[0].upper() + words[1:]


def schedule_line(settings: dict, recipe: Recipe) -> str:
    """Say when a run ends by itself, and how long the recipe's paper trains; empty if there is nothing to say."""
    if settings["schedule"] == "paper":
        return f"As in the paper: {recipe.schedule_line}."
    by_itself = "It ends earlier once accuracy stops rising." if settings["schedule"] == "fitted" else ""
    paper = f"The paper: {recipe.schedule_line} (Advanced, Schedule)." if recipe.schedule_line else ""
    return f"{by_itself} {paper}".strip()
