"""How the variance is distributed over directions, and the effective rank."""

import numpy as np

from embedlab.diagnostics.base import (
    GEOMETRY,
    Diagnostic,
    DiagnosticResult,
    EncoderView,
    SampleConfig,
    phrases_of_states,
    value_in_words,
)
from embedlab.picture import Picture, Series, rounded
from embedlab.statistics.geometry import effective_rank, singular_values, variance_shares

COMPONENTS = 50  # as in the paper


class Spectrum(Diagnostic):
    """Whether a few directions carry most of the variance."""

    key = "spectrum"
    title = "Explained variance"
    group = GEOMETRY
    question = "Do a few directions carry most of the variance?"
    sentence = (
        "Share of the variance along each of the first 50 principal components, after centering. A steep drop means "
        "that most of the space is unused. It does not show whether the used directions mean anything."
    )
    paper = "SemCSE paper, B.2 and Figure 2"
    printed = "SemCSE shows curves without numbers: training on summaries makes the spectrum flatter."
    cites = ("semcse",)
    unit = "share of variance"
    number = ("first", "Variance of the first component")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """On a sample of texts."""
        rows = view.usable(view.sample(config.texts, config.seed))
        shares = rounded(variance_shares(view.vectors[rows], COMPONENTS))
        values = {"shares": shares, "first": shares[0] if shares else None, "texts": len(rows)}
        line = Series("", list(range(1, len(shares) + 1)), shares)
        return DiagnosticResult(
            values, Picture("lines", "Variance by component", "principal component", "share", (line,))
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The first component, and the first ten."""
        phrases = {}
        for state, each in results.items():
            first, ten = (100 * sum(each["shares"][:count]) for count in (1, 10))
            phrases[state] = f"{first:.1f} % and {ten:.1f} %"
        return f"Of the variance, the first direction and the first ten carry {phrases_of_states(phrases)}."


TEXTS_A_DIMENSION = 5  # so many or more, or the number says how many texts there were


class EffectiveRank(Diagnostic):
    """exp of the entropy of the singular values."""

    key = "effective-rank"
    title = "Effective rank"
    group = GEOMETRY
    question = "Along how many directions do the vectors vary?"
    sentence = (
        "exp of the entropy of the singular values of the centered vectors: 1 if they are on a line, about the number "
        "of dimensions if all directions are used equally. It grows with the number of texts until there are five "
        "per dimension. A high rank does not prove meaning: noise has the highest."
    )
    paper = "Roy and Vetterli 2007"
    cites = ("roy2007rank",)
    unit = "directions"
    number = ("rank", "Effective rank")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """On five texts per dimension, if there are that many."""
        dim = view.vectors.shape[1]
        rows = view.usable(view.sample(max(config.texts, TEXTS_A_DIMENSION * dim), config.seed))
        is_enough = len(rows) >= TEXTS_A_DIMENSION * dim
        vectors = view.vectors[rows].astype(float)
        values = {"rank": effective_rank(vectors), "dimensions": dim, "texts": len(rows), "is_enough": is_enough}
        spread = np.sort(singular_values(vectors - vectors.mean(axis=0)))[::-1] if len(rows) else np.zeros(0)
        shares = rounded(spread / spread.sum()) if spread.sum() > 0 else [0.0] * len(spread)
        line = Series("", list(range(1, len(shares) + 1)), shares)
        return DiagnosticResult(
            values, Picture("lines", "Singular values", "direction, by size", "share of their sum", (line,))
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The rank, and the number of dimensions."""
        first = next(iter(results.values()))
        few = "" if first["is_enough"] else f" Only {first['texts']:,} texts were available, so it is too low."
        ranks = value_in_words(results, "rank", "{:.0f}")
        return f"Of {first['dimensions']:,} directions the vectors vary along {ranks}.{few}"
