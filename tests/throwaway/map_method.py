"""Throw-away: the first two numbers of every vector are its place."""

import numpy as np

from embedlab.config import NoSettings
from embedlab.maps.base import Layout, LayoutMethod


class FirstTwo(LayoutMethod):
    """No neighbors, nothing fitted."""

    config_class = NoSettings

    @staticmethod
    def neighbors_needed(config):
        """None."""
        return 0

    @staticmethod
    def lay_out(embeddings, graph, config, *, start=None, preview=None, neighbors_kept=None, progress=None, threads=1):
        """The two columns."""
        return Layout(np.asarray(embeddings[:, :2], np.float32), {"method": "first-two", "seed": None})
