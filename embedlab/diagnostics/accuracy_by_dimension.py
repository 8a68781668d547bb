"""kNN accuracy by how many of a vector's first dimensions are kept."""

from embedlab.config import NoSettings
from embedlab.diagnostics.base import READ_OUT, Diagnostic, DiagnosticResult, EncoderView, knn_of_ends
from embedlab.distance import COSINE
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.votes import share
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.intervals import normal
from embedlab.vectors.dimensions import dimensions_to_try


class AccuracyByDimension(Diagnostic):
    """The test texts by the first 16, 32, 64, … dimensions and by all."""

    key = "accuracy-by-dimension"
    title = "Accuracy by dimension"
    group = READ_OUT
    question = "How many dimensions are enough?"
    sentence = (
        "kNN accuracy (cosine) when only the first dimensions of each vector are kept: 16, 32, 64 and so on, and all. "
        "An encoder trained with Matryoshka packs what matters into the first ones; in any other, the first are as "
        "good as any. Shorter vectors take less space and are searched faster."
    )
    paper = "Kusupati et al. 2022"
    cites = ("kusupati2022matryoshka",)
    needs = frozenset({"labels"})
    unit = "share"
    number = ("fewest_minus_all", "kNN accuracy, first 16 dimensions minus all")

    @staticmethod
    def measure(view: EncoderView, config: NoSettings) -> DiagnosticResult:
        """By the run's own split, with 95 % intervals."""
        labels, split = view.labels_and_split
        rows = []
        for dimensions in dimensions_to_try(view.vectors.shape[1]):
            vectors = view.vectors[:, :dimensions]
            accuracy, error = share(
                knn_accuracy(embeddings=vectors, labels=labels, split=split, distance=COSINE).correct
            )
            half = normal(0.95) * error
            rows.append({"dimensions": dimensions, "knn": accuracy, "low": accuracy - half, "high": accuracy + half})
        x = [row["dimensions"] for row in rows]
        lines = (("", "knn"), ("95 % from", "low"), ("95 % to", "high"))
        series = tuple(Series(name, x, rounded([row[key] for row in rows])) for name, key in lines)
        picture = Picture("lines", "kNN accuracy (cosine)", "first dimensions that are kept", "share right", series)
        return DiagnosticResult({"parts": rows, "fewest_minus_all": rows[0]["knn"] - rows[-1]["knn"]}, picture)

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The fewest dimensions and all."""
        first, *_, last = [row["dimensions"] for row in next(iter(results.values()))["parts"]] * 2
        return f"From {first} dimensions to all {last}, kNN accuracy goes from {knn_of_ends(results)}."
