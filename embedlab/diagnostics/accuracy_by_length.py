"""kNN accuracy and retrieval by the length of the test texts."""

import numpy as np

from embedlab.config import NoSettings
from embedlab.diagnostics.base import LENGTH, Diagnostic, DiagnosticResult, EncoderView, knn_of_ends
from embedlab.diagnostics.pairs import token_counts
from embedlab.distance import COSINE
from embedlab.metrics.base import Queries
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.retrieval import RankedRetrieval, gains_of_labels
from embedlab.metrics.votes import share
from embedlab.picture import Picture, Series, rounded

PARTS = 5
MOST_QUERIES = 2000  # test texts that search; of more, as many from each fifth


class AccuracyByLength(Diagnostic):
    """Quintiles of the test texts by their number of tokens."""

    key = "accuracy-by-length"
    title = "Accuracy by length"
    group = LENGTH
    question = "Are long texts classified better than short ones?"
    sentence = (
        "The test texts in five equal parts by length in the untouched encoder's tokens: kNN accuracy (cosine), and "
        "nDCG@10 where each test text searches the train texts of its label. Long texts also contain more "
        "information, so a difference between parts does not prove that length itself matters; compare the change by "
        "fine-tuning within a part."
    )
    paper = "LA(SER)³ paper, section 4, retrieval by document length"
    cites = ("laser3",)
    needs = frozenset({"labels"})
    unit = "share"
    number = ("long_minus_short", "kNN accuracy, longest minus shortest fifth")

    @staticmethod
    def measure(view: EncoderView, config: NoSettings) -> DiagnosticResult:
        """On the run's own split."""
        labels, split = view.labels_and_split
        tokens = token_counts(view.reader, [view.texts[row] for row in split.test])
        parts = [part for part in np.array_split(np.argsort(tokens, kind="stable"), PARTS) if len(part)]
        right = knn_accuracy(embeddings=view.vectors, labels=labels, split=split, distance=COSINE).correct
        rows = []
        for part in parts:
            accuracy, error = share(right[part])
            queries = split.test[part[: MOST_QUERIES // PARTS]]
            gains = gains_of_labels(labels, queries=queries, documents=split.train)
            search = Queries(view.vectors[queries], view.vectors[split.train], [str(row) for row in split.train], gains)
            rows.append(
                {
                    "shortest": int(tokens[part].min()),
                    "longest": int(tokens[part].max()),
                    "texts": len(part),
                    "knn": accuracy,
                    "standard_error": error,
                    "ndcg@10": RankedRetrieval.measure(search).value if any(gains) else float("nan"),
                }
            )
        values = {"parts": rows, "long_minus_short": rows[-1]["knn"] - rows[0]["knn"]}
        names = [f"{row['shortest']} to {row['longest']}" for row in rows]
        pictures = tuple(
            Picture(
                "bars", title, "tokens in the text", unit, (Series("", names, rounded([row[key] for row in rows])),)
            )
            for title, unit, key in (
                ("kNN accuracy (cosine)", "share right", "knn"),
                ("Retrieval", "nDCG@10", "ndcg@10"),
            )
        )
        return DiagnosticResult(values, *pictures)

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """Compares the shortest and the longest fifth."""
        return f"From the shortest fifth of the texts to the longest, kNN accuracy goes from {knn_of_ends(results)}."
