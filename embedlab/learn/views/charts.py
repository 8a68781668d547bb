"""Numbers of a run or of the package as bars with intervals, and as lines over an x; drawn by browser/chart.js."""

from typing import Literal

from pydantic import Field

from embedlab.distance import SHOWN_FIRST
from embedlab.errors import LessonError
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import Listed
from embedlab.learn.views.base import Content, View
from embedlab.report.replay import accuracy_curves, loss_curve

_NAMES = {"svd": "TF-IDF → SVD", "tfidf": "TF-IDF", "counting": "counting words", "guess": "guessing"}


class Bars(View):
    """One bar per value, its number at the end."""

    values: Listed[str] = Field(description="Facts, as NAME = FACT if they need one; c stands for any number.")
    run: str = Field("", description="The run that the facts are of.")
    intervals: Literal["cosine", "euclidean", ""] = Field("", description="Write the difference of after to each.")

    def content(self, facts: Facts) -> Content:
        """``bars``: name, value (or None), text, and the note beside it."""
        return {"bars": [self.bar(facts, each) for each in self.values]}

    def bar(self, facts: Facts, value: str) -> list:
        """``NAME = FACT`` or a fact alone, which then goes by the last part of its name."""
        name, _, written = (part.strip() for part in value.rpartition("="))
        if written == "c":
            return [name, None, "the same, whatever it is", ""]
        fact, last = facts.of(self.run, written), written.rpartition(".")[2]
        key, note = "untouched" if last == "before" else last, ""
        if self.intervals and key in ("untouched", "tfidf", "svd"):
            note = f"after − this: {facts.of(self.run, f'{self.intervals}.{key}').text}"
        return [name or _NAMES.get(last, last), fact.of_100, fact.text, note]


class Lines(View):
    """Each line is labelled at its end."""

    run: str = Field("", description="A run of the lesson; values are facts of it.")
    what: Literal["knn", "loss", ""] = Field("", description="Its curve over the steps, instead of values.")
    values: Listed[str] = Field((), description="Facts that are curves, all shares or none: mean.before, cls.after.")
    x: str = Field("step", description="What is along the axis.")

    def content(self, facts: Facts) -> Content:
        """``series``: name, [[x, y, error]]; ``references``: name, dash, y; name of x, and unit."""
        if self.what == "loss":
            return {"x": "step", "unit": "", "references": [], "series": [["loss", loss_curve(facts.run(self.run))]]}
        if self.what == "knn":
            curve = accuracy_curves(facts.run(self.run), SHOWN_FIRST)
            points, lines = curve.line or curve.marks, curve.references or curve.reference_marks
            series = [["kNN accuracy", [[step, 100 * value, 100 * error] for step, value, error, _ in points]]]
            references = [[name, dash, 100 * value] for name, dash, value in lines]
            return {"x": "step", "unit": " %", "series": series, "references": references}
        if not self.values:
            raise LessonError("E-LESSON-VIEW", "lines: needs values, or a run and what: knn or loss.")
        curves = {each: facts.of(self.run, each) for each in self.values}
        names = [each.removeprefix("copies.").replace(".", " ").replace("_", " ") for each in curves]
        series = [[name, fact.of_100] for name, fact in zip(names, curves.values(), strict=True)]
        unit = " %" if all(fact.scale == 100 for fact in curves.values()) else ""
        return {"x": self.x, "unit": unit, "references": [], "series": series}
