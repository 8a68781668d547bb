"""What a view is: a picture of a lesson by its settings, turned into plain values for the page's scripts."""

from typing import Any, ClassVar

from embedlab.config import Config
from embedlab.learn.facts import Facts

Content = dict[str, Any]  # plain values, as JSON has them


class View(Config):
    """The settings that a lesson may write; ``content(facts)`` is what the page draws, plain values in a dict."""

    reads_pocket: ClassVar[bool] = False  # whether the page carries the pocket corpus for it

    def content(self, facts: Facts) -> Content:
        """What the script of this view draws: by default the settings alone."""
        return self.model_dump()
