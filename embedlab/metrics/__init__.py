"""Numbers in a known range, higher is better, from arrays; the metrics in display order."""

from typing import ClassVar, Protocol

import numpy as np

from embedlab.errors import CorpusError
from embedlab.metrics.exact import usable
from embedlab.metrics.knn import GraphLike, cv10_knn, knn_accuracy, share
from embedlab.metrics.linear_probe import linear_accuracy
from embedlab.metrics.split import Split, fold_splits
from embedlab.registry import Registry


class Metric(Protocol):
    """One number with its standard error; ``measure`` takes one row per corpus row."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    paper: ClassVar[str]

    @staticmethod
    def measure(
        *,
        embeddings: np.ndarray,
        labels: np.ndarray,
        split: Split | None,
        graph: GraphLike | None = None,
        texts: list[str] | None = None,
        rows: np.ndarray | None = None,
        protocol: str = "paper",
    ) -> dict:
        """``value``, ``standard_error``, ``test_texts``, ``protocol`` and what else belongs beside them.

        ``paper`` tests the split's test rows; ``cv10`` all labelled ones among ``rows``, and needs no split.
        """


class KNN:
    """Euclidean is the paper's number; cosine stands beside it."""

    key = "knn"
    title = "kNN accuracy"
    sentence = "How often the majority of a text's ten nearest labelled texts has its label."
    range = (0.0, 1.0)
    paper = "crops"

    @staticmethod
    def measure(*, embeddings, labels, split, graph=None, texts=None, rows=None, protocol="paper") -> dict:
        """``value`` is Euclidean, ``cosine`` the same by cosine; a graph serves the distance it was made with."""
        results = {}
        for distance in ("euclidean", "cosine"):
            known = graph if graph is not None and graph.distance == distance else None
            shared = {"embeddings": embeddings, "labels": labels, "graph": known, "distance": distance}
            if protocol == "cv10":
                results[distance] = cv10_knn(**shared, rows=rows)
            else:
                results[distance] = knn_accuracy(**shared, split=_asked_for(split))
        return {**results["euclidean"].as_json(), "cosine": results["cosine"].value}


class LinearProbe:
    """A logistic regression on standardised embeddings."""

    key = "linear"
    title = "Linear probe"
    sentence = "How often a linear classifier trained on the labelled texts is right on the others."
    range = (0.0, 1.0)
    paper = "crops"

    @staticmethod
    def measure(*, embeddings, labels, split, graph=None, texts=None, rows=None, protocol="paper") -> dict:
        """One fit on the train rows, or ten."""
        splits = [_asked_for(split)] if protocol == "paper" else fold_splits(labels, rows)
        correct = [linear_accuracy(embeddings=embeddings, labels=labels, split=part) for part in splits]
        value, standard_error = share(np.concatenate(correct))
        tested = np.concatenate([part.test for part in splits])
        used = np.union1d(tested, splits[0].train)
        return {
            "value": value,
            "standard_error": standard_error,
            "test_texts": len(tested),
            "zero_vectors": int((~usable(embeddings[used])).sum()),
            "protocol": protocol,
        }


METRICS = Registry("metric", [KNN, LinearProbe])


def _asked_for(split: Split | None) -> Split:
    if split is None:
        raise CorpusError("W-NO-LABELS", "This metric needs labels, but found none. Choose a label column.")
    return split
