"""Throw-away: how long the texts' vectors are."""

import numpy as np

from embedlab.config import NoSettings
from embedlab.diagnostics.base import GEOMETRY, Diagnostic, DiagnosticResult, value_in_words


class VectorLength(Diagnostic):
    """How long the vectors are."""

    key = "vector-length"
    title = "Vector length"
    group = GEOMETRY
    question = "How long are the vectors?"
    sentence = "Mean length of the texts' vectors."
    paper = "nobody's"
    unit = "length"
    config_class = NoSettings

    @staticmethod
    def measure(looked, config):
        """Of all texts."""
        return DiagnosticResult({"mean": float(np.linalg.norm(looked.vectors[looked.rows], axis=1).mean())})

    @staticmethod
    def in_words(found):
        """In a sentence."""
        return f"The mean length is {value_in_words(found, 'mean', '{:.3f}')}."
