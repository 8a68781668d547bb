"""The pocket encoder in a lesson: its training, the votes of ten neighbors, and its training pairs."""

from typing import ClassVar, Literal

from pydantic import Field

from embedlab.learn.facts import Facts
from embedlab.learn.lesson import Listed
from embedlab.learn.pocket import VIEWS, PocketConfig
from embedlab.learn.pocket import View as PocketView
from embedlab.learn.pocket_facts import setting_of
from embedlab.learn.views.base import Content, View

SECONDS = 3.0  # of a race by seconds


class Training(PocketConfig, View):
    """Settings that a student may change are shown above it; all others are fixed."""

    reads_pocket: ClassVar[bool] = True
    controls: Listed[Literal["views", "negatives", "temperature", "batch"]] = Field(
        (), description="Which settings the student may change."
    )
    texts: int = Field(19_200, ge=2, le=100_000, description="Texts read, if a race is by texts.")
    against: str = Field("", description="Settings of a second encoder with the same seed: batch=256.")
    x: Listed[Literal["steps", "texts", "seconds"]] = Field(
        ("steps",), description="What is equal in a race; with several, students can switch."
    )
    seeds: Literal["0", "next"] = Field("0", description="The same seed each time Train is pressed, or the next one.")
    show: Listed[Literal["map", "accuracy", "loss"]] = Field(("map", "accuracy"), description="What is drawn.")
    train: Literal["no", "button", "at once"] = Field("button", description="Whether and when it trains.")
    typed: bool = Field(False, description="Whether a sentence can be typed after training.")

    def content(self, facts: Facts) -> Content:
        """Settings of one encoder or two, what to show, and what differs, for the ends of both lines."""
        names = set(PocketConfig.model_fields) - {"texts"}
        start = PocketConfig(**self.model_dump(include=names))
        content = self.model_dump(include={"controls", "x", "show", "train", "typed", "texts"}) | {
            "settings": start.model_dump(include=names), "against": None, "names": [""], "grey": "", "seconds": SECONDS,
            "next_seed": self.seeds == "next", "counting": facts["pocket.counting"].value,
        }  # fmt: skip
        if not self.against:
            return content
        other = setting_of(self.against, start=start)
        both = start.model_dump(), other.model_dump()
        differ = [name for name in both[0] if both[0][name] != both[1][name]] or ["seed"]
        labels = [", ".join(f"{name} {values.get(name, '')}" for name in differ) for values in both]
        against = other.model_dump(include=names) | {"steps": other.total}
        lengths = f"it trains {other.total:,} steps and the first one {start.total:,}, so steps cannot compare them."
        grey = "" if other.total == start.total else f"Gray: {lengths}"
        return content | {"against": against, "names": labels, "grey": grey}


class Vote(View):
    """A test text with its ten nearest train texts and their votes; clicking a text shows its neighbors."""

    reads_pocket: ClassVar[bool] = True
    of: Literal["before", "after"] = Field("before", description="The untrained encoder, or the trained one.")
    typed: bool = Field(False, description="Whether a sentence can be typed.")


class Pairs(View):
    """Both views of a text as strips of words; each press shows another text."""

    reads_pocket: ClassVar[bool] = True
    of: Listed[PocketView] = Field(VIEWS[:4], description="How pairs are made.")
