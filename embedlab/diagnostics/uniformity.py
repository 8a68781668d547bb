"""How evenly the vectors are spread over the sphere."""

import numpy as np

from embedlab.diagnostics.base import GEOMETRY, DiagnosticResult, EncoderView, SampleConfig, each_told
from embedlab.diagnostics.picture import Picture, density
from embedlab.statistics.geometry import cosines, uniformity


class Uniformity:
    """log mean exp(−2‖x−y‖²)."""

    key = "uniformity"
    title = "Uniformity"
    group = GEOMETRY
    question = "Are the vectors spread over the whole sphere?"
    sentence = (
        "Logarithm of the mean of exp(−2‖x−y‖²) over all pairs of texts, at length 1: 0 if all texts are one point, "
        "about −4 if they are spread evenly over many dimensions. Rotating all vectors changes nothing. Spread alone "
        "is easy: random vectors are the most uniform. Read it together with alignment."
    )
    paper = "Wang and Isola 2020"
    cites = ("wang2020uniformity",)
    unit = "log"
    number = ("uniformity", "Uniformity")
    config_class = SampleConfig

    @staticmethod
    def measure(view: EncoderView, config: SampleConfig) -> DiagnosticResult:
        """Over all pairs of a sample."""
        rows = view.usable(view.sample(config.texts, config.seed))
        if len(rows) < 2:
            return DiagnosticResult({"uniformity": None, "texts": len(rows)})
        one, other = np.array_split(np.random.default_rng(config.seed).permutation(rows)[: 2 * (len(rows) // 2)], 2)
        apart = 2 - 2 * cosines(view.vectors[one], view.vectors[other])
        curve = density("", apart)
        title = "Squared distance of random pairs at length 1"
        picture = Picture("lines", title, "‖x−y‖² (2 is a right angle)", "density", (curve,))
        return DiagnosticResult({"uniformity": uniformity(view.vectors[rows]), "texts": len(rows)}, (picture,))

    @staticmethod
    def in_words(results: dict[str, DiagnosticResult]) -> str:
        """The number, and what its ends mean."""
        return f"Uniformity is {each_told(results, 'uniformity')}: 0 is one point, −4 an even spread."
