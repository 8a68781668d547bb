"""A run's film, or its maps before and after with a slider between them."""

from typing import Literal

import numpy as np
from pydantic import Field

from embedlab.errors import LessonError
from embedlab.figures.one_file import packed
from embedlab.learn.facts import Facts
from embedlab.learn.views.base import View, classes_of, spread
from embedlab.plane import sixteen_bits
from embedlab.runs.drawn_map import read_places
from embedlab.runs.film_files import read_film
from embedlab.runs.folder import RunFolder

TEXTS, FRAMES = 1_500, 60


class Replay(View):
    """One bar moves every text."""

    run: str = Field(description="A run of the lesson.")
    show: Literal["film", "maps"] = Field("maps", description="All frames, or before and after.")

    def content(self, facts: Facts) -> dict:
        """``frames``: name and packed places; ``box`` of all, classes, and the class of each text."""
        run = facts.run(self.run)
        names, rows, frames = _film(run) if self.show == "film" else _maps(run)
        some = spread(len(rows), TEXTS)
        stacked = np.stack([each[some] for each in frames])  # (frames, texts, 2)
        whole, low, high = sixteen_bits(stacked.reshape(-1, 2))
        return classes_of(run, rows[some]) | {
            "box": [*low.tolist(), *high.tolist()],
            "frames": [
                {"name": name, "places": packed(each)}
                for name, each in zip(names, whole.reshape(stacked.shape), strict=True)
            ],
        }


def _film(run: RunFolder) -> tuple[list[str], np.ndarray, list[np.ndarray]]:
    film = read_film(run)
    if film is None:
        raise _missing(run, "film")
    chosen = spread(len(film.frames), FRAMES)
    return [f"step {film.facts[at]['step']:,}" for at in chosen], film.rows, [film.frames[at] for at in chosen]


def _maps(run: RunFolder) -> tuple[list[str], np.ndarray, list[np.ndarray]]:
    if not all(run.map(side, "tsne").is_file() for side in ("before", "after")):
        raise _missing(run, "t-SNE maps")
    (rows, before), (others, after) = (read_places(run.map(side, "tsne")) for side in ("before", "after"))
    if not np.array_equal(rows, others):
        raise _missing(run, "t-SNE maps of the same texts")
    placed = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
    return ["before", "after"], rows[placed], [before[placed], after[placed]]


def _missing(run: RunFolder, what: str) -> LessonError:
    return LessonError(
        "E-LESSON-MAPS", f"The run {run.id!r} has no {what}. Draw them on the page Run, Map, or bind another."
    )
