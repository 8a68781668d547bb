"""What an augmentation is: text -> views, strings and a random generator, no torch."""

import random
from typing import ClassVar

from embedlab.config import Config


class NoSettings(Config):
    """A part without settings."""


class Augmentation:
    """Makes two views of a text. Subclasses say ``key title sentence paper needs config_class``.

    ``needs`` names what the encoder or corpus must offer: ``dropout`` (the two views are the same string, only the
    encoder's dropout tells them apart), ``context``, ``labels``, ``summaries``, ``title``.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    paper: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    config_class: ClassVar[type[Config]] = NoSettings

    def __init__(self, config: Config | None = None):
        self.config = config if config is not None else self.config_class()

    def views(self, text: str, rng: random.Random) -> tuple[str, str] | None:
        """Anchor and positive, or None when the text cannot give them."""
        raise NotImplementedError  # every augmentation says it

    def usable(self, text: str) -> bool:
        """Whether the text gives views; the same for every random generator."""
        return self.views(text, random.Random(0)) is not None

    def mask(self, tokens: list[int], *, special: set[int], mask_token: int, rng: random.Random) -> list[int]:
        """What the encoder reads in place of ``tokens``: the same, unless the augmentation works on tokens."""
        return tokens
