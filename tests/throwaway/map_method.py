"""Throw-away: the first two numbers of every vector are its place."""

from embedlab.config import NoSettings
from embedlab.maps.base import LayoutMethod
from embedlab.runs.drawn_map import MapFacts


class FirstTwo(LayoutMethod):
    """No neighbors, nothing fitted."""

    config_class = NoSettings

    @staticmethod
    def neighbors_needed(config):
        """None."""
        return 0

    @staticmethod
    def place(points, config, *, stage, progress, threads):
        """The two columns."""
        return points.embeddings[:, :2], MapFacts()
