"""How the variance of the vectors is shared among their directions."""

from embedlab.diagnostics.base import GEOMETRY, DiagnosticResult, EncoderView, SampleConfig, told_of_each
from embedlab.diagnostics.picture import Picture, Series, rounded
from embedlab.statistics.geometry import variance_shares

COMPONENTS = 50  # as in the paper


class Spectrum:
    """Whether a few directions carry everything."""

    key = "spectrum"
    title = "Explained variance"
    group = GEOMETRY
    question = "Do a few directions carry most of the variance?"
    sentence = (
        "Share of the variance along each of the first 50 principal components, after centring. A steep drop means "
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
        """Of a sample of texts."""
        rows = view.usable(view.sample(config.texts, config.seed))
        shares = rounded(variance_shares(view.vectors[rows], COMPONENTS))
        values = {"shares": shares, "first": shares[0] if shares else None, "texts": len(rows)}
        line = Series("", list(range(1, len(shares) + 1)), shares)
        return DiagnosticResult(
            values, (Picture("lines", "Variance by component", "principal component", "share", (line,)),)
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The first component, and the first ten."""
        phrases = {}
        for state, each in results.items():
            first, ten = (100 * sum(each["shares"][:count]) for count in (1, 10))
            phrases[state] = f"{first:.1f} % and {ten:.1f} %"
        return f"Of the variance, the first direction and the first ten carry {told_of_each(phrases)}."
