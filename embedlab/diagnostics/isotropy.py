"""Whether longer texts crowd into one direction: mean cosine before and after elongation (LA(SER)³, Figure 4)."""

from embedlab.diagnostics.base import LENGTH, DiagnosticResult, EncoderView, moved_told
from embedlab.diagnostics.length import LengthConfig, attacked
from embedlab.diagnostics.picture import Picture, density


class Isotropy:
    """Mean cosine of random pairs; the paper names no estimator."""

    key = "isotropy"
    title = "Isotropy under elongation"
    group = LENGTH
    question = "Do longer texts cluster in one direction?"
    sentence = (
        "Mean cosine of random pairs of short texts, unchanged and repeated as often as the encoder can read. 0 is "
        "isotropic. The paper does not name its estimator of isotropy; the mean pairwise cosine is the usual one. A "
        "shift to the right makes all texts look similar, whatever their content."
    )
    paper = "LA(SER)³ paper, section 5 and Figure 4; Ethayarajh 2019"
    cites = ("laser3", "ethayarajh2019")
    unit = "cosine"
    number = ("shift", "Isotropy shift under elongation")
    config_class = LengthConfig

    @staticmethod
    def measure(view: EncoderView, config: LengthConfig) -> DiagnosticResult:
        """Of the random pairs of the length attack."""
        pairs = attacked(view, config).random
        once, repeated = float(pairs.before.mean()), float(pairs.after.mean())
        values = {"once": once, "repeated": repeated, "shift": repeated - once, "pairs": len(pairs.before)}
        curves = (
            density("as they are", pairs.before),
            density("repeated", pairs.after),
        )
        return DiagnosticResult(values, (Picture("lines", "Cosines of random pairs", "cosine", "density", curves),))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """Both means."""
        ends = {state: (each["once"], each["repeated"]) for state, each in results.items()}
        return f"Repeating moves the mean cosine of unrelated texts {moved_told(ends, 3)}."
