"""Four unnamed maps of the same texts, named once the reader has answered."""

from random import Random
from typing import Literal

import numpy as np
from pydantic import Field

from embedlab.errors import LessonError
from embedlab.figures.one_file import packed
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import near
from embedlab.learn.views.base import View, classes_of
from embedlab.plane import sixteen_bits
from embedlab.store_root import read_json

TEXTS = 1_000


class Four(View):
    """The maps are shuffled with a fixed seed."""

    run: str = Field(description="A run of the lesson.")
    experiment: Literal["perplexity", "seeds", "noise", "exaggeration"] = Field(description="What differs.")
    ask: str = Field("", description="The map to find.")

    def content(self, facts: Facts) -> dict:
        """``maps``: name, kept, packed coordinates, whether it shows texts, in page order; ``right``."""
        run = facts.run(self.run)
        folder = run.lab("after", self.experiment)
        if not (folder / "facts.json").is_file():
            raise LessonError(
                "E-LESSON-LAB",
                f"The run {self.run!r} has no four maps of {self.experiment!r}. Draw them on the page Run, Map, "
                f"under Test your reading, then export the lesson again.",
            )
        drawn = read_json(folder / "facts.json")["maps"]
        maps, rows = (np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("maps", "rows"))
        names = [each["name"] for each in drawn]
        if self.ask and self.ask not in names:
            message = f"ask: {self.ask!r} is not a map of {self.experiment!r}.{near(self.ask, names)}"
            raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(names)}.")
        some = np.linspace(0, len(rows) - 1, min(TEXTS, len(rows))).astype(int)
        order = list(range(len(maps)))
        Random(f"{run.id} {self.experiment}").shuffle(order)
        classes, categories = classes_of(run, rows[some])
        return {
            "classes": classes,
            "categories": packed(categories),
            "maps": [
                {
                    "name": names[which],
                    "numbers": facts[f"{self.run}.lab.{self.experiment}.{which + 1}.kept"].text,
                    "places": packed(sixteen_bits(maps[which][some].astype(np.float32))[0]),
                    "box": [*maps[which][some].min(axis=0).tolist(), *maps[which][some].max(axis=0).tolist()],
                    "is_text": drawn[which]["of"] == "your texts",
                }
                for which in order
            ],
            "right": order.index(names.index(self.ask)) if self.ask else None,
        }
