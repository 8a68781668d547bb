"""Four unnamed maps of the same texts, named once the reader has answered."""

from random import Random
from typing import Literal

from pydantic import Field

from embedlab.errors import LessonError
from embedlab.figures.one_file import packed
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import near
from embedlab.learn.views.base import View, classes_of, spread
from embedlab.plane import sixteen_bits
from embedlab.runs.drawn_map import read_four_maps

TEXTS = 1_000


class Four(View):
    """The maps are shuffled with a fixed seed."""

    run: str = Field(description="A run of the lesson.")
    experiment: Literal["perplexity", "seeds", "noise", "exaggeration"] = Field(description="What differs.")
    ask: str = Field("", description="The map to find.")

    def content(self, facts: Facts) -> dict:
        """``maps``: name, kept, packed coordinates, whether it shows texts, in page order; ``right``."""
        run = facts.run(self.run)
        four = read_four_maps(run, "after", self.experiment)
        if four is None:
            raise LessonError(
                "E-LESSON-LAB",
                f"The run {self.run!r} has no four maps of {self.experiment!r}. Draw them on the page Run, Map, "
                f"under Test your reading, then export the lesson again.",
            )
        names = four.names
        if self.ask and self.ask not in names:
            message = f"ask: {self.ask!r} is not a map of {self.experiment!r}.{near(self.ask, names)}"
            raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(names)}.")
        some = spread(len(four.rows), TEXTS)
        order = list(range(len(names)))
        Random(f"{run.id} {self.experiment}").shuffle(order)
        maps = []
        for which in order:
            places, low, high = sixteen_bits(four.coordinates[which][some])
            numbers = facts[f"{self.run}.lab.{self.experiment}.{which + 1}.kept"].text
            is_text = four.facts["maps"][which]["of"] == "your texts"
            box = [*low.tolist(), *high.tolist()]
            drawn = {"name": names[which], "numbers": numbers, "places": packed(places), "box": box, "is_text": is_text}
            maps.append(drawn)
        right = order.index(names.index(self.ask)) if self.ask else None
        return classes_of(run, four.rows[some]) | {"maps": maps, "right": right}
