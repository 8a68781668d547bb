"""What each way of making pairs makes of one text, as strips of its words."""

from pydantic import Field

from embedlab.config import Config
from embedlab.errors import LessonError
from embedlab.learn.lesson import near
from embedlab.learn.pocket import VIEWS
from embedlab.learn.views.base import Material, words


class PairsConfig(Config):
    """Which ways."""

    of: str = Field("sentences, halves, dropped words, same", description="Ways of making pairs.")


class Pairs:
    """The words are those of a text of the pocket; another one at each press."""

    key = "pairs"
    title = "Pairs of one text"
    sentence = "Both views of a text, a strip of words each."
    config_class = PairsConfig
    reads_pocket = True

    def content(self, material: Material, config: PairsConfig) -> dict:
        """The ways in order."""
        for each in words(config.of):
            if each not in VIEWS:
                message = f"of: {each!r} is no way to make pairs.{near(each, VIEWS)} Choose from: {', '.join(VIEWS)}."
                raise LessonError("E-LESSON-VIEW", message)
        return {"of": words(config.of)}
