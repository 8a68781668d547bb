"""Maps of a run: its film, both maps with a slider between, or four to tell apart; drawn by browser/run_maps.js."""

from random import Random
from typing import Literal

import numpy as np
from pydantic import Field

from embedlab.corpora.base import open_corpus
from embedlab.errors import LessonError
from embedlab.figures.one_file import packed_frames
from embedlab.learn.facts import Facts
from embedlab.learn.views.base import Content, View
from embedlab.palette import UNLABELED
from embedlab.plane import evenly
from embedlab.registry import similar
from embedlab.report.replay import classes_on
from embedlab.runs.drawn_map import YOUR_TEXTS, read_both_maps, read_four_maps
from embedlab.runs.example import example_corpora
from embedlab.runs.film_files import read_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of

TEXTS, FRAMES, TEXTS_OF_FOUR = 1_500, 60, 1_000


class Replay(View):
    """One bar moves every text."""

    run: str = Field(description="A run of the lesson.")
    show: Literal["film", "maps"] = Field("maps", description="All frames, or before and after.")

    def content(self, facts: Facts) -> Content:
        """``frames``: name and packed places; the corners of all, classes, and the class of each text."""
        run = facts.run(self.run)
        film = read_film(run) if self.show == "film" else None
        drawn = (film.rows, film.frames) if film else read_both_maps(run, "tsne") if self.show == "maps" else None
        if drawn is None:
            message = f"The run {run.id!r} has no {'film' if self.show == 'film' else 't-SNE maps of the same texts'}."
            raise LessonError("E-LESSON-MAPS", f"{message} Draw them on the page Run, Map, or bind another.")
        (rows, every), names = drawn, ["before", "after"]
        chosen, some = evenly(len(every), FRAMES), evenly(len(rows), TEXTS)
        if film is not None:
            names = [f"step {film.facts[at].step:,}" for at in chosen]
        corners, places = packed_frames([every[at][some] for at in chosen])
        frames = [{"name": name, "places": each} for name, each in zip(names, places, strict=True)]
        return _classes(run, rows[some]) | corners | {"frames": frames}


class Four(View):
    """The maps are shuffled with a fixed seed, and named once the reader has answered."""

    run: str = Field(description="A run of the lesson.")
    experiment: Literal["perplexity", "seeds", "noise", "exaggeration"] = Field(description="What differs.")
    ask: str = Field("", description="The map to find.")

    def content(self, facts: Facts) -> Content:
        """``maps``: name, kept, corners, packed places, whether it shows texts, in page order; ``right``."""
        run = facts.run(self.run)
        four = read_four_maps(run, "after", self.experiment)
        if four is None:
            message = f"The run {self.run!r} has no four maps of {self.experiment!r}. Draw them on the page Run, Map,"
            raise LessonError("E-LESSON-LAB", f"{message} under Test your reading, then export the lesson again.")
        names = four.names
        if self.ask and self.ask not in names:
            message = f"ask: {self.ask!r} is not a map of {self.experiment!r}.{similar(self.ask, names)}"
            raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(names)}.")
        some, order = evenly(len(four.rows), TEXTS_OF_FOUR), list(range(len(names)))
        Random(f"{run.id} {self.experiment}").shuffle(order)
        maps = []
        for which in order:
            corners, (places,) = packed_frames([four.coordinates[which][some]])
            numbers = facts[f"{self.run}.lab.{self.experiment}.{which + 1}.kept"].text
            is_text = four.facts.maps[which].of == YOUR_TEXTS
            maps.append(corners | {"name": names[which], "numbers": numbers, "places": places, "is_text": is_text})
        right = order.index(names.index(self.ask)) if self.ask else None
        return _classes(run, four.rows[some]) | {"maps": maps, "right": right}


def _classes(run: RunFolder, rows: np.ndarray) -> Content:
    """``classes``: [name, light, dark], last of texts without one; ``categories``: of each row. Raises LessonError."""
    try:
        packaged = example_corpora().get(fingerprint_of(run))
        names, categories = classes_on(packaged or open_corpus(fingerprint_of(run)), rows)
    except FileNotFoundError as error:
        raise LessonError("E-LESSON-RUN", f"The corpus of run {run.id!r} is no longer in the store.") from error
    return {"classes": [*names, ["no class", *UNLABELED.values()]], "categories": categories}
