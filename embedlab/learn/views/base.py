"""What a view is: a picture of a lesson by its settings, made into plain values and drawn by ``browser/KEY.js``."""

from typing import ClassVar

from embedlab.config import Config


class View(Config):
    """The settings that a lesson may write; ``content(facts)`` is what the page draws, plain values in a dict."""

    reads_pocket: ClassVar[bool] = False  # whether the page carries the pocket corpus for it


def words(value: str) -> list[str]:
    """``a, b`` as ["a", "b"]."""
    return [each.strip() for each in value.split(",") if each.strip()]
