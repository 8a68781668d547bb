"""What a view is: a picture of a lesson, described by plain values and drawn by ``browser/KEY.js``."""

from dataclasses import dataclass
from typing import Protocol

from embedlab.config import Config
from embedlab.learn.facts import Facts
from embedlab.runs.folder import RunFolder

SIXTEEN_BITS = "<u2"


@dataclass(frozen=True)
class Material:
    """What the views of one lesson may read; a run by the lesson's name for it."""

    facts: Facts

    def run(self, name: str) -> RunFolder:
        """Raises LessonError where the lesson binds no run of that name."""
        from embedlab.errors import LessonError
        from embedlab.learn.lesson import near

        if name not in self.facts.runs:
            message = f"A picture reads the run {name!r}, which the lesson does not name.{near(name, self.facts.runs)}"
            raise LessonError("E-LESSON-RUN", f"{message} Name it between the lesson's '---': runs: {name}")
        return self.facts.runs[name]


class View(Protocol):
    """A class with these; ``reads_pocket``: whether the page carries the pocket corpus for it."""

    key: str
    title: str
    sentence: str
    config_class: type[Config]
    reads_pocket: bool

    def content(self, material: Material, config) -> dict:
        """What the page draws.  Raises LessonError where something is missing."""


def words(value: str) -> list[str]:
    """``a, b`` as ["a", "b"]."""
    return [each.strip() for each in value.split(",") if each.strip()]
