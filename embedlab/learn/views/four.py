"""Four maps of the same texts without names, until the reader has said which is which."""

import json
from random import Random
from typing import Literal

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.errors import LessonError
from embedlab.figures.one_file import packed
from embedlab.learn.lesson import near
from embedlab.learn.views.base import Material
from embedlab.learn.views.run_maps import classes_of
from embedlab.plane import sixteen_bits

TEXTS = 1_000


class FourConfig(Config):
    """Which maps."""

    run: str = Field(description="A run of the lesson.")
    experiment: Literal["perplexity", "seeds", "noise", "exaggeration"] = Field(description="What differs.")
    ask: str = Field("", description="The map that is looked for.")


class Four:
    """Where each stands is drawn by chance, always the same."""

    key = "four"
    title = "Four maps"
    sentence = "Four t-SNE maps that differ in one thing."
    config_class = FourConfig
    reads_pocket = False

    def content(self, material: Material, config: FourConfig) -> dict:
        """``maps``: name, kept, packed places, whether it shows texts, in the order of the page; ``right``."""
        run = material.run(config.run)
        folder = run.lab("after", config.experiment)
        if not (folder / "facts.json").is_file():
            raise LessonError(
                "E-LESSON-LAB",
                f"The run {config.run!r} has no four maps of {config.experiment!r}. Draw them on the page Maps, "
                "under Misread the map, then export the lesson again.",
            )
        facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
        maps, rows = (np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("maps", "rows"))
        names = [each["name"] for each in facts["maps"]]
        if config.ask and config.ask not in names:
            message = f"ask: {config.ask!r} is no map of {config.experiment!r}.{near(config.ask, names)}"
            raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(names)}.")
        some = np.linspace(0, len(rows) - 1, min(TEXTS, len(rows))).astype(int)
        order = list(range(len(maps)))
        Random(f"{run.id} {config.experiment}").shuffle(order)
        classes, categories = classes_of(run, rows[some])
        return {
            "classes": classes,
            "categories": packed(categories),
            "maps": [
                {
                    "name": names[which],
                    "numbers": material.facts[f"{config.run}.lab.{config.experiment}.{which + 1}.kept"].text,
                    "places": packed(sixteen_bits(maps[which][some].astype(np.float32))[0]),
                    "box": [*maps[which][some].min(axis=0).tolist(), *maps[which][some].max(axis=0).tolist()],
                    "is_text": facts["maps"][which]["of"] == "your texts",
                }
                for which in order
            ],
            "right": order.index(names.index(config.ask)) if config.ask else None,
        }
