"""The pocket encoder in a lesson: its training, the votes of ten neighbors, and its training pairs."""

from typing import ClassVar, Literal

from pydantic import Field

from embedlab.config import validated
from embedlab.errors import LessonError
from embedlab.learn.facts import Facts
from embedlab.learn.lesson import near
from embedlab.learn.pocket import VIEWS, PocketConfig
from embedlab.learn.pocket import View as PocketView
from embedlab.learn.pocket_facts import setting_of
from embedlab.learn.views.base import View, words

CONTROLS = ("views", "negatives", "temperature", "batch")
CLOCKS, PARTS = ("steps", "texts", "seconds"), ("map", "accuracy", "loss")
SECONDS = 3.0


class Training(View):
    """Settings that a student may change are shown above it; all others are fixed."""

    reads_pocket: ClassVar[bool] = True
    controls: str = Field("", description="Which settings the student may change.")
    views: PocketView = Field("sentences", description="What counts as the same text.")
    negatives: bool = Field(True, description="Push, or only pull.")
    temperature: float = Field(0.05, ge=0.001, le=100, description="Divides the cosines.")
    batch: int = Field(64, ge=2, le=512, description="Texts per step.")
    steps: int = Field(300, ge=1, le=5000, description="Steps of training.")
    texts: int = Field(19_200, ge=2, le=100_000, description="Texts read, if a race is by texts.")
    against: str = Field("", description="Settings of a second encoder with the same seed: batch=256.")
    x: str = Field(
        "steps", description="What is equal in a race: steps, texts or seconds; with several, students can switch."
    )
    seeds: Literal["0", "next"] = Field("0", description="The same seed each time Train is pressed, or the next one.")
    show: str = Field("map, accuracy", description="Of map, accuracy, loss.")
    train: Literal["no", "button", "at once"] = Field("button", description="Whether and when it trains.")
    typed: bool = Field(False, description="Whether a sentence can be typed after training.")

    def content(self, facts: Facts) -> dict:
        """Settings of one encoder or two, and what to show."""
        settings = {name: getattr(self, name) for name in ("views", "negatives", "temperature", "batch", "steps")}
        start = validated(PocketConfig, settings, where="pocket")
        other = setting_of(self.against, start=start) if self.against else None
        return {
            "settings": start.model_dump(exclude={"texts"}),
            "against": None if other is None else other.model_dump(exclude={"texts"}) | {"steps": other.total},
            "names": _names(start, other),
            "grey": _longer(start, other),
            "texts": self.texts,
            "seconds": SECONDS,
            "controls": _known("controls", self.controls, CONTROLS),
            "x": _known("x", self.x, CLOCKS),
            "show": _known("show", self.show, PARTS),
            "train": self.train,
            "next_seed": self.seeds == "next",
            "typed": self.typed,
            "counting": facts["pocket.counting"].value,
        }


class Vote(View):
    """A test text with its ten nearest train texts and their votes; clicking a text shows its neighbors."""

    reads_pocket: ClassVar[bool] = True
    of: Literal["before", "after"] = Field("before", description="The untrained encoder, or the trained one.")
    typed: bool = Field(False, description="Whether a sentence can be typed.")

    def content(self, facts: Facts) -> dict:
        """Whether it is trained first."""
        return self.model_dump()


class Pairs(View):
    """Both views of a text as strips of words; each press shows another text."""

    reads_pocket: ClassVar[bool] = True
    of: str = Field("sentences, halves, dropped words, same", description="How pairs are made.")

    def content(self, facts: Facts) -> dict:
        """The augmentations in order."""
        return {"of": _known("of", self.of, VIEWS)}


def _names(start: PocketConfig, other: PocketConfig | None) -> list[str]:
    """What differs, as labels at the ends of both lines."""
    if other is None:
        return [""]
    one, two = start.model_dump(), other.model_dump()
    differ = [name for name in one if one[name] != two[name]] or ["seed"]
    return [", ".join(f"{name} {values.get(name, '')}" for name in differ) for values in (one, two)]


def _longer(start: PocketConfig, other: PocketConfig | None) -> str:
    """Why the second line is grey although steps are equal; empty if the lines may be compared."""
    if other is None or other.total == start.total:
        return ""
    return f"Grey: it trains {other.total:,} steps and the first one {start.total:,}, so steps cannot compare them."


def _known(name: str, value: str, choices: tuple[str, ...]) -> list[str]:
    chosen = words(value)
    for each in chosen:
        if each not in choices:
            raise LessonError(
                "E-LESSON-VIEW", f"{name}: {each!r} is not one of {', '.join(choices)}.{near(each, choices)}"
            )
    return chosen
