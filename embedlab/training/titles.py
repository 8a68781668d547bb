"""What a run is called: its own name, or the titles of its encoder and its recipe."""

from collections.abc import Sequence

from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.numbers import counted
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


def length_line(settings: dict, recipe: Recipe) -> str:
    """Says how long the run trains, and how long its paper trains."""
    paper = f" The paper: {recipe.schedule_line} (Advanced, Schedule)." if recipe.schedule_line else ""
    if settings["schedule"] == "paper":
        return f"Trains as in the paper: {recipe.schedule_line}."
    if settings["schedule"] == "fitted":
        return f"As many steps as suit these texts; it ends earlier once accuracy stops rising.{paper}"
    most = f", at most {counted(settings['max_steps'], 'step')}" if settings.get("max_steps") else ""
    return f"Trains for {counted(settings['epochs'], 'epoch')}{most}.{paper}"
