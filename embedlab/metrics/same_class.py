"""SemCSE's semantic clustering: how many of a text's five nearest train texts have its class (section 5.2)."""

import numpy as np

from embedlab.distance import Distance
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics.base import Labelled, Measured, paired
from embedlab.metrics.exact import usable
from embedlab.metrics.knn import train_neighbors
from embedlab.metrics.split import Split
from embedlab.statistics.intervals import LEVEL, interval_of_share, paired_means

K = 5


class SameClassNeighbors:
    """Not a vote: each of the five counts."""

    key = "neighbors-5"
    title = "Same class among five neighbors"
    sentence = "How many of a text's five nearest train texts have its class."
    range = (0.0, 1.0)
    higher_is_better = True
    paper = "semcse"
    reads = Labelled
    by_both = True

    @staticmethod
    def measure(material: Labelled) -> ByDistance[Measured]:
        """1 when all have it, 0 for zero vectors."""
        splits = material.splits
        rows = np.concatenate([split.test for split in splits])
        order, n = np.argsort(rows), len(rows)
        used = np.union1d(rows, splits[0].train)
        zero_vectors = int((~usable(material.embeddings[used])).sum())

        def measured(distance: Distance) -> Measured:
            shares = np.concatenate([_shares(material, split, distance) for split in splits])[order]
            error = float(shares.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
            value = float(shares.mean())
            facts = {"k": K, "zero_vectors": zero_vectors, "distance": distance, "protocol": material.protocol}
            units = {"rows": rows[order], "shares": shares}
            return Measured(value=value, error=error, n=n, facts=facts | interval_of_share(value, error), units=units)

        return ByDistance.of(measured)

    @staticmethod
    def difference(*, before: dict, after: dict, level: float = LEVEL) -> Difference:
        """The change of the mean share, paired over the texts (Student's t)."""
        one, other = paired(before, after, "shares")
        return paired_means(before=one, after=other, level=level)


def _shares(material: Labelled, split: Split, distance: str) -> np.ndarray:
    graph = material.graph if material.graph is not None and material.graph.distance == distance else None
    near = train_neighbors(embeddings=material.embeddings, split=split, graph=graph, k=K, distance=distance)
    same = (near >= 0) & (material.labels[near] == material.labels[split.test][:, None])  # (test, k)
    return same.sum(axis=1) / np.maximum((near >= 0).sum(axis=1), 1)
