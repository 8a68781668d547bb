"""Values side by side: facts, or a name and a number, with the intervals of their differences."""

from typing import Literal

from pydantic import Field

from embedlab.learn.facts import Facts
from embedlab.learn.views.base import Listed, View

_NAMES = {"svd": "TF-IDF → SVD", "tfidf": "TF-IDF", "counting": "counting words", "guess": "guessing"}


class Bars(View):
    """One bar per value, its number at the end."""

    values: Listed[str] = Field(description="Facts, as NAME = FACT if they need one; c stands for any number.")
    run: str = Field("", description="The run that the facts are of.")
    intervals: Literal["cosine", "euclidean", ""] = Field("", description="Write the difference of after to each.")

    def content(self, facts: Facts) -> dict:
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
        return [name or _NAMES.get(last, last), fact.number, fact.text, note]
