"""Effects of repeating texts: the cosine of two texts by number of copies, and isotropy (LA(SER)³)."""

from embedlab.config import NoSettings
from embedlab.diagnostics.base import LENGTH, Diagnostic, DiagnosticResult, EncoderView, shift_in_words
from embedlab.diagnostics.length import LengthConfig, attacked, bench
from embedlab.metrics.length_results import COPIES
from embedlab.picture import Picture, Series, density


class LengthCurve(Diagnostic):
    """Cosine of two typed texts against the number of copies m."""

    key = "length-curve"
    title = "Two texts, repeated"
    group = LENGTH
    question = "Do these two texts become more similar when both are repeated?"
    sentence = (
        "Cosine of two texts of your own, each repeated m times, m from 1 to 100. Repeating adds no information. "
        "Once the encoder truncates the text, more copies change nothing: that is the mark."
    )
    paper = "LA(SER)³ paper, section 3"
    printed = "LA(SER)³ prints for m = 100: “what is NLP?” and “what is computer vision?” 0.06 → 0.42 (MiniLM)."
    cites = ("laser3",)
    needs = frozenset({"two-texts"})
    unit = "cosine"

    @staticmethod
    def measure(view: EncoderView, config: NoSettings) -> DiagnosticResult:
        """On the first two typed texts."""
        measured = bench(view.encoder, view.typed[0], view.typed[1], COPIES, device=view.device)
        marks = () if measured.truncated_from is None else (("truncated", float(max(measured.effective_copies))),)
        line = Series("", COPIES, measured.cosines)
        return DiagnosticResult(
            vars(measured), Picture("lines", "Cosine of the two texts", "copies m", "cosine", (line,), marks)
        )

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The cosine without repetition, and at a hundred copies."""
        ends = {state: (each["cosines"][0], each["cosines"][-1]) for state, each in results.items()}
        if any(None in pair for pair in ends.values()):
            return "One of the texts has no vector, because the encoder knows none of its words."
        return f"Repeating both texts {COPIES[-1]} times moves their cosine {shift_in_words(ends)}."


class Isotropy(Diagnostic):
    """Mean cosine of random pairs; the paper does not name an estimator."""

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
        """On the random pairs of the length attack."""
        pairs = attacked(view, config).random
        once, repeated = float(pairs.before.mean()), float(pairs.after.mean())
        values = {"once": once, "repeated": repeated, "shift": repeated - once, "pairs": len(pairs.before)}
        curves = (density("as they are", pairs.before), density("repeated", pairs.after))
        return DiagnosticResult(values, Picture("lines", "Cosines of random pairs", "cosine", "density", curves))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The mean before and after elongation."""
        ends = {state: (each["once"], each["repeated"]) for state, each in results.items()}
        return f"Repeating moves the mean cosine of unrelated texts {shift_in_words(ends, 3)}."
