"""Throw-away: how many test texts have a vector that begins above nought."""

import numpy as np

from embedlab.metrics.base import Labelled, Metric, MetricResult, paired
from embedlab.statistics.intervals import LEVEL, paired_means


class FirstNumber(Metric):
    """Nothing anybody wants to know."""

    key = "first-number"
    title = "First number"
    sentence = "How many test texts have a vector that begins above nought."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = "nobody's"
    reads = Labelled

    @staticmethod
    def measure(material):
        """The share."""
        rows = material.splits[0].test
        right = np.asarray(material.embeddings[rows])[:, 0] > 0
        return MetricResult(value=float(right.mean()), n=len(rows), units={"rows": rows, "right": right})

    @staticmethod
    def difference(*, before, after, level=LEVEL):
        """Paired over the test texts."""
        one, other = paired(before, after, "right")
        return paired_means(before=one.astype(float), after=other.astype(float), level=level)
