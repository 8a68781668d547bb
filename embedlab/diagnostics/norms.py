"""The norms of the vectors, and the variance of each dimension."""

import numpy as np

from embedlab.diagnostics.base import (
    GEOMETRY,
    Diagnostic,
    DiagnosticResult,
    EncoderView,
    SampleConfig,
    phrases_of_states,
)
from embedlab.picture import Picture, Series, rounded


class Norms(Diagnostic):
    """Norm of the vectors, and standard deviation of each dimension."""

    key = "norms"
    title = "Lengths and dimensions"
    group = GEOMETRY
    question = "Do a few dimensions dominate the others?"
    sentence = (
        "Length of the vectors, and the standard deviation of each dimension, the largest first. Where a few "
        "dimensions vary ten times as much as the others, Euclidean distance and cosine depend on little else. "
        "Vector length by itself means nothing: cosine ignores it."
    )
    paper = "UNSEE paper, on collapse; VICReg (Bardes et al. 2022)"
    cites = ("bardes2022vicreg",)
    unit = "length"
    number = ("mean", "Mean length of vectors")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """On a sample, without texts that lack a vector."""
        rows = view.usable(view.sample(config.texts, config.seed))
        vectors = view.vectors[rows].astype(np.float64)
        if not len(rows):
            return DiagnosticResult(
                dict.fromkeys(("mean", "sd", "least", "most", "largest_deviation", "median_deviation"))
            )
        lengths, deviations = np.linalg.norm(vectors, axis=1), np.sort(vectors.std(axis=0))[::-1]
        values = {
            "mean": float(lengths.mean()),
            "sd": float(lengths.std()),
            "least": float(lengths.min()),
            "most": float(lengths.max()),
            "largest_deviation": float(deviations[0]),
            "median_deviation": float(np.median(deviations)),
            "texts": len(rows),
        }
        line = Series("", list(range(1, len(deviations) + 1)), rounded(deviations))
        title = "Standard deviation of each dimension"
        return DiagnosticResult(
            values, Picture("lines", title, "dimension, by deviation", "standard deviation", (line,))
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The mean norm, and how far the widest dimension exceeds the others."""
        if any(each["mean"] is None for each in results.values()):
            return "No text has a vector."
        lengths = phrases_of_states(
            {state: f"{each['mean']:.2f} ± {each['sd']:.2f}" for state, each in results.items()}
        )
        loud = phrases_of_states(
            {s: f"{each['largest_deviation'] / (each['median_deviation'] or 1):.1f}" for s, each in results.items()}
        )
        return (
            f"Vectors have a length of {lengths}. Standard deviation of the widest dimension over the median: {loud}."
        )
