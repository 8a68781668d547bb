"""Cosines of random pairs, of one label and of different labels."""

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.diagnostics.base import GEOMETRY, DiagnosticResult, EncoderView, each_told
from embedlab.diagnostics.pairs import pairs_of_classes, positions_by_label
from embedlab.diagnostics.picture import Picture, density
from embedlab.statistics.geometry import cosines


class CosinesConfig(Config):
    """How many pairs are compared."""

    pairs: int = Field(5000, ge=10, le=100_000, description="Number of pairs of each kind.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the random draw.")


class Cosines:
    """How alike texts are to each other."""

    key = "cosines"
    title = "Pairwise cosines"
    group = GEOMETRY
    question = "How similar are two texts?"
    sentence = (
        "Cosine of random pairs, of pairs with the same label and with different labels. Where the two curves are "
        "apart, similarity separates the labels. A high mean alone only shows that all vectors share a direction, "
        "not that texts are similar."
    )
    paper = "Ethayarajh 2019; SemCSE paper, B.2"
    cites = ("ethayarajh2019",)
    unit = "cosine"
    number = ("mean", "Mean cosine")
    config_class = CosinesConfig

    @staticmethod
    def measure(looked: EncoderView, config: CosinesConfig) -> DiagnosticResult:
        """Over texts that have a direction."""
        rng = np.random.default_rng(config.seed)
        rows = looked.usable(looked.rows)
        labels = None if looked.labels is None else looked.unread_labels[rows]
        kinds = {
            "random": pairs_of_classes([np.arange(len(rows))], config.pairs, rng),
            "same_label": pairs_of_classes(positions_by_label(labels), config.pairs, rng),
        }
        if labels is not None:
            drawn, own = kinds["random"], labels[kinds["random"]]
            known = np.array([one is not None and other is not None for one, other in own], bool)
            kinds["different_label"] = drawn[known & (own[:, 0] != own[:, 1])]
        found = {kind: cosines(*(looked.vectors[rows[side]] for side in pairs.T)) for kind, pairs in kinds.items()}
        of_all = found["random"]
        values = {"mean": _mean(of_all), "sd": float(of_all.std()) if len(of_all) else None, "pairs": len(of_all)}
        values |= {f"{kind}_mean": _mean(found.get(kind, of_all[:0])) for kind in ("same_label", "different_label")}
        names = {"random": "random pairs", "same_label": "same label", "different_label": "different labels"}
        shown = ["same_label", "different_label"] if len(found["same_label"]) else ["random"]
        curves = tuple(density(names[kind], found[kind]) for kind in shown)
        return DiagnosticResult(values, (Picture("lines", "Cosines of pairs of texts", "cosine", "density", curves),))

    @staticmethod
    def in_words(found: dict[str, DiagnosticResult]) -> str:
        """Means of random pairs, and by label where there are labels."""
        said = f"The mean cosine of two texts drawn at random is {each_told(found, 'mean')}."
        if any(each["same_label_mean"] is None for each in found.values()):
            return said
        apart = {
            state: DiagnosticResult({"apart": (each["same_label_mean"] or 0) - (each["different_label_mean"] or 0)})
            for state, each in found.items()
        }
        return f"{said} Texts with the same label are closer than others by {each_told(apart, 'apart')}."


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None
