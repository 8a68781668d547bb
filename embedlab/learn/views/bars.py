"""Values side by side: facts, or a name and a number, with their intervals."""

import re

from pydantic import Field

from embedlab.learn.facts import Facts
from embedlab.learn.views.base import Listed, View

_WRITTEN = re.compile(r"(.+?)\s+([-−]?[\d.]+|c)")
_NAMES = {"svd": "TF-IDF → SVD", "tfidf": "TF-IDF", "counting": "counting words", "guess": "guessing",
          "cosine.before": "before", "cosine.after": "after", "knn.before": "before", "knn.after": "after",
          "copies.nlp.1": "MiniLM, once", "copies.nlp.20": "MiniLM, twenty times", "tiny.before": "before",
          "tiny.crops": "crops", "tiny.dropout": "dropout", "minilm.before": "before", "minilm.crops": "crops",
          "minilm.dropout": "dropout"}  # fmt: skip


class Bars(View):
    """One bar per value, its number at the end."""

    values: Listed[str] = Field(description="Facts, or names with numbers.")
    run: str = Field("", description="The run that the facts are of.")
    intervals: str = Field("", description="difference to VALUE: the 95 % interval of each difference is written.")

    def content(self, facts: Facts) -> dict:
        """``bars``: name, value (or None), text, and the note beside it."""
        if self.run:
            facts.run(self.run)
        return {"bars": [_bar(facts, self, each) for each in self.values]}


def _bar(facts: Facts, view: Bars, written: str) -> list:
    match = _WRITTEN.fullmatch(written)
    if match is not None:
        value = match.group(2)
        number = None if value == "c" else float(value.replace("−", "-"))
        return [match.group(1).replace(".", ", "), number, "the same, whatever it is" if number is None else value, ""]
    name = f"{view.run}.{written}" if view.run else written
    fact = facts[name]
    short = written.removeprefix("pocket.")
    return [_NAMES.get(short, short.replace(".", ", ")), fact.number, fact.text, _beside(facts, view, written)]


def _beside(facts: Facts, view: Bars, written: str) -> str:
    """``after − this: +29.3 points (95 %: …)`` if the run has it."""
    if not view.intervals or not view.run:
        return ""
    distance = next((part.split(".")[0] for part in view.values if "." in part), "cosine")
    key = {f"{distance}.before": "untouched"}.get(written, written)
    if key not in ("untouched", "tfidf", "svd"):
        return ""
    return f"after − this: {facts[f'{view.run}.{distance}.{key}'].text}"
