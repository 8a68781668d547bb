"""One test text, its ten nearest train texts, and their votes; a sentence of one's own where a lesson allows it."""

from typing import Literal

from pydantic import Field

from embedlab.config import Config
from embedlab.learn.views.base import Material


class VoteConfig(Config):
    """Of which encoder."""

    of: Literal["before", "after"] = Field("before", description="The untrained encoder, or the trained one.")
    typed: bool = Field(False, description="Whether a sentence can be typed.")


class Vote:
    """The picture is the pocket's; a click on a text asks its neighbors."""

    key = "vote"
    title = "Ten neighbors vote"
    sentence = "A test text with its ten nearest train texts and their votes."
    config_class = VoteConfig
    reads_pocket = True

    def content(self, material: Material, config: VoteConfig) -> dict:
        """Whether it is trained first."""
        return config.model_dump()
