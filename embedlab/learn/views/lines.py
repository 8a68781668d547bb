"""Series over an x: accuracy or loss of a run, accuracy by layer, cosine by copies, or values written in the lesson."""

import re
from typing import Literal

from pydantic import Field

from embedlab.distance import SHOWN_FIRST
from embedlab.errors import LessonError
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import read_axis
from embedlab.learn.views.base import Listed, View
from embedlab.report.replay import accuracy_curves, loss_curve
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result

_X = {"layers": "layer", "copies": "copies", "knn": "step", "loss": "step"}
_NUMBERS = re.compile(r"^(.*?)((?:\s+[-−]?[\d.]+){2,})$")


class Lines(View):
    """Each line is labelled at its end."""

    run: str = Field("", description="A run of the lesson.")
    what: Literal["knn", "loss", "layers", "copies", ""] = Field("", description="Which of its curves.")
    series: Listed[str] = Field((), description="Which series: mean before, cls after; nlp, cat.")
    values: Listed[str] = Field((), description="Instead of a run: a name and its values, or facts.")
    x: str = Field("", description="Name and range, as in: layer 0 to 6.")

    def content(self, facts: Facts) -> dict:
        """``series``: name, [[x, y, error]]; ``references``: name, dash, y; axis names and range."""
        name = read_axis(self.x)[0] if self.x else _X.get(self.what, "x")
        if self.values:
            drawn = {"series": [_written(facts, each, self.x) for each in self.values]}
        elif self.what == "copies":
            drawn = {"series": [[key, facts[f"copies.{key}"].curve] for key in self.series]}
        elif self.what == "layers":
            facts.run(self.run)
            drawn = {"series": [[each, _layers(facts, self.run, each)] for each in self.series]}
        elif self.what in ("knn", "loss"):
            drawn = _over_steps(facts.run(self.run), self.what)
        else:
            raise LessonError("E-LESSON-VIEW", "lines: needs values, or what: knn, loss, layers or copies.")
        unit = "" if self.what in ("copies", "loss") else " %"
        return {"x": name, "unit": unit, "references": [], **drawn}


def _layers(facts: Facts, run: str, series: str) -> list:
    pooling, _, side = series.rpartition(" ")
    key = f"mean.linear_{side}" if pooling == "linear" else f"{pooling}.{side}"
    return facts[f"{run}.{key}"].curve


def _written(facts: Facts, each: str, axis: str) -> list:
    """``minilm mean 40.4 41.2`` with its x from the axis, or a fact that is a curve."""
    drawn = _NUMBERS.match(each)
    if drawn is None:
        return [each, facts[each].curve]
    numbers = [float(number.replace("−", "-")) for number in drawn.group(2).split()]
    low, high = read_axis(axis)[1:] if axis else (0.0, len(numbers) - 1.0)
    step = (high - low) / (len(numbers) - 1)
    return [drawn.group(1), [[low + number * step, value] for number, value in enumerate(numbers)]]


def _over_steps(run: RunFolder, what: str) -> dict:
    if what == "loss":
        result = read_result(run)
        assert result is not None, "a lesson binds finished runs alone"
        return {"series": [["loss", loss_curve(run, result)["loss"]]]}
    curves = accuracy_curves(run, SHOWN_FIRST)
    points = curves["line"] or curves["marks"]
    lines = curves["references"] or curves["reference_marks"]
    return {
        "series": [["kNN accuracy", [[step, 100 * value, 100 * error] for step, value, error, _ in points]]],
        "references": [[name, dash, 100 * value] for name, dash, value in lines],
    }
